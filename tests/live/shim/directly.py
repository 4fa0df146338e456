# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of the runtime by its command line share: bundles, calls, and which low-level runtime is called."""
import contextlib, json, os, shutil, subprocess

from engines import GROUP, environment, journal, need, path, read, run, write

ROOT = "state-of-crun"
RUNTIME = "bin/tyrum-hardened"


def prepare():
    import atexit
    from engines import remove_cgroups
    need("crun")
    atexit.register(remove_cgroups, GROUP)


def call(*words, timeout=60, **more):
    return run([path(RUNTIME), "--root", path(ROOT), "--log", path("log.json"), "--log-format=json", *words], timeout=timeout, **more)


def bundle(name, args=("sleep", "300"), **edits):
    where = path("bundles", name)
    os.makedirs(where, exist_ok=True)
    if not os.path.exists(os.path.join(where, "rootfs")):
        shutil.copytree(path("image"), os.path.join(where, "rootfs"), symlinks=True)
    config = {"ociVersion": "1.0.2", "process": {"args": list(args), "env": ["PATH=/bin"], "cwd": "/", "user": {"uid": 0, "gid": 0}},
              "root": {"path": "rootfs"}, "hostname": name, "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"}],
              "linux": {"cgroupsPath": "/%s/%s" % (GROUP, name), "x-unknown": 1.50}}
    config.update(edits)
    write("bundles/%s/config.json" % name, config, 0o640)
    return where


def create(name, where, runtime=RUNTIME, **more):
    """The container keeps the streams that it is given: pipes, as engines give them, which cat empties into a file."""
    with open(path("out"), "w", encoding="utf-8") as out:
        cat = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=out)
    done = subprocess.run([path(runtime), "--root", path(ROOT), "create", "-b", where, name], env=environment(**more), stdout=cat.stdin,
                          stderr=cat.stdin, stdin=subprocess.DEVNULL, timeout=60, close_fds=False)
    cat.stdin.close()
    return done.returncode


def logged():
    return [json.loads(line) for line in read(path("log.json")).splitlines()]


@contextlib.contextmanager
def low_level(program, **more):
    write("conf/config.json", {"version": 1, "engines": {"runtime": program, **more}})
    try:
        yield
    finally:
        os.unlink(path("conf/config.json"))


def popen(*words, **more):
    return subprocess.Popen([path(RUNTIME), "--root", path(ROOT), *words], env=environment(), text=True, **more)


def kinds(name):
    return [e["kind"] for e in journal(name)]
