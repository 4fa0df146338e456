# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which modules of a kernel have to be loaded, and in which order: read from depmod's files.

A kernel's directory holds modules.dep ("PATH: PATH..." relative to the directory), modules.builtin, and the modules, each plain
or compressed. A dependency is loaded before what needs it, a module once. Nothing is known here of any one kernel.
"""
import gzip, lzma, os, shutil, subprocess

SUFFIXES = (".ko", ".ko.gz", ".ko.xz", ".ko.zst")


class ModuleError(Exception):
    pass


def name_of(path):
    """A module's name: its file's, without suffix, and the kernel does not tell '-' from '_'. None for any other file."""
    file = os.path.basename(path)
    for suffix in SUFFIXES:
        if file.endswith(suffix):
            return file[:-len(suffix)].replace("-", "_")
    return None


def lines_of(directory, file, needed):
    try:
        with open(os.path.join(directory, file), encoding="utf-8") as f:
            return [line.strip() for line in f if line.strip()]
    except FileNotFoundError:
        if needed:
            raise ModuleError(f"'{directory}' has no {file}: run contrib/vm-kernel, which makes it") from None
        return []


def dependencies(directory):
    """Path by name, and the names that each name needs."""
    paths, needs = {}, {}
    for line in lines_of(directory, "modules.dep", True):
        path, colon, rest = line.partition(":")
        if not colon or name_of(path) is None:
            raise ModuleError(f"'{directory}/modules.dep': '{line}' is not 'MODULE: MODULE...'")
        paths[name_of(path)] = path
        needs[name_of(path)] = [name_of(word) or word for word in rest.split()]
    return paths, needs


def load_order(directory, wanted):
    """The paths, relative to DIRECTORY, of the modules that WANTED are, with all they need; what is built in needs no loading."""
    paths, needs = dependencies(directory)
    builtin = {name_of(line) for line in lines_of(directory, "modules.builtin", False)}
    order, under_way = [], []

    def add(name):
        if name in under_way:
            raise ModuleError(f"'{directory}/modules.dep': modules need each other: {' -> '.join([*under_way, name])}")
        if name in builtin or paths.get(name) in order:
            return
        if name not in paths:
            needed_by = f", which {under_way[-1]} needs," if under_way else ""
            raise ModuleError(f"the kernel in '{directory}' has no module {name}{needed_by} and has not built it in")
        under_way.append(name)
        for needed in needs[name]:
            add(needed)
        under_way.pop()
        order.append(paths[name])

    for name in wanted:
        add(name)
    return order


def read(path):
    """A module's own bytes: the loader in the initramfs takes no compressed ones."""
    if path.endswith(".zst"):
        if shutil.which("zstd") is None:
            raise ModuleError(f"'{path}' is compressed with zstd, and that program is not here: install the package zstd")
        return subprocess.run(["zstd", "-q", "-d", "-c", path], stdout=subprocess.PIPE, check=True).stdout
    opener = gzip.open if path.endswith(".gz") else lzma.open if path.endswith(".xz") else open
    with opener(path, "rb") as f:
        return f.read()
