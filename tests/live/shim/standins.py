# SPDX-License-Identifier: LGPL-2.1-or-later
"""A host of the test's own, for tests that try to get at a host's files.

Everything that such a test reaches for is a stand-in: home directories, /run, /srv, the engines' and our own storage are tmpfs in a
mount namespace of the test's, /dev is a private one with nodes of its own, and every other mount is read-only. A test that goes
wrong can then spoil nothing but itself.
"""
import os, re, subprocess, sys

from engines import BUILD, TOP, Containerd, Docker, Podman, enter, read

SECRET = "stand-in: nobody else's secret\n"
PLACES = ("/tmp", "/var/tmp", "/run", "/root", "/home", "/srv", "/mnt", "/var/lib", "/var/cache")
NODES = (("null", 1, 3), ("zero", 1, 5), ("full", 1, 7), ("random", 1, 8), ("urandom", 1, 9), ("tty", 5, 0))


def mount(*words):
    subprocess.run(["mount", *words], check=True)


def private_dev():
    where = "/mnt"  # our own tmpfs by now
    mount("-t", "tmpfs", "-o", "mode=755", "dev", where)
    for name, major, minor in NODES:
        os.mknod(os.path.join(where, name), 0o666 | 0o020000, os.makedev(major, minor))
        os.chmod(os.path.join(where, name), 0o666)
    for name in ("pts", "shm", "mqueue"):
        os.mkdir(os.path.join(where, name))
    mount("-t", "devpts", "-o", "newinstance,ptmxmode=0666,mode=0620", "devpts", where + "/pts")
    mount("-t", "tmpfs", "-o", "mode=1777", "shm", where + "/shm")
    for name, to in (("ptmx", "pts/ptmx"), ("fd", "/proc/self/fd"), ("stdin", "/proc/self/fd/0"), ("stdout", "/proc/self/fd/1"), ("stderr", "/proc/self/fd/2")):
        os.symlink(to, os.path.join(where, name))
    mount("--move", where, "/dev")


def mounts():
    """Every mount point, as it is listed."""
    for line in read("/proc/self/mountinfo").splitlines():
        fields = line.split()
        yield re.sub(r"\\([0-7]{3})", lambda m: chr(int(m.group(1), 8)), fields[4])


def uncovered(trees):
    """Yields; afterwards those of TREES that lie in a place that was covered meanwhile are there again, read-only."""
    held = [(tree, os.open(tree, os.O_PATH | os.O_DIRECTORY)) for tree in trees]
    yield
    for tree, fd in held:
        if not os.path.exists(tree):
            os.makedirs(tree)
            subprocess.run(["mount", "--no-canonicalize", "--bind", f"/proc/self/fd/{fd}", tree], check=True, pass_fds=[fd])
            mount("-o", "remount,bind,ro", tree)
        os.close(fd)


def confine():
    """Returns in namespaces of the test's own, where nothing of the host can be written."""
    enter()
    trees = uncovered([TOP, os.path.realpath(BUILD)])
    next(trees)
    for point in list(mounts()):
        if not any(point == kernels or point.startswith(kernels + "/") for kernels in ("/dev", "/proc", "/sys")):
            mount("-o", "remount,bind,ro", point)
    for place in PLACES:
        mount("-t", "tmpfs", "-o", "mode=1777" if "tmp" in place else "mode=755", "stand-in", place)
    next(trees, None)
    private_dev()
    try:
        os.mkdir("/written-by-a-test")
        sys.exit("the host's root can be written")
    except OSError:
        pass
    os.umask(0o022)
    for place in ("/root", "/root/.ssh", "/home/user", "/run/service", "/srv/allowed", "/var/lib/containers/other"):
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, "file"), "w", encoding="utf-8") as f:
            f.write(SECRET)
        os.chmod(os.path.join(place, "file"), 0o600)
    os.chdir("/run/service")  # what an engine's /proc/self/cwd leads to


class OrdinaryDocker(Docker):
    """Docker's default data directory."""
    def __init__(self):
        super().__init__(data="/var/lib/docker", state="/run/docker")


class OrdinaryPodman(Podman):
    def words(self, runtime=None, hooks=()):
        return ["podman", "--root", "/var/lib/containers/storage", "--runroot", "/run/containers/storage", *(["--runtime", runtime] if runtime else [])]
