# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts what is on the test's host: processes, mounts, cgroups, namespaces, descriptors, disk and memory.

The test is in a pid and a mount namespace of its own, so what is counted is its own. Engines that are running grow by
themselves: what they hold is told, and not counted against a run.
"""
import ctypes, os, subprocess, time

from harness import STATE, STORAGE, cgroups, mounts, path, processes, read

ENGINE_PROGRAMS = (b"dockerd", b"containerd", b"podman", b"conmon", b"unshare")
KINDS = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts", "time")
SHM_STAT_FILE = "/proc/sysvipc/shm"
IPC_PRIVATE, IPC_RMID = 0, 0


def numbers():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def of_engine(line):
    return any(os.path.basename(word).startswith(ENGINE_PROGRAMS) for word in line.split()[:1])


def namespaces():
    """Of all our processes, and those that a mount holds."""
    found = {line.split()[3] for line in mounts().splitlines() if b" - nsfs " in line}
    for pid in numbers():
        for kind in KINDS:
            try:
                found.add(os.readlink(f"/proc/{pid}/ns/{kind}").encode())
            except OSError:
                pass
    return len(found)


def descriptors(engines):
    count = 0
    for pid, line in processes().items():
        if of_engine(line) == engines and pid != 1:
            try:
                count += len(os.listdir(f"/proc/{pid}/fd")) - (pid == os.getpid())
            except OSError:
                pass
    return count


def resident(engines):
    """Kilobytes of the processes that are there."""
    count = 0
    for pid, line in processes().items():
        if of_engine(line) == engines and pid not in (1, os.getpid()):
            try:
                for field in read(f"/proc/{pid}/status").splitlines():
                    if field.startswith(b"VmRSS:"):
                        count += int(field.split()[1])
            except OSError:
                pass
    return count


def files(top, without=()):
    """How many files are below TOP, which may change meanwhile."""
    count = 0
    for at, directories, names in os.walk(top):
        directories[:] = [name for name in directories if os.path.join(at, name) not in without]
        count += len(directories) + len(names)
    return count


def used(top):
    """Pages of a file system of the test's own."""
    fs = os.statvfs(top)
    return fs.f_blocks - fs.f_bfree


def shared_memory():
    return len(read(SHM_STAT_FILE).splitlines()) - 1 + len(os.listdir("/dev/shm"))


class Ledger:
    def __init__(self, engines):
        self.engines = engines
        lines = processes().values()
        journal = os.path.join(STORAGE, "journal")
        self.counted = {
            "processes": sum(not of_engine(line) for line in lines),
            "mounts": len(mounts().splitlines()),
            "cgroups": len(cgroups()),
            "namespaces": namespaces(),
            "descriptors": descriptors(False),
            "disk: files of state": files(STATE),
            "disk: pages of state": used(STATE),
            "disk: files of storage, without the journal": files(STORAGE, (journal,)),
            "disk: files of the test": files(path(), tuple(engine.directory for engine in set(engines.values()))),
            "memory: shared segments and files": shared_memory(),
            "memory: of processes that are left, kB": resident(False),
            "containers of engines": sum(len(engine.containers()) for engine in set(engines.values()) if engine.process),
        }
        self.told = {
            "(journal, kB)": sum(os.path.getsize(os.path.join(journal, name)) for name in os.listdir(journal)) // 1024
            if os.path.isdir(journal) else 0,
            "(engines' descriptors)": descriptors(True),
            "(engines' memory, kB)": resident(True),
        }

    def grown(self, before):
        return {name: count - before.counted[name] for name, count in self.counted.items() if count > before.counted[name]}

    def settled(self, before, seconds=30):
        """What has grown and does not shrink again."""
        until = time.monotonic() + seconds
        while Ledger(self.engines).grown(before) and time.monotonic() < until:
            time.sleep(0.5)
        return Ledger(self.engines).grown(before)

    @staticmethod
    def leave_everything(undo):
        """One of everything, until UNDO."""
        holder = subprocess.Popen(["unshare", "--net", "sleep", "1000"])
        undo.callback(lambda: (holder.kill(), holder.wait()))
        subprocess.run(["mount", "-t", "tmpfs", "tyrum-left", path("home")], check=True)
        undo.callback(lambda: subprocess.run(["umount", path("home")], check=True))
        fd = os.open("/", os.O_RDONLY)
        undo.callback(os.close, fd)
        run = os.path.join(STATE, "runs", "r-00000000000000ff")
        os.mkdir(run)
        undo.callback(os.rmdir, run)
        group = next(g for g in ("/sys/fs/cgroup/pids", "/sys/fs/cgroup") if os.path.isdir(g)) + "/tyrum-oci-r-00000000000000ff"
        os.mkdir(group)
        undo.callback(os.rmdir, group)
        for where in (os.path.join(STATE, "stray"), os.path.join(STORAGE, "stray"), path("stray")):
            with open(where, "wb") as f:
                f.write(b"x" * 9000)
            undo.callback(os.unlink, where)
        libc = ctypes.CDLL(None, use_errno=True)
        segment = libc.shmget(IPC_PRIVATE, 4096, 0o1600)
        undo.callback(lambda: libc.shmctl(segment, IPC_RMID, None))
        time.sleep(0.3)
