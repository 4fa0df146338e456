# SPDX-License-Identifier: LGPL-2.1-or-later
"""A test case in one text file: the files that it consists of, each after a line that names it.

    what the case is about (optional; the reader keeps it)
    --- command
    spec --profile hardened -- true
    --- conf/ceiling.json no-newline
    { "version": 1 }
    --- p.json escaped
    { "name": "\\xff" }

A section is a file: everything up to the next line that starts with "--- ", byte by byte. Two words
can follow its name:
  no-newline   the file does not end in a newline; the last newline of the section is not part of it
  escaped      "\\xHH" is that byte and "\\\\" is a backslash: for bytes that are not text, and for
               lines that start with "--- "

The readers of golden, spec, toolrunner and vm cases use this module. By hand:
  python3 tests/case_file.py unpack FILE.case DIRECTORY
  python3 tests/case_file.py pack DIRECTORY FILE.case
"""
import os, re, sys

SUFFIX = ".case"
WORDS = (b"no-newline", b"escaped")
NAME = re.compile(rb"[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*")


class CaseError(Exception):
    pass


def names(directory):
    """The names of the cases below DIRECTORY, sorted: their paths without suffix. Any other file is an error."""
    found = []
    for where, _, files in os.walk(directory):
        for file in files:
            if not file.startswith(".") and not file.endswith(("~", ".orig", ".rej")):
                found.append(os.path.relpath(os.path.join(where, file), directory))
    for name in found:
        if not name.endswith(SUFFIX):
            raise CaseError(f"{directory}/{name}: not a case: the name must end in {SUFFIX}")
    return sorted(name[:-len(SUFFIX)] for name in found)


def unescaped(content, where):
    def one(match):
        if match[0] == b"\\\\":
            return b"\\"
        if match[1] is None:
            raise CaseError(f"{where}: a backslash in an escaped section must be '\\\\' or '\\xHH'")
        return bytes([int(match[1], 16)])
    return re.sub(rb"\\(?:\\|x([0-9a-fA-F]{2})|)", one, content)


def parse(data, where):
    """The text before the first section, and a dictionary of the sections: name to bytes."""
    about, *parts = re.split(rb"^--- ", data, flags=re.M)
    sections = {}
    for part in parts:
        head, newline, content = part.partition(b"\n")
        name, *words = head.split(b" ")
        shown = f"{where}: section '{head.decode(errors='replace')}'"
        if not newline or not NAME.fullmatch(name) or {b".", b".."} & set(name.split(b"/")) or not set(words) <= set(WORDS):
            raise CaseError(f"{shown}: not '--- NAME [no-newline] [escaped]'")
        if name.decode() in sections:
            raise CaseError(f"{shown}: there are two of that name")
        if content and not content.endswith(b"\n"):
            raise CaseError(f"{shown}: the file ends without a newline; say no-newline")
        if b"no-newline" in words:
            if not content:
                raise CaseError(f"{shown}: there is no newline to leave out")
            content = content[:-1]
        sections[name.decode()] = unescaped(content, shown) if b"escaped" in words else content
    if not sections:
        raise CaseError(f"{where}: no section")
    return about.decode(), sections


def is_text(content):
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|^--- ", content, re.M)


def made(about, sections):
    """The bytes of a case file; parse() gives the same back."""
    out = about.encode()
    for name, content in sections.items():
        words = [name.encode()]
        if content and not content.endswith(b"\n"):
            words.append(b"no-newline")
        if not is_text(content):
            words.append(b"escaped")
            content = re.sub(rb"[\x00-\x08\x0b-\x1f\x7f-\xff\\]|^-(?=-- )",
                             lambda m: b"\\\\" if m[0] == b"\\" else b"\\x%02x" % m[0][0], content, flags=re.M)
        out += b"--- " + b" ".join(words) + b"\n" + content + (b"\n" if b"no-newline" in words else b"")
    return out


def read(path):
    """As parse(), of the file PATH."""
    with open(path, "rb") as f:
        return parse(f.read(), path)


def write(path, about, sections):
    with open(path, "wb") as f:
        f.write(made(about, sections))


def change(path, **contents):
    """Sets sections of a case, as a harness does that accepts what came out."""
    about, sections = read(path)
    write(path, about, {**sections, **{name: text.encode("utf-8", "surrogateescape") for name, text in contents.items()}})


def unpack(path, directory):
    """Makes DIRECTORY with the files of the case."""
    for name, content in read(path)[1].items():
        target = os.path.join(directory, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as f:
            f.write(content)


def unpack_all(cases, directory):
    """Every case below CASES as a directory of its name below DIRECTORY; returns the names."""
    found = names(cases)
    for name in found:
        unpack(os.path.join(cases, name + SUFFIX), os.path.join(directory, name))
    return found


def pack(directory, path):
    """The inverse of unpack; of a case that is there the text before the first section stays."""
    files = sorted(os.path.relpath(os.path.join(where, file), directory) for where, _, found in os.walk(directory) for file in found)
    sections = {}
    for name in files:
        with open(os.path.join(directory, name), "rb") as f:
            sections[name] = f.read()
    data = made(read(path)[0] if os.path.exists(path) else "", sections)
    parse(data, path)
    with open(path, "wb") as f:
        f.write(data)


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("pack", "unpack"):
        sys.exit("usage: case_file.py unpack FILE.case DIRECTORY | pack DIRECTORY FILE.case")
    try:
        (unpack if sys.argv[1] == "unpack" else pack)(sys.argv[2], sys.argv[3])
    except (CaseError, OSError) as e:
        sys.exit(f"case_file.py: {e}")
