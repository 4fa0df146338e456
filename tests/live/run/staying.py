# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of the daemon share: a daemon for the time of a case, and runs whose maker is known."""
import contextlib, json, os, signal, subprocess, sys, time
from harness import STATE, Result, absent, call, case, document, environment, path, processes, state, wait_until, words, write
import harness

SOCKET = os.path.join(STATE, "daemon.socket")
OWN = {"daemon.socket", "daemon.socket.lock"}  # of a daemon, in the state directory


def need():
    """Ends a test of the daemon where configure left it out. A build that has it must have the program."""
    if os.environ.get("TYRUM_OCI_TEST_DAEMON") == "no":
        print("1..0 # SKIP this build was configured without the daemon (--disable-daemon, or no libcrun)")
        sys.exit(0)
    if os.environ.get("TYRUM_OCI_TEST_DAEMON") == "yes":
        assert os.access(os.path.join(harness.BUILD, "tyrum-oci-daemon"), os.X_OK), "tyrum-oci-daemon is missing from a build that has it"
    elif not os.access(os.path.join(harness.BUILD, "tyrum-oci-daemon"), os.X_OK):
        absent("tyrum-oci-daemon was not built")


def case_of_daemon(*backends):
    """A case that a build without a daemon does not have, in a test of other things."""
    return case(*backends) if os.environ.get("TYRUM_OCI_TEST_DAEMON") != "no" else lambda function: function


def configure(**daemon):
    """Writes the operator's configuration; without arguments, removes it."""
    where = path("conf", "config.json")
    if daemon:
        write("conf/config.json", {"version": 1, "daemon": daemon})
    elif os.path.exists(where):
        os.remove(where)


def parent(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
        return int(f.read().rpartition(")")[2].split()[1])
    return 0


def daemons():
    """The daemons' own processes, without their children."""
    found = {pid for pid, line in processes().items() if line.split(b" ")[0].endswith(b"tyrum-oci-daemon")}
    return {pid for pid in found if parent(pid) not in found}


class Daemon:
    """A running daemon: `with Daemon() as daemon`. CONFIGURATION is its part of the operator's file."""
    def __init__(self, *options, env=None, configuration=None, prefix=(), socket=SOCKET, **more):
        configure(**(configuration or {}))
        self.socket = socket
        self.log = open(path("daemon.log"), "wb+")
        self.process = subprocess.Popen([*prefix, harness.PROGRAM, "daemon", *options], cwd="/", env=env or environment(),
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                        start_new_session=True, **more)  # or a case that stops it has the kernel end it
        self.pid = self.process.pid

    def said(self):
        with open(path("daemon.log"), encoding="utf-8") as f:
            return f.read()

    def __enter__(self):
        if not wait_until(lambda: os.path.exists(self.socket) or self.process.poll() is not None, 10) \
           or self.process.poll() is not None:
            raise AssertionError(f"no daemon came up: {self.process.poll()}, {self.said()}")
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()

    def children(self):
        return {pid for pid in processes() if parent(pid) == self.pid}

    def __exit__(self, *unused):
        if self.process.returncode is None and self.process.poll() is not None:
            print(f"# daemon {self.pid} is gone, with {self.process.returncode}, and nobody here ended it")
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self.kill()
        self.log.close()
        configure()
        for name in (self.socket, self.socket + ".lock"):  # of one that was killed
            with contextlib.suppress(OSError):
                os.remove(name)


def supervisor(run):
    """Which process made a run, from the journal."""
    events = json.loads(call("audit", "show", run, "--json").out)["events"]
    return [e["details"]["supervisor"] for e in events if "supervisor" in e["details"]][0]


class Made(Result):
    """How a run ended, and whether the daemon made it for its caller."""
    def __init__(self, pid, *end):
        super().__init__(*end)
        run = (self.document or {}).get("run")
        self.handed = None if run is None else supervisor(run) != pid


def make(*command, stdin=b"", env=None, prefix=(), cwd=None, seconds=60, **more):
    """Runs COMMAND with libcrun to its end."""
    popen = {key: more.pop(key) for key in list(more) if key in ("pass_fds", "preexec_fn", "user")}
    argv, where = words("libcrun", *command, **more)
    run = subprocess.Popen([*prefix, *argv], cwd=cwd or path("home"), env=env or environment(), stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, **popen)
    try:
        out, err = run.communicate(stdin, timeout=seconds)
    finally:
        if run.poll() is None:
            run.kill()
            run.communicate()
    return Made(run.pid, run.returncode, out, err, document(where))


def handed(*command, **more):
    result = make(*command, **more)
    assert result.handed, f"it was not handed over: {result}"
    return result


def alone(*command, **more):
    result = make(*command, **more)
    assert result.handed is False, f"it was handed over: {result}"
    return result


def left():
    """The contents of the state directory, without a live daemon's files."""
    return [name for name in state() if name not in OWN]


def check_nothing_left(before, groups, seconds=15):
    """After one gc; BEFORE are the processes that may be there."""
    from harness import cgroups, left_cgroups, runs
    wait_until(lambda: set(processes()) <= set(before), seconds)
    result = call("gc", seconds=120)
    assert result.code == 0 and result.err == b"", result
    assert set(processes()) <= set(before), {pid: line for pid, line in processes().items() if pid not in before}
    assert wait_until(lambda: left() == [], 5), left()
    assert runs() == [] and not left_cgroups(groups), (runs(), cgroups() - groups)


def end(process, number=signal.SIGKILL):
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, number)
    time.sleep(0)
