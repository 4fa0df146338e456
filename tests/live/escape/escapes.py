# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of known escapes share: the program that attacks, canaries, a host that may be attacked, and a container that
holds nothing.

Nothing here can harm the host where an attack gets through. The programs that could be overwritten are copies: those of the
harness, and copies of the runtimes that cover the real ones in the test's own mount namespace, each with a mark at its end
without which the attack writes nothing. Files of the host's are canaries. Settings are written with the value they have, or
only opened.

A case whose attack is held proves something only if the same attack is seen where nothing holds it: `loose` is a container of
runc's as root, with every capability, without filter, masks or a network namespace of its own.
"""
import contextlib, hashlib, os, shutil, socket, struct, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "engine"))
import engines, harness
from harness import environment, directory, path, read, tree, write

ATTACK = os.path.join(harness.BUILD, "tests", "live", "escape", "attack")
SECRET = "the-host's-own-and-nobody-else's"
MARK = b"tyrum-escape: this may be overwritten"
SOCKET = f"tyrum-escape-{os.urandom(6).hex()}"
SETTINGS = ("kernel/core_pattern", "kernel/hostname", "kernel/randomize_va_space", "vm/overcommit_memory")
LEAKED = (3, 4, 5, 7, 8, 9, 20, 47, 200)

# gVisor cannot start a read-only root in a user namespace: it gets the rest of 'hardened'.
WITHOUT_USERS = "hardened-without-users"

# The controls that must be waived on a backend, for 'hardened'.
UNENFORCED = {"docker": ("user.namespace",), "oci:runsc": ("paths.hidden", "namespace.cgroup", "limits.pids"),
              "docker:runsc": ("paths.hidden", "namespace.cgroup", "limits.pids", "limits.memory", "limits.cpu")}


def strictness(backend, profile):
    """Keyword arguments of a launch with PROFILE on BACKEND."""
    if profile != "hardened":
        return {"profile": profile}
    name = profile
    if backend.endswith("runsc"):
        name = harness.profile(WITHOUT_USERS, extends="hardened", process={"user_namespace": "host"})
    return {"profile": name, "options": [word for what in UNENFORCED.get(backend, ()) for word in ("--accept-unenforced", what)]}


# ---- A host that may be attacked.

def marked(source, where, mode=0o755):
    """A copy with a mark at its end."""
    content = read(source) + MARK
    os.makedirs(os.path.dirname(where), exist_ok=True)
    with open(where, "wb") as f:
        f.write(content)
    os.chmod(where, mode)
    return where


def cover_runtimes():
    """In the test's own mount namespace, so that every call of a runtime here is one of a copy."""
    for name in ("crun", "runc", "runsc"):
        real = shutil.which(name, path=environment()["PATH"])
        if real is not None:
            copy = marked(os.path.realpath(real), path("covering", name))
            subprocess.run(["mount", "--bind", copy, os.path.realpath(real)], check=True)
    for name in os.listdir(path("bin")):
        marked(path("bin", name), path("bin", name))


def programs():
    return {where: hashlib.sha256(read(where)).hexdigest() for top in ("covering", "bin")
            for where in sorted(e.path for e in os.scandir(path(top)))}


def make_canaries(name):
    """One that any user may read, one that only root may read, one that only root may write."""
    where = directory(name)
    write(f"{name}/canary", SECRET)
    write(f"{name}/secret", SECRET, 0o600)
    write(f"{name}/open", "as it was", 0o644)
    return where


def make_workspace(name, canaries):
    """With the attack in it, programs that raise privileges, and other names of the canaries."""
    ws = directory(name, owner=10001)
    for name, mode in (("attack", 0o755), ("attack-setuid", 0o6755), ("attack-capable", 0o755)):
        shutil.copy(ATTACK, os.path.join(ws, name))
        os.chmod(os.path.join(ws, name), mode)
    # Version 2, effective; CAP_CHOWN both permitted and inheritable.
    os.setxattr(os.path.join(ws, "attack-capable"), "security.capability", struct.pack("<IIIII", 0x02000001, 1, 1, 0, 0))
    os.link(os.path.join(canaries, "secret"), os.path.join(ws, "linked-secret"))
    os.link(os.path.join(canaries, "open"), os.path.join(ws, "linked-open"))
    return ws


def make_hostile_root():
    """The root of an image that expects a runtime to follow its links, or to trust its /proc."""
    root = engines_make_root()
    for name in ("null", "console", "ptmx", "pts/0", "tty"):
        where = os.path.join(root, "dev", name)
        os.makedirs(os.path.dirname(where), exist_ok=True)
        os.symlink("/canary", where)
    write("busybox/canary", SECRET, 0o666)
    for name in ("sys/kernel/core_pattern", "self/attr/current", "self/status", "kcore"):
        write(f"busybox/proc/{name}", SECRET, 0o666)
    return root


def rooted(backend, name, root):
    """BACKEND with another root, for engines as an image."""
    words, program = harness.BACKENDS[backend]
    if backend in engines.ENGINES:
        engine, tag = engines.ENGINES[backend], f"tyrum-{name}:1"
        tar = subprocess.run(["tar", "-C", root, "-c", "."], check=True, stdout=subprocess.PIPE).stdout
        where = f"/images/create?fromSrc=-&repo={tag[:-2]}&tag=1" if engine is engines.docker else f"/images/import?reference={tag}"
        status, body = engine.call("POST", where, tar, "application/x-tar")
        assert status == 200, body
        root = tag
    at = words.index("--image" if backend in engines.ENGINES else "--rootfs")
    harness.BACKENDS[f"{backend} {name}"] = ([*words[:at + 1], root, *words[at + 2:]], program)
    return f"{backend} {name}"


def set_up_host():
    harness_set_up()
    cover_runtimes()


class Host:
    """What an attack must not have changed: `with Host(ws):`"""
    def __init__(self, ws):
        self.ws = ws
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.setblocking(False)

    def seen(self):
        return {"programs": programs(), "canaries": [entry[:4] + entry[5:] for entry in tree(path("canaries"))],
                "settings": {name: read(f"/proc/sys/{name}") for name in SETTINGS},
                "workspace": [entry[:4] for entry in tree(self.ws)], "mounts": harness.mounts()}

    def __enter__(self):
        self.before = self.seen()
        self.listener.bind("\0" + SOCKET)
        self.listener.listen()
        return self

    def visited(self):
        with contextlib.suppress(BlockingIOError):
            self.listener.accept()[0].close()
            return True
        return False

    def __exit__(self, wrong, *unused):
        visited = self.visited()
        self.listener.close()
        if wrong is None:
            after = self.seen()
            changed = [name for name in after if after[name] != self.before[name]]
            assert not changed, f"changed on the host: {changed}: {[(self.before[n], after[n]) for n in changed]}"
            assert not visited, "somebody connected to the host's socket"


@contextlib.contextmanager
def leaking(where):
    """Descriptors of a directory of the host's, under several numbers, for a child to inherit."""
    first = os.open(where, os.O_RDONLY | os.O_DIRECTORY)
    high = os.dup2(first, 300)
    os.close(first)
    taken = [os.dup2(high, number) for number in LEAKED if not os.path.exists(f"/proc/self/fd/{number}")]
    try:
        yield (high, *taken)
    finally:
        for number in (high, *taken):
            os.close(number)


# ---- The attack.

def once(function):
    """Runs FUNCTION once for the same arguments; later calls return the same value, or raise the same error."""
    known = {}

    def ask(*arguments):
        if arguments not in known:
            try:
                known[arguments] = (function(*arguments), None)
            except Exception as wrong:  # fails each case that needs the value
                known[arguments] = (None, wrong)
        found, wrong = known[arguments]
        if wrong is not None:
            raise wrong
        return found
    return ask


def words(canary, *names):
    return [f"secret={SECRET}", f"canary={canary}", f"socket={SOCKET}", f"mark={MARK.decode()}", *names]


def answers(output):
    """What the attack printed: its verdict by the name of the attack."""
    return dict(line.split("\t", 1) for line in output.decode(errors="replace").splitlines() if "\t" in line)


# ---- A container without containment.

CAPABILITIES = [f"CAP_{name}" for name in ("CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP NET_RAW "
                                           "SYS_ADMIN SYS_PTRACE SYS_CHROOT MKNOD SYSLOG").split()]


def loose_config(script, ws, canaries):
    def bind(source, target):
        return {"destination": target, "type": "bind", "source": source, "options": ["bind", "rw"]}
    return {
        "ociVersion": "1.0.2",
        "process": {"user": {"uid": 0, "gid": 0}, "args": ["/bin/sh", "-c", script], "cwd": "/workspace", "env": ["PATH=/bin"],
                    "noNewPrivileges": False,
                    "capabilities": {k: CAPABILITIES for k in ("bounding", "effective", "inheritable", "permitted")}},
        "root": {"path": path("loose", "root"), "readonly": False},
        "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"},
                   {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["mode=755"]},
                   {"destination": "/sys", "type": "sysfs", "source": "sysfs"},
                   {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs"},
                   bind(path("loose", "cgroup"), "/sys/fs/cgroup"), bind(ws, "/workspace"), bind(canaries, canaries)],
        "linux": {"namespaces": [{"type": t} for t in ("pid", "ipc", "uts", "mount")],
                  "resources": {"devices": [{"allow": True, "access": "rwm"}]}, "cgroupsPath": f"/{SOCKET}"}}


def loose(script, ws, canaries, leak=None):
    """What SCRIPT prints in the loose container. The root is a copy, and everything bound is the test's own."""
    root = path("loose", "root")
    if not os.path.isdir(root):
        os.makedirs(os.path.join(root, canaries.lstrip("/")))
        shutil.copytree(path("busybox", "bin"), os.path.join(root, "bin"), symlinks=True)
        write("loose/cgroup/memory/release_agent")
    write("loose/config.json", loose_config(script, ws, canaries))
    base, run = ["runc", "--root", path("loose", "state")], ["run", "--bundle", path("loose"), SOCKET]
    if leak is not None:
        base, run = ["sh", "-c", 'exec "$@" 3<"$0"', leak, *base], ["run", "--preserve-fds", "1", *run[1:]]
    try:
        done = subprocess.run([*base, *run], env=environment(), timeout=60, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
    finally:
        subprocess.run([*base, "delete", "--force", SOCKET], env=environment(), stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=60, check=False)
    assert done.returncode == 0, done
    return answers(done.stdout)


engines_make_root, engines.make_root = engines.make_root, make_hostile_root
harness_set_up, engines.harness_set_up = engines.harness_set_up, set_up_host


def main():
    if not os.access(ATTACK, os.X_OK):
        harness.absent("the program that attacks was not built: 'make check' does")
    return engines.main()
