# SPDX-License-Identifier: LGPL-2.1-or-later
"""Inspects a run from inside and prints the results as JSON. Tries only what its arguments ask for.

  python3 -c SOURCE '{"read": [PATH...], "call": true, ...}'

Nothing here does harm where it succeeds: what is mounted, unshared or attached to is this process's own.
"""
import ctypes, errno, json, os, platform, signal, socket, sys

NUMBERS = {
    "x86_64": {"mount": 165, "unshare": 272, "setns": 308, "ptrace": 101, "keyctl": 250, "add_key": 248, "getpid": 39,
               "bpf": 321, "open_by_handle_at": 304},
    "aarch64": {"mount": 40, "unshare": 97, "setns": 268, "ptrace": 117, "keyctl": 219, "add_key": 217, "getpid": 172,
                "bpf": 280, "open_by_handle_at": 265},
}
CLONE_NEWUTS, PTRACE_ATTACH, PTRACE_DETACH, KEYCTL_GET_KEYRING_ID, PROCESS_KEYRING = 0x4000000, 16, 17, 0, -2


def attempt(act):
    """What ACT gave, or the name of its error."""
    try:
        return act()
    except OSError as wrong:
        return errno.errorcode.get(wrong.errno, str(wrong.errno))


def read(path):
    """How many bytes of a file, or names of a directory, can be read; 0 counts as unreadable."""
    if os.path.isdir(path):
        return len(os.listdir(path))
    with open(path, "rb") as f:
        return len(f.read(4096))


def write(directory):
    name = os.path.join(directory, "made-by-a-test")
    with open(name, "wb") as f:
        f.write(b"x")
    os.unlink(name)
    return "ok"


def writable():
    """Directories near the root, and on every mount, in which a file can be made."""
    tried = set()
    for top in ["/", *(line.split()[1] for line in open("/proc/self/mounts", encoding="utf-8"))]:
        tried.add(top)
        for name in attempt(lambda: os.listdir(top)) if os.path.isdir(top) else ():
            tried.add(os.path.join(top, name))
    skip = ("/proc/", "/sys/fs/cgroup/")
    return sorted(f for f in tried if os.path.isdir(f) and not os.path.islink(f) and not f.startswith(skip)
                  and attempt(lambda: write(f)) == "ok")


def call(name, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    raw = [a if isinstance(a, bytes) else ctypes.c_long(a) for a in arguments]
    result = libc.syscall(ctypes.c_long(NUMBERS[platform.machine()][name]), *raw)
    return "ok" if result >= 0 else errno.errorcode[ctypes.get_errno()]


def calls():
    found = {"getpid": call("getpid")}
    own = os.open("/proc/self/ns/uts", os.O_RDONLY)
    found["unshare"] = call("unshare", CLONE_NEWUTS)
    found["setns"] = call("setns", own, CLONE_NEWUTS)
    os.close(own)
    found["mount"] = call("mount", b"none", b"/tmp", b"tmpfs", 0, b"size=4k")
    found["keyctl"] = call("keyctl", KEYCTL_GET_KEYRING_ID, PROCESS_KEYRING, 1)
    found["add_key"] = call("add_key", b"user", b"tyrum-test", b"x", 1, PROCESS_KEYRING)
    found["ptrace"] = call("ptrace", PTRACE_ATTACH, 1, 0, 0)
    if found["ptrace"] == "ok":
        os.waitpid(1, 0x40000000)
        call("ptrace", PTRACE_DETACH, 1, 0, 0)
    return found


def connect(family, address, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as s:
        s.settimeout(5)
        s.connect("\0" + address if family == socket.AF_UNIX else tuple(address))
    return "ok"


def network(port, name):
    with socket.socket() as own:
        own.bind(("127.0.0.1", 0))
        own.listen()
        return {"interfaces": [name for _, name in attempt(socket.if_nameindex)],
                "host": attempt(lambda: connect(socket.AF_INET, ("127.0.0.1", port))),
                "abstract": attempt(lambda: connect(socket.AF_UNIX, name)),
                "away": attempt(lambda: connect(socket.AF_INET, ("192.0.2.1", 9), socket.SOCK_DGRAM)),
                "own": attempt(lambda: connect(socket.AF_INET, own.getsockname()))}


def status():
    with open("/proc/self/status", encoding="utf-8") as f:
        return dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)


def descriptors():
    found = {}
    for fd in range(1024):
        try:
            os.fstat(fd)
        except OSError:
            continue
        found[fd] = attempt(lambda: os.readlink(f"/proc/self/fd/{fd}"))
    return found


def process():
    mask = os.umask(0)
    os.umask(mask)
    return {"umask": mask, "cwd": os.getcwd(), "uid": os.getuid(), "gid": os.getgid(), "groups": os.getgroups(),
            "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])), "tty": attempt(lambda: read("/dev/tty")),
            "ignored": [n for n in (1, 2, 3, 10, 15) if signal.getsignal(n) == signal.SIG_IGN], "session": os.getsid(0)}


def commands():
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        attempt(lambda: found.append(open(f"/proc/{name}/cmdline", "rb").read().decode("utf-8", "replace")))
    return found


def look(asked):
    every = {"calls": calls, "status": status, "descriptors": descriptors, "process": process, "commands": commands,
             "writable": writable, "environment": lambda: dict(os.environ)}
    found = {name: look_at() for name, look_at in every.items() if asked.get(name)}
    found["read"] = {path: attempt(lambda: read(path)) for path in asked.get("read", ())}
    found["write"] = {path: attempt(lambda: write(path)) for path in asked.get("write", ())}
    found["open"] = {path: attempt(lambda: os.close(os.open(path, os.O_WRONLY)) or "ok") for path in asked.get("open", ())}
    if "network" in asked:
        found["network"] = network(*asked["network"])
    return found


print(json.dumps(look(json.loads(sys.argv[1]))))
