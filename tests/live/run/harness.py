# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of launching share: namespaces and directories of their own, ways to launch, and TAP.

A script that imports this runs its cases, each under every backend it names, in a mount and a pid namespace of its own:
the state directory is a tmpfs that nobody else uses, /dev has nodes of the test's own, every process belongs to the test, and all of
it ends with the script.
Mounts there are shared among themselves, as systemd has it on most hosts, so that one that leaks is seen. A case is a
function; its first line is its name. Needs root and the programs of a build. Environment:
  TYRUM_OCI_TEST_BUILDDIR   where our programs are (default: build below the source tree)
  TYRUM_OCI_TEST_SRCDIR     the source tree
  TYRUM_OCI_TEST_BACKENDS   names of the backends that are meant to be there; cases of others are left out without a word
"""
import atexit, contextlib, ctypes, itertools, json, os, re, select, shutil, signal, struct, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from clean import remove_tree
from devices import private_devices
TOP = os.environ.get("TYRUM_OCI_TEST_SRCDIR", os.path.dirname(os.path.dirname(os.path.dirname(HERE))))
BUILD = os.environ.get("TYRUM_OCI_TEST_BUILDDIR", os.path.join(TOP, "build"))
STATE = "/run/tyrum-oci"
STORAGE = "/var/lib/tyrum-oci"  # the journal, and unpacked images
PYTHON = "/usr/bin/python3"


def declared():
    """The program's own matrix of backends: the only list of their differences."""
    if not os.access(os.path.join(BUILD, "tyrum-oci-cli"), os.X_OK):
        return {"controls": [], "differences": []}
    return json.loads(subprocess.run([os.path.join(BUILD, "tyrum-oci-cli"), "matrix", "--json"], check=True, stdout=subprocess.PIPE).stdout)


def required_by_baseline():
    with open(os.path.join(TOP, "profiles", "baseline.json"), encoding="utf-8") as f:
        return json.loads(re.sub(r"//[^\n]*", "", f.read()))["require"]


MATRIX = declared()
CONTROLS = {control["name"]: control["backends"] for control in MATRIX["controls"]}
DIFFERENCES = {row["name"]: row["backends"] for row in MATRIX["differences"]}

# What each backend needs to start 'baseline', and the program that must be there.
BACKENDS = {
    "libcrun": (["--backend", "libcrun"], os.path.join(BUILD, "tyrum-oci-libcrun-helper")),
    "oci:crun": (["--backend", "oci:crun"], "crun"),
    "oci:runc": (["--backend", "oci:runc"], "runc"),
    "oci:runsc": (["--backend", "oci:runsc"], "runsc"),  # and the controls that it does not enforce, below
}
ALL = tuple(BACKENDS)
LINUX = ALL[:3]  # those whose containers share the host's kernel
ONE = ALL[:1]    # for what does not depend on the backend

CASES = []
_numbers = itertools.count()


def case(*backends):
    """Marks a case for each of BACKENDS; without any it is run once, and gets no argument."""
    def mark(function):
        CASES.extend((function, (name,)) for name in backends) if backends else CASES.append((function, ()))
        return function
    return mark


def differs(backend, what):
    """Whether the matrix lists WHAT, a control or another property, as different for BACKEND. An engine with a runtime
    has the differences of both."""
    engine, _, runtime = backend.partition(":")
    columns = [backend] if engine == "oci" or not runtime else [engine, f"oci:{runtime}"]
    if what in CONTROLS:
        return any(CONTROLS[what][column]["enforcement"] != "enforced" for column in columns)
    assert what in DIFFERENCES or not MATRIX["controls"], f"the matrix has no '{what}'"
    return any(column in DIFFERENCES.get(what, ()) for column in columns)


def lacking(backend, controls):
    """Those of CONTROLS that BACKEND does not enforce."""
    return [name for name in controls if differs(backend, name)]


def accepting(controls):
    return [word for name in controls for word in ("--accept-unenforced", name)]


def able(what):
    """The backends without a difference in WHAT."""
    return tuple(name for name in ALL if not differs(name, what))


# The controls that must be waived for gVisor to start 'baseline'.
ACCEPTED = lacking("oci:runsc", required_by_baseline())
BACKENDS["oci:runsc"][0].extend(accepting(ACCEPTED))


def absent(what):
    print(f"# {what}")
    sys.exit(77)


# ---- Directories and files.

WORK = None  # a directory of the test, which other users can enter but not write
WS = None    # the default workspace
PROGRAM = None
CLI = None   # what that executes: for tools that inspect a program


def path(*parts):
    return os.path.join(WORK, *parts)


def write(name, content="", mode=0o644):
    where = path(name)
    os.makedirs(os.path.dirname(where), exist_ok=True)
    with open(where, "wb") as f:
        f.write(content if isinstance(content, bytes) else
                content.encode() if isinstance(content, str) else json.dumps(content).encode())
    os.chmod(where, mode)
    return where


def read(where):
    with open(where, "rb") as f:
        return f.read()


def directory(name=None, owner=0, mode=0o755):
    where = path(name or f"directory-{next(_numbers)}")
    os.makedirs(where)
    os.chmod(where, mode)
    os.chown(where, owner, owner)
    return where


def profile(name, extends="baseline", **sections):
    """Writes a file of the operator's; returns its path."""
    return write(f"profiles/{name}.json", {"version": 1, "name": name, "extends": extends, "meaning": "A test's own.",
                                           **sections})


def tree(top):
    """Everything below TOP, with its metadata, in a fixed order."""
    found = []
    for at, directories, files in os.walk(top):
        for name in sorted(directories + files):
            where = os.path.join(at, name)
            st = os.lstat(where)
            what = os.readlink(where) if os.path.islink(where) else read(where) if os.path.isfile(where) else b""
            found.append((os.path.relpath(where, top), oct(st.st_mode), st.st_uid, st.st_gid, st.st_mtime_ns, what))
    return sorted(found, key=lambda entry: entry[0])


def set_up():
    global WORK, WS, PROGRAM, CLI, IDS
    os.umask(0o022)
    IDS = Ids()
    WORK = tempfile.mkdtemp(prefix="tyrum-launch-")
    atexit.register(remove_tree, WORK)
    os.chmod(WORK, 0o755)
    shutil.copytree(os.path.join(TOP, "profiles"), path("data", "profiles"))
    subprocess.run(["chmod", "-R", "u=rwX,go=rX", path("data")], check=True)
    for name in ("bin", "conf", "results", "profiles", "home"):
        directory(name)
    for name in ("tyrum-oci", "tyrum-oci-cli", "tyrum-oci-init", "tyrum-oci-libcrun-helper", "tyrum-oci-daemon"):
        if os.path.exists(os.path.join(BUILD, name)):
            shutil.copy(os.path.join(BUILD, name), path("bin"))
    os.chmod(path("results"), 0o1777)
    WS = directory("workspace")
    PROGRAM, CLI = path("bin", "tyrum-oci"), path("bin", "tyrum-oci-cli")


# ---- Launching.

def environment(**more):
    return {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": path("home"),
            "LANG": "C.UTF-8", "TYRUM_OCI_DATADIR": path("data"), "TYRUM_OCI_CONFDIR": path("conf"),
            "TYRUM_OCI_LIBEXECDIR": path("bin"), **more}


class Result:
    """How a run ended. ERR is without our own notes, which are in NOTES."""
    def __init__(self, code, out, err, document):
        self.code, self.out = code, out or b""
        notes = re.compile(rb"tyrum-oci: note: [^\n]*\n")
        self.notes, self.err = b"".join(notes.findall(err or b"")).decode(), notes.sub(b"", err or b"")
        self.document = document

    def __str__(self):
        told = {key: (self.document or {}).get(key) for key in ("exit", "usage", "truncated")}
        return f"exit {self.code}, {len(self.out)} bytes {self.out[:400]!r}, said {self.err[-700:]!r}, {told}"

    def text(self):
        return self.out.decode().rstrip("\n")


def words(backend, *command, profile="baseline", options=(), ws=None, program=None):
    """The command line of a run, and where its result will be."""
    where = path("results", f"{next(_numbers)}.json")
    return [program or PROGRAM, "run", *BACKENDS[backend][0], "--profile", profile, "--workspace", ws or WS, "--result", where,
            *options, "--", *command], where


def document(where):
    return json.loads(read(where)) if os.path.exists(where) else None


def launch(backend, *command, stdin=b"", seconds=60, env=None, prefix=(), cwd=None, **more):
    """Runs COMMAND to its end, within SECONDS."""
    popen = {key: more.pop(key) for key in list(more) if key in ("pass_fds", "preexec_fn", "stdout")}
    argv, where = words(backend, *command, **more)
    done = subprocess.run([*prefix, *argv], cwd=cwd or path("home"), env=env or environment(), input=stdin,
                          stdout=popen.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE, timeout=seconds,
                          check=False, **popen)
    return Result(done.returncode, done.stdout, done.stderr, document(where))


def works(backend, *command, **more):
    result = launch(backend, *command, **more)
    assert result.code == 0, result
    return result


def refused(backend, *command, says, **more):
    """It ends with 125 and one line that holds each of SAYS."""
    result = launch(backend, *command, **more)
    lines = result.err.decode().splitlines()
    assert result.code == 125 or (result.code == 1 and result.document is None), result
    assert result.out == b"" and len(lines) == 1 and lines[0].startswith("tyrum-oci: "), result
    for text in [says] if isinstance(says, str) else says:
        assert text in lines[0], f"{text!r} is not in {lines[0]!r}"
    return result


def call(*arguments, seconds=60, prefix=(), env=None, stdin=None, **more):
    """Any other verb."""
    done = subprocess.run([*prefix, PROGRAM, *arguments], cwd=path("home"), env=env or environment(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=seconds, check=False, **more,
                          **({"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}))
    return Result(done.returncode, done.stdout, done.stderr, None)


def runs():
    return json.loads(call("ps", "--json").out)["runs"]


class Live:
    """A run that is under way: `with Live(...) as run`."""
    def __init__(self, backend, *command, stdin=subprocess.DEVNULL, env=None, prefix=(), **more):
        argv, self.where = words(backend, *command, **more)
        self.process = subprocess.Popen([*prefix, *argv], cwd=path("home"), env=env or environment(), stdin=stdin,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def line(self, seconds=30):
        """The next line of its output."""
        got, until = b"", time.monotonic() + seconds
        while not got.endswith(b"\n"):
            ready = select.select([self.process.stdout], [], [], max(0, until - time.monotonic()))[0]
            byte = os.read(self.process.stdout.fileno(), 1) if ready else b""
            assert byte, f"no line, only {got!r}, within {seconds} s; {self.process.poll()}"
            got += byte
        return got.decode().rstrip("\n")

    def end(self, seconds=30, stdin=None):
        out, err = self.process.communicate(stdin, timeout=seconds)
        return Result(self.process.returncode, out, err, document(self.where))


def wait_until(condition, seconds=20):
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


# ---- What there is on the host.

def processes():
    """Command lines by pid: of this test and what it started, as the pid namespace holds nothing else."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            found[int(name)] = read(f"/proc/{name}/cmdline").replace(b"\0", b" ") or read(f"/proc/{name}/comm")
        except OSError:
            pass
    return found


class Ids:
    """The ids of all runs of this test: inotify reports every directory that is made in the state directory."""
    CREATE, ONLYDIR, OVERFLOW = 0x100, 0x1000000, 0x4000

    def __init__(self):
        libc, where = ctypes.CDLL(None, use_errno=True), os.path.join(STATE, "runs")
        os.makedirs(where, 0o711, exist_ok=True)
        self.seen, self.fd = set(), libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        assert self.fd >= 0 and libc.inotify_add_watch(self.fd, where.encode(), self.CREATE | self.ONLYDIR) >= 0

    def all(self):
        with contextlib.suppress(BlockingIOError):
            while True:
                data = os.read(self.fd, 1 << 16)
                while data:
                    _, mask, _, length = struct.unpack_from("iIII", data)
                    assert not mask & self.OVERFLOW, "more runs than the kernel could tell of"
                    self.seen.add(data[16:16 + length].rstrip(b"\0").decode())
                    data = data[16 + length:]
        return self.seen


IDS = None


def cgroups():
    """Groups of this test's runs; others on this host have runs of their own."""
    found, ids = set(), IDS.all()
    for at in ["/sys/fs/cgroup", *(e.path for e in os.scandir("/sys/fs/cgroup") if e.is_dir(follow_symlinks=False))]:
        found |= {e.path for e in os.scandir(at) if e.name.startswith("tyrum-oci-") and e.name[len("tyrum-oci-"):] in ids}
    return found


def left_cgroups(before, seconds=20):
    """Those that were not there before and do not go away."""
    wait_until(lambda: not cgroups() - before, seconds)
    return cgroups() - before


def mounts():
    return read("/proc/self/mountinfo")


def state():
    """The contents of the state directory, without the two directories that stay."""
    return [entry[0] for entry in tree(STATE) if entry[0] not in ("runs", "ids")]


# ---- Running the cases.

def enter(script):
    """Continues in new namespaces. Process 1 there only reaps orphans."""
    if "--inside" not in sys.argv:
        os.makedirs(STATE, 0o711, exist_ok=True)
        os.makedirs(STORAGE, 0o755, exist_ok=True)
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child",
                              "--mount-proc", PYTHON, script, "--inside", *sys.argv[1:]])
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=711", "tyrum-launch", STATE], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tyrum-launch", STORAGE], check=True)
    private_devices()
    subprocess.run(["mount", "--make-rshared", "/"], check=True)
    child = os.fork()
    while child > 0:
        pid, status = os.wait()
        if pid == child:
            os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def one(function, arguments):
    """What is wrong, or nothing."""
    try:
        function(*arguments)
    except Exception as wrong:  # any exception is a failed case, and the others still run
        where = wrong.__traceback__
        while where.tb_next is not None and where.tb_next.tb_frame.f_code.co_filename == sys.argv[0]:
            where = where.tb_next
        return f"line {where.tb_lineno}: {type(wrong).__name__}: {wrong}"
    return None


def main():
    """Runs the cases of the calling script; returns its exit status."""
    if os.geteuid() != 0:
        absent("launching as root needs root")
    if not os.access(os.path.join(BUILD, "tyrum-oci-init"), os.X_OK):
        absent("tyrum-oci-init was not built")
    enter(os.path.abspath(sys.argv[0]))
    set_up()
    only = [word for word in sys.argv[1:] if word != "--inside"]
    meant = os.environ.get("TYRUM_OCI_TEST_BACKENDS", " ".join(ALL)).split()
    cases = [c for c in CASES if (not only or c[0].__name__ in only) and (not c[1] or c[1][0] in meant)]
    missing = {n for n in BACKENDS if not shutil.which(BACKENDS[n][1], path=environment()["PATH"] + ":" + BUILD)}
    print(f"1..{len(cases)}")
    failed = 0
    for number, (function, arguments) in enumerate(cases, 1):
        name = ": ".join([*arguments, function.__doc__.splitlines()[0]])
        if missing.intersection(arguments):
            print(f"ok {number} - {name} # SKIP {arguments[0]} is not here")
            continue
        wrong = one(function, arguments)
        failed += wrong is not None
        print(f"{'ok' if wrong is None else 'not ok'} {number} - {name}")
        for line in (wrong or "").splitlines():
            print(f"# {line}")
        sys.stdout.flush()
    # The state directory ends with the namespace, but cgroups of a failed case would stay on the host.
    call("gc", seconds=120)
    return 1 if failed or not cases else 0
