# SPDX-License-Identifier: LGPL-2.1-or-later
"""The supervisor's side of tyrum-oci-libcrun-helper, for tests: bundles, descriptors, the socket, and waiting.

Everything is made in a mount namespace of the test's own. On a host with hybrid cgroups, which libcrun refuses,
that namespace has a view of /sys/fs/cgroup with nothing but the version 1 controllers.
"""
import ctypes, errno, json, os, platform, select, shutil, signal, socket, struct, subprocess, sys, tempfile, time

BUILD = os.environ.get("TYRUM_OCI_TEST_BUILDDIR", ".")
PROGRAM = os.path.abspath(os.environ.get("TYRUM_OCI_TEST_LAUNCH", os.path.join(BUILD, "tyrum-oci-libcrun-helper")))
INSIDE = "TYRUM_OCI_TEST_LAUNCH_INSIDE"
BUSYBOX = "/bin/busybox"
CGROUPS = "/sys/fs/cgroup"
PATIENCE = 20  # seconds, for anything that should take milliseconds

HEADER = struct.Struct("=IHHiiI")
MAGIC, VERSION = 0x4C525954, 1
CREATED, STARTED, FAILED = 1, 2, 3

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def prctl(option, value):
    if LIBC.prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


# ---- Surroundings


def enter_namespace():
    """Starts this script again in a new mount namespace; returns there."""
    if os.environ.get(INSIDE) != "1":
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv])
    del os.environ[INSIDE]
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def cgroup_mounts():
    """Pairs of file system type and mount point."""
    found = []
    with open("/proc/self/mounts", encoding="utf-8") as f:
        for line in f:
            _, where, kind = line.split()[:3]
            if kind in ("cgroup", "cgroup2"):
                found.append((kind, where))
    return found


def view_cgroups(work):
    """On a hybrid host, hides version 2 in this namespace."""
    mounts = cgroup_mounts()
    if {kind for kind, _ in mounts} != {"cgroup", "cgroup2"}:
        return
    view = os.path.join(work, "cgroup")
    os.mkdir(view)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", view], check=True)
    for kind, where in mounts:
        if kind == "cgroup":
            target = os.path.join(view, os.path.basename(where))
            os.mkdir(target)
            subprocess.run(["mount", "--bind", where, target], check=True)
    subprocess.run(["mount", "--rbind", view, CGROUPS], check=True)


def cgroup_directories(name):
    """The directories of a cgroup of that name, in any hierarchy."""
    places = sorted({where for _, where in cgroup_mounts()})
    return [p for p in (os.path.join(where, name) for where in places) if os.path.isdir(p)]


def remove_cgroup(name):
    for top in cgroup_directories(name):
        for directory, _, _ in os.walk(top, topdown=False):
            try:
                os.rmdir(directory)
            except OSError:
                pass


class Surroundings:
    """A directory with a root file system and a state directory, and a cgroup to put containers into."""

    def __init__(self):
        self.work = tempfile.mkdtemp(prefix="tyrum-launch-")
        os.chmod(self.work, 0o755)
        self.group = f"tyrum-launch-{os.getpid()}"
        self.state = os.path.join(self.work, "state")
        self.root = os.path.join(self.work, "root")
        self.count = 0
        os.mkdir(self.state, 0o700)
        for directory in ("bin", "proc", "dev", "tmp", "sys"):
            os.makedirs(os.path.join(self.root, directory))
        shutil.copy(BUSYBOX, os.path.join(self.root, "bin", "busybox"))
        os.symlink("busybox", os.path.join(self.root, "bin", "sh"))
        # libcrun's own guard puts files here, and leaves them if it is killed.
        self.guard = os.path.join(self.work, "guard")
        os.mkdir(self.guard)
        os.environ["_LIBCONTAINER_STATEDIR"] = self.guard
        view_cgroups(self.work)

    def clear(self):
        remove_cgroup(self.group)
        for number in range(self.count):  # a specification without a path for its group has one of the container's name
            remove_cgroup(f"c{number + 1}")
        for where in (CGROUPS, os.path.join(self.work, "cgroup")):
            subprocess.run(["umount", "-R", "-l", where], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(self.work, ignore_errors=True)

    def new_id(self):
        self.count += 1
        return f"c{self.count}"

    def spec(self, *args, **process):
        """A small spec; ARGS is a busybox command, or a shell script if it is a single one."""
        if len(args) == 1:
            args = ("sh", "-c", args[0])
        return {
            "ociVersion": "1.0.2",
            "process": {"user": {"uid": 0, "gid": 0}, "args": ["/bin/busybox", *args], "cwd": "/",
                        "env": ["PATH=/bin"], "noNewPrivileges": True, **process},
            "root": {"path": self.root, "readonly": True},
            "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"},
                       {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755"]}],
            "linux": {"namespaces": [{"type": kind} for kind in ("pid", "mount", "ipc", "uts", "network")]},
        }

    def bundle(self, name, spec):
        """Writes a bundle; SPEC is a document, or bytes, or None for no config.json."""
        directory = os.path.join(self.work, "bundle-" + name)
        os.mkdir(directory)
        if spec is not None:
            with open(os.path.join(directory, "config.json"), "wb") as f:
                f.write(spec if isinstance(spec, bytes) else json.dumps(spec).encode())
        return directory

    def states(self):
        """The state directory, without the cache of filters that a later libcrun keeps there."""
        return [name for name in os.listdir(self.state) if name != ".cache"]

    def left(self):
        """State and cgroups that containers have left."""
        return self.states() + [p for top in cgroup_directories(self.group) for p in
                                         (os.path.join(top, name) for name in os.listdir(top)) if os.path.isdir(p)]


# ---- Processes


def place_descriptors(wanted):
    """In a fork: makes WANTED[i] descriptor i, for all i, and inheritable."""
    high = [os.dup2(fd, 200 + i) for i, fd in enumerate(wanted)]
    for target, fd in enumerate(high):
        os.dup2(fd, target, inheritable=True)
        os.close(fd)


def start(argv, descriptors, env=None, before=None, program=None):
    """Starts ARGV with DESCRIPTORS as 0, 1, ...; other inheritable descriptors are passed as well."""
    pid = os.fork()
    if pid:
        return pid
    try:
        place_descriptors(descriptors)
        if before is not None:
            before()
        os.execve(argv[0] if program is None else program, argv, os.environ if env is None else env)
    finally:
        os._exit(111)


def wait_for(pid):
    """Waits for a child, with a deadline. Its status as in subprocess: a code, or minus a signal."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    raise AssertionError(f"process {pid} did not end")


def reap():
    """Waits for every child; those that do not end are killed and counted."""
    end, stuck = time.monotonic() + PATIENCE, 0
    while True:
        try:
            found, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return stuck
        if not found and time.monotonic() > end:
            for child in children():
                os.kill(child, signal.SIGKILL)
                stuck += 1
            end = time.monotonic() + PATIENCE
        if not found:
            time.sleep(0.005)


def children():
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as f:
        return [int(word) for word in f.read().split()]


def read_all(fd):
    """Everything up to the end of the stream, with a deadline."""
    data, end = b"", time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if select.select([fd], [], [], 0.1)[0]:
            chunk = os.read(fd, 65536)
            if not chunk:
                return data
            data += chunk
    raise AssertionError(f"no end of output; so far: {data!r}")


def status_of(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as f:
        return dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)


class Message:
    def __init__(self, data):
        assert len(data) >= HEADER.size, data
        magic, version, self.type, self.pid, self.errno, length = HEADER.unpack_from(data)
        self.text = data[HEADER.size:].decode()
        assert (magic, version, length) == (MAGIC, VERSION, len(data) - HEADER.size), data

    def __repr__(self):
        return f"<message {self.type} pid {self.pid} errno {self.errno} {self.text!r}>"


class Launch:
    """One run of the program, with pipes as the container's standard streams."""

    def __init__(self, around, spec, options=(), preserved=(), ident=None, bundle=None, **how):
        self.id = ident or around.new_id()
        self.bundle = bundle or around.bundle(self.id + os.urandom(3).hex(), spec)
        self.stdin, self.out, self.err = os.pipe(), os.pipe(), os.pipe()
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.control.settimeout(PATIENCE)
        argv = [PROGRAM, "--bundle", self.bundle, "--state", how.pop("state", around.state), "--id", self.id,
                "--preserve-fds", str(len(preserved)), *options]
        self.process = start(argv, [self.stdin[0], self.out[1], self.err[1], *preserved, theirs.fileno()], **how)
        theirs.close()
        for fd in (self.stdin[0], self.out[1], self.err[1]):
            os.close(fd)
        self.pid = None

    def hear(self):
        """The next message, or None when the socket was closed."""
        data = self.control.recv(HEADER.size + 4096 + 1)
        return Message(data) if data else None

    def expect(self, kind):
        message = self.hear()
        assert message is not None and message.type == kind, message or "the socket was closed"
        self.pid = message.pid or self.pid
        return message

    def started(self):
        self.expect(CREATED)
        self.expect(STARTED)
        assert wait_for(self.process) == 0
        return self

    def finish(self):
        """Waits for a started container: its status, standard output and standard error."""
        self.end_input()
        out, err = read_all(self.out[0]), read_all(self.err[0])
        status = wait_for(self.pid)
        self.close()
        return status, out.decode(), err.decode()

    def failed(self):
        """Expects a failure without output on the standard streams."""
        message = self.expect(FAILED)
        assert self.hear() is None
        assert wait_for(self.process) == 1
        output = read_all(self.out[0]), read_all(self.err[0])
        assert output == (b"", b""), output
        self.close()
        return message

    def end_input(self):
        if self.stdin is not None:
            os.close(self.stdin[1])
            self.stdin = None

    def close(self):
        self.end_input()
        self.control.close()
        os.close(self.out[0])
        os.close(self.err[0])


def forget(around, launch):
    """Removes what a container leaves when it ends, as the supervisor does."""
    shutil.rmtree(os.path.join(around.state, launch.id), ignore_errors=True)
    remove_cgroup(os.path.join(around.group, launch.id))


# ---- A filter that makes chosen system calls fail


def deny_calls(numbers, error=errno.ENOSYS):
    """In a fork: from now on these calls, by number, fail."""
    code = [struct.pack("=HBBI", 0x20, 0, 0, 0)]  # load the number
    for i, number in enumerate(numbers):
        code.append(struct.pack("=HBBI", 0x15, len(numbers) - i, 0, number))  # equal: jump to the end
    code.append(struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF0000))  # allow
    code.append(struct.pack("=HBBI", 0x06, 0, 0, 0x00050000 | error))
    text = ctypes.create_string_buffer(b"".join(code))
    program = struct.pack("HP", len(code), ctypes.addressof(text))
    if LIBC.prctl(38, 1, 0, 0, 0) != 0 or LIBC.prctl(22, 2, ctypes.create_string_buffer(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def ignore_by_system_call(number):
    action = struct.pack("=QQQQ", 1, 0, 0, 0)  # SIG_IGN
    call = {"x86_64": 13, "aarch64": 134}[platform.machine()]
    if LIBC.syscall(ctypes.c_long(call), number, ctypes.c_char_p(action), None, ctypes.c_long(8)) != 0:
        raise OSError(ctypes.get_errno(), "rt_sigaction")
