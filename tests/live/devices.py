# SPDX-License-Identifier: LGPL-2.1-or-later
"""A /dev of the test's own, in the mount namespace that it has already.

Runtimes and engines change owners and modes of what they find there, and so may a container that was given too much: the host's nodes
must not be what that happens to. Terminals and shared memory are the same as before. A disk is there by name only, so that a container
which is given one can be told.
"""
import os, stat, subprocess

KEPT = ("pts", "shm", "mqueue", "hugepages")


def private_devices():
    found = {name: os.lstat(os.path.join("/dev", name)) for name in os.listdir("/dev")}
    links = {name: os.readlink(os.path.join("/dev", name)) for name, st in found.items() if stat.S_ISLNK(st.st_mode)}
    kept = {name: os.open(os.path.join("/dev", name), os.O_PATH | os.O_DIRECTORY) for name in KEPT if name in found and stat.S_ISDIR(found[name].st_mode)}
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755,nosuid", "tyrum-test-dev", "/dev"], check=True)
    for name, st in found.items():
        node = os.path.join("/dev", name)
        if stat.S_ISCHR(st.st_mode):
            os.mknod(node, stat.S_IFCHR, st.st_rdev)
        elif stat.S_ISBLK(st.st_mode):
            os.mknod(node, stat.S_IFCHR, os.makedev(1, 5))
        else:
            continue
        os.chmod(node, 0o666 if name == "null" else stat.S_IMODE(st.st_mode))
    # A container or chroot may lack the device that a test gives away.
    if "kmsg" not in found:
        os.mknod("/dev/kmsg", stat.S_IFCHR | 0o644, os.makedev(1, 11))
    for name, target in links.items():
        os.symlink(target, os.path.join("/dev", name))
    for name, fd in kept.items():
        os.mkdir(os.path.join("/dev", name))
        subprocess.run(["mount", "--no-canonicalize", "--rbind", f"/proc/self/fd/{fd}", os.path.join("/dev", name)], check=True, pass_fds=[fd])
        os.close(fd)
    # The script's own streams are still the host's.
    for fd in range(3):
        if stat.S_ISCHR(os.fstat(fd).st_mode) and os.fstat(fd).st_rdev == os.makedev(1, 3):
            own = os.open("/dev/null", os.O_RDWR)
            os.dup2(own, fd)
            os.close(own)
    assert os.stat("/dev/null").st_dev == os.stat("/dev").st_dev != found["null"].st_dev, "these are the host's"


def owners(*more):
    """Owner and mode of every node of /dev, and of the paths in MORE."""
    paths = [os.path.join("/dev", name) for name in os.listdir("/dev") if stat.S_ISCHR(os.lstat(os.path.join("/dev", name)).st_mode)]
    return {path: (os.stat(path).st_uid, os.stat(path).st_gid, oct(os.stat(path).st_mode)) for path in sorted([*paths, *more])}
