# SPDX-License-Identifier: LGPL-2.1-or-later
"""The system calls of a run, as points at which something can happen: learned from a good run, named for any other.

Environment:
  TYRUM_OCI_TEST_FAULTS   "all": every call; a number: about so many for each program (default 40), the same ones every time
  TYRUM_OCI_TEST_FAULT    "ROLE CALL N": only this one, with what happened
"""
import errno, os, re

from faults import Place, call, path, read, tool

FAULTS = os.environ.get("TYRUM_OCI_TEST_FAULTS", "40")
ONLY = os.environ.get("TYRUM_OCI_TEST_FAULT")
PROGRAMS = ("front", "supervisor", "stage", "launch", "init")

# Roles of libcrun's: the process that works for libcrun-helper, and the one that becomes the container's first process.
WORKER, BELOW_WORKER = r"0\+2\.1\+\d+\.1$", r"0\+2\.1\+\d+\.1\."

# Calls that cannot fail with the arguments used here: kill is for our own children, and a futex is private.
NEVER = set("rt_sigaction rt_sigprocmask rt_sigreturn getpid gettid getppid getuid geteuid getgid getegid getpgrp umask exit "
            "exit_group brk arch_prctl set_tid_address set_robust_list rseq uname getresuid getresgid alarm pause kill "
            "clock_gettime sched_yield restart_syscall futex".split())

# The errno of a call when a resource runs out; for calls that are not listed, EIO.
ERRORS = {
    errno.ENOMEM: "mmap mprotect munmap clone clone3 fork vfork mount open_tree move_mount mount_setattr unshare setns execve "
                  "execveat seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self sendmsg socketpair poll "
                  "fanotify_mark",
    errno.EMFILE: "openat open openat2 socket pipe pipe2 dup dup2 dup3 fcntl memfd_create pidfd_open timerfd_create signalfd4 "
                  "eventfd2 fanotify_init epoll_create1 accept accept4 recvmsg",
    errno.ENOSPC: "write pwrite64 mkdir mkdirat symlink symlinkat renameat fsync ftruncate mknod mknodat",
    errno.EPERM: "prctl setresuid setresgid setuid setgid setgroups capset capget fchown fchmod fchmodat chmod kill "
                 "pidfd_send_signal setsid prlimit64 setrlimit sethostname setdomainname keyctl personality chroot pivot_root "
                 "umount umount2 ioctl unlink unlinkat rmdir chdir fchdir setxattr",
    errno.EAGAIN: "timer_create",
}
ERROR_OF = {name: number for number, names in ERRORS.items() for name in names.split()}


def error_of(point):
    return ERROR_OF.get(point[1], errno.EIO)


def is_slow(point):
    """libcrun goes round for ever where it cannot look at the target of a mount, and waits for ever where it cannot write to
    its own child. The supervisor ends it after 60 seconds, too long for all but the whole walk."""
    return bool(re.match({"statx": BELOW_WORKER, "write": WORKER}.get(point[1], "never"), point[0]))


def own_crashes():
    """Processes that crashed, without those of libcrun's own: it stores an error where there is no place for one when its parent
    is gone, in a process that is about to end."""
    return [line for line in log("crashed") if not re.match(BELOW_WORKER, line.split()[1])]


def injected(*more):
    return [tool("inject"), "--log", path("inject.log"), *more]


def log(*kinds):
    """The lines of the last run's log that begin with one of KINDS."""
    lines = read(path("inject.log")).decode("utf-8", "replace").splitlines()
    return [line for line in lines if line.split(" ", 1)[0] in kinds]


def who(role, program):
    """Which of our programs makes a call; None for the command's own calls."""
    if program == "tyrum-oci":
        return "front"
    if program == "tyrum-oci-cli":
        return "supervisor" if role == "0+2" else "stage"
    return "launch" if program.startswith(("libcrun-helper", "tyrum-oci-libcrun-helper", "memfd:tyrum")) else "init" if program == "init" else None


class Learned(Place):
    """POINTS by program: (role, name, nth) in the order in which the calls are made."""
    def __init__(self, backend, **more):
        super().__init__(backend, prefix=injected(), **more)
        self.points = {name: [] for name in PROGRAMS}
        loaded = set()
        for words in map(str.split, log("call")):
            # The loader's last call unmaps its cache of libraries; calls before that are libc's. Client and init are static.
            if len(words) == 5 and words[3] == "munmap":
                loaded.add(words[1])
            ours = words[1] in loaded or words[2] in ("tyrum-oci", "init") or not re.search(r"\+\d+$", words[1])
            if len(words) == 5 and ours and who(words[1], words[2]) is not None and words[3] not in NEVER:
                self.points[who(words[1], words[2])].append((words[1], words[3], int(words[4])))
        self.check(self.run(injected()))

    def at(self, point, *what):
        """One run in which WHAT happens at POINT."""
        role, name, nth = point
        return self.run(injected("--call", name, "--in", role, "--nth", str(nth), *what))


_learned = {}


def learned(backend="libcrun", **more):
    """Once for all cases."""
    if backend not in _learned:
        _learned[backend] = Learned(backend, **more)
    return _learned[backend]


def chosen(points):
    """All of them, or some: the first of each call in each process, then others spread evenly."""
    if ONLY:
        return [p for p in points if " ".join(map(str, p)) == ONLY]
    if FAULTS == "all":
        return points
    points = [p for p in points if not is_slow(p)]
    if len(points) <= int(FAULTS):
        return points
    first = [p for p in points if p[2] == 1]
    others = [p for p in points if p[2] != 1]
    room = max(int(FAULTS) - len(first), int(FAULTS) // 3)
    some = set(first[::max(1, len(first) // int(FAULTS) + 1)]) | set(others[::max(1, len(others) // room)])
    return [p for p in points if p in some]


def walk(points, once, backend="libcrun"):
    """Calls ONCE with each of POINTS; failures are collected, so that one does not hide the others. ONCE returns the
    outcome and whether gc was needed."""
    wrong, struck, swept, through = [], 0, 0, 0
    for point in points:
        outcome = None
        try:
            outcome, gc = once(point)
            struck, swept, through = struck + bool(log("struck")), swept + gc, through + (outcome.code == 0)
        except AssertionError as told:
            wrong.append(f"{' '.join(map(str, point))}: {' '.join(log('struck', 'crashed'))}: {str(told)[:400]}")
            call("gc", seconds=120)
            learned(backend).look_first()  # leftovers must not count for the next one
        if ONLY or (outcome and outcome.seconds > SLOW):
            print(f"# {outcome.seconds if outcome else -1:.0f} s: {log('struck') or point}: {str(outcome)[:300]}", flush=True)
    print(f"# {len(points)} points: {struck} struck, {through} runs got through, {swept} needed gc", flush=True)
    assert not wrong, f"{len(wrong)} wrong:\n" + "\n".join(wrong)
    # A few of the calls depend on scheduling.
    assert ONLY or struck >= len(points) * 9 // 10, "too few of the calls were made again"


SLOW = 5  # seconds, from which on it is reported
