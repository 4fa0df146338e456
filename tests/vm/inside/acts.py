# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does things, under an AppArmor profile or without, and prints how each went: "ok", or the name of an error.

  acts.py PROFILE|- PID ACT...

It runs as root; PID is of a process that is not confined. Each act has a process, a mount and a uts namespace of its own. What
it needs is made ready before it is confined, and what it opens it does not write to.
"""
import ctypes, errno, os, socket, subprocess, sys

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, CLONE_NEWUTS, MS_REC, MS_PRIVATE = 0x20000, 0x4000000, 0x4000, 0x40000
MS_REMOUNT, MS_RDONLY, PIVOT_ROOT, PTRACE_SEIZE, AF_PACKET = 32, 1, 155, 0x4206, 17
ROOT = "/mnt"


def check(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "")


def mount(source, target, kind, flags=0):
    check(LIBC.mount(source, target.encode(), kind, flags, None))


def new_root():
    mount(b"none", ROOT, b"tmpfs")
    os.mkdir(f"{ROOT}/old")


def open_for(flags, name):
    return lambda: os.close(os.open(name, flags))


def reading(name):
    return open_for(os.O_RDONLY, name)


def writing(name):
    return open_for(os.O_WRONLY, name)


def make_socket(*kind):
    return lambda: socket.socket(*kind).close()


OTHER = int(sys.argv[2])

# What is made ready first, and what is tried.
ACTS = {
    "mount": (None, lambda: mount(b"none", ROOT, b"tmpfs")),
    "remount": (new_root, lambda: mount(None, ROOT, None, MS_REMOUNT | MS_RDONLY)),
    "pivot_root": (new_root, lambda: check(LIBC.syscall(PIVOT_ROOT, ROOT.encode(), f"{ROOT}/old".encode()))),
    "capability": (None, lambda: check(LIBC.sethostname(b"changed", 7))),
    "packet": (None, make_socket(AF_PACKET, socket.SOCK_DGRAM)),
    "raw4": (None, make_socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)),
    "raw6": (None, make_socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)),
    "write_proc_sys": (None, writing("/proc/sys/kernel/domainname")),
    "write_sysrq": (None, writing("/proc/sysrq-trigger")),
    "read_kcore": (None, reading("/proc/kcore")),
    "read_kallsyms": (None, reading("/proc/kallsyms")),
    "read_keys": (None, reading("/proc/keys")),
    "write_sys": (None, writing("/sys/kernel/mm/transparent_hugepage/enabled")),
    "write_cgroup": (None, writing("/sys/fs/cgroup/cgroup.procs")),
    "read_firmware": (None, lambda: os.listdir("/sys/firmware/acpi")),
    "read_security": (None, reading("/sys/kernel/security/lsm")),
    "signal_other": (None, lambda: os.kill(OTHER, 0)),
    "trace_other": (None, lambda: check(LIBC.ptrace(PTRACE_SEIZE, OTHER, 0, 0))),
    "look_into_other": (None, lambda: os.readlink(f"/proc/{OTHER}/exe")),
    # What is left to the run.
    "stream4": (None, make_socket(socket.AF_INET, socket.SOCK_STREAM)),
    "stream6": (None, make_socket(socket.AF_INET6, socket.SOCK_STREAM)),
    "unix": (None, make_socket(socket.AF_UNIX, socket.SOCK_STREAM)),
    "netlink": (None, make_socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)),
    "write_file": (None, lambda: open(f"{ROOT}/file", "w", encoding="ascii").close()),
    "write_own_name": (None, writing("/proc/self/comm")),
    "read_proc_sys": (None, reading("/proc/sys/kernel/ostype")),
    "read_sys": (None, reading("/sys/kernel/mm/transparent_hugepage/enabled")),
    "execute": (None, lambda: subprocess.run(["/usr/bin/true"], check=True)),
    "signal_own": (None, lambda: os.kill(os.getpid(), 0)),
    "look_into_own": (None, lambda: os.readlink("/proc/self/exe")),
}


def one(profile, name):
    ready, act = ACTS[name]
    check(LIBC.unshare(CLONE_NEWNS | CLONE_NEWUTS))
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    if ready is not None:
        ready()
    if profile != "-":
        with open("/proc/self/attr/apparmor/current", "w", encoding="ascii") as f:
            f.write(f"changeprofile {profile}")
    try:
        act()
        return "ok"
    except OSError as wrong:
        return errno.errorcode[wrong.errno]


for wanted in sys.argv[3:]:
    child = os.fork()
    if child == 0:
        try:
            print(wanted, one(sys.argv[1], wanted), flush=True)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
