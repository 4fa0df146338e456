# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of faults share: a run that reports its own containment, and what must hold after any fault.

A fault may keep a run from starting, and never makes it start weaker. Its caller passes on all that must not get in, so
that a step which fails unseen would show in what the command finds around it.
"""
import collections, ctypes, os, shutil, signal, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live", "run"))
import harness
from harness import BACKENDS, BUILD, call, cgroups, document, environment, directory, mounts, path, processes, read, state, \
    wait_until

tempfile.tempdir = "/var/tmp"  # where the test works, so that its /tmp can be empty
LONGEST = 100  # seconds until a run is said to hang: a runtime that does not answer is given 60
TOOLS = ("inject", "failing-malloc.so", "jumping-clock.so")
DEVICES = (b"/null", b"/zero", b"/full", b"/tty", b"/random", b"/urandom")
# libcrun: ro by itself, or ro with what /proc has already.
READ_ONLY_ANYWAY = (b"/proc/sys", b"/proc/irq", b"/proc/fs", b"/proc/bus", b"/proc/sysrq-trigger")
ADDR_NO_RANDOMIZE = 0x0040000

# Everything that a fault could have left out, written by the command into its workspace. The file's size shows how much
# of it there is: a command that was killed has written only a part.
TELL = """exec 7>facts
grep -E '^(Uid|Gid|Groups|Cap|NoNewPrivs|Seccomp|SigIgn|SigBlk)' /proc/self/status >&7
cat /proc/self/limits /proc/self/personality >&7
while read -r _ _ _ top point flags _; do echo "mount $top $point $flags"; done < /proc/self/mountinfo >&7
exec 7>&-
{ echo /proc/self/fd/*; umask; pwd; echo "$HOME $PATH"; ls -A / /dev /tmp; ls /proc/1 > /dev/null && echo seen; } >> facts 2>&1
(echo x > /made) 2> /dev/null && echo 'the root is writable' >> facts
cat /proc/net/dev | wc -l >> facts
cat; echo told
"""
INPUT = b"some input\n"
OUTPUT = INPUT + b"told\n"


def tool(name):
    """A program of the tests, in a place that the empty /tmp does not hide."""
    if not os.path.exists(path("bin", "inject")):
        for one in TOOLS:
            shutil.copy(os.path.join(BUILD, "tests", "fault", one), path("bin"))
    return path("bin", name)


def empty_tmp():
    """Mounts a new /tmp, in which leftovers are seen."""
    tool("inject")
    if os.listdir("/tmp"):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=1777", "tyrum-fault", "/tmp"], check=True)


def odd_caller():
    """In the child: what a caller may leave open, and no command may inherit."""
    os.umask(0o077)
    ctypes.CDLL(None).personality(ctypes.c_ulong(ADDR_NO_RANDOMIZE))
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
    os.dup2(os.open("/", os.O_RDONLY | os.O_DIRECTORY), 50)


class Outcome:
    """How a run ended, with the facts that the command wrote."""
    def __init__(self, code, out, err, facts, told, seconds=0):
        self.code, self.out, self.facts, self.told, self.seconds = code, out, facts, told, seconds
        lines = err.decode("utf-8", "replace").splitlines()
        self.lines = [line for line in lines if not line.startswith("tyrum-oci: note: ")]
        self.lost = [line for line in lines if "not all of it was passed on" in line]
        # A refusal comes with a table of observations.
        if self.lines and "the command was not started" in self.lines[-1]:
            self.lines = self.lines[-1:]

    def __str__(self):
        return f"exit {self.code}, {self.out[:80]!r}, said {self.lines[-3:]}"

    def verdicts(self):
        posture = (self.told or {}).get("posture") or {"verdict": None, "controls": []}
        return posture["verdict"], {c["name"]: c["verdict"] for c in posture["controls"]}


class Place:
    """A workspace, a result and a host to compare with, for many runs one after the other."""
    def __init__(self, backend="libcrun", profile="hardened", prefix=(), owner=0, ours=(b"",)):
        """OURS: what is in the command lines of processes that count, where others come and go."""
        empty_tmp()
        self.ws, self.where, self.ours = directory(f"place/{backend}", owner), path("results", "fault.json"), ours
        # Not harness.PROGRAM as it was imported: set_up gives it its value.
        self.argv = [harness.PROGRAM, "run", *BACKENDS[backend][0], "--profile", profile, "--workspace", self.ws, "--result",
                     self.where, "--", "/bin/sh", "-c", TELL]
        self.good = self.run(prefix)
        assert self.good.code == 0 and self.good.out == OUTPUT and self.good.facts.endswith(b"\n"), self.good
        assert b"root is writable" not in self.good.facts and len(self.good.facts) > 1000, self.good.facts
        self.look_first()

    def run(self, prefix=(), **more):
        """One run, started through PREFIX."""
        facts = os.path.join(self.ws, "facts")
        for name in (facts, self.where):
            if os.path.exists(name):
                os.unlink(name)
        env, started = environment(**more), time.monotonic()
        with subprocess.Popen([*prefix, *self.argv], cwd=path("home"), env=env, stdin=subprocess.PIPE, preexec_fn=odd_caller,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            try:
                out, err = process.communicate(INPUT, timeout=LONGEST)
            except subprocess.TimeoutExpired:
                there = processes()
                process.kill()
                raise AssertionError(f"it hangs: {there}") from None
        return Outcome(process.returncode, out, err, read(facts) if os.path.exists(facts) else None, document(self.where),
                       time.monotonic() - started)

    def look(self):
        counted = sorted(pid for pid, line in processes().items() if any(part in line for part in self.ours))
        return {"processes": counted, "mounts": mounts(), "state": state(), "tmp": sorted(os.listdir("/tmp")),
                "results": sorted(set(os.listdir(path("results"))) - {"fault.json"}), "work": sorted(os.listdir(path())),
                "workspace": sorted(set(os.listdir(self.ws)) - {"facts"}), "home": sorted(os.listdir(path("home")))}

    def look_first(self):
        self.before, self.groups = self.look(), cgroups()

    def left(self):
        """What has appeared or vanished."""
        after = self.look()
        differ = [f"{what}: {changed(self.before[what], after[what])}" for what in after if after[what] != self.before[what]]
        return differ + [f"cgroup {group}" for group in cgroups() - self.groups]

    def check_nothing_left(self):
        """Nothing is left, at once or after one gc. Returns whether gc was needed."""
        if not self.left() or wait_until(lambda: not self.left(), 0.5):
            return False
        before = self.left()
        done = call("gc", seconds=120)
        assert done.code == 0 and done.err == b"", f"gc: {done}; {before}"
        wait_until(lambda: not self.left(), 5)
        assert not self.left(), self.left()
        return True

    def check_facts(self, outcome):
        """Compares facts line by line, in any order of mounts. A command that was killed has written a part of them."""
        wanted, found = (collections.Counter(map(weigh, facts.splitlines())) for facts in (self.good.facts, outcome.facts))
        missing, more = wanted - found if outcome.out == OUTPUT else {}, found - wanted
        if not outcome.facts.endswith(b"\n"):
            more -= collections.Counter(map(weigh, outcome.facts.splitlines()[-1:]))
        assert not missing and not more, f"weaker: -{list(missing)} +{list(more)}"

    def check(self, outcome, codes=()):
        """The run succeeded as usual, or printed one line with the reason; if the command ran, it was contained as usual. After one of
        CODES no line is needed."""
        if outcome.code == 0:
            assert outcome.out == OUTPUT or outcome.lost, f"output is missing without an error: {outcome}"
        elif outcome.code not in codes:
            # After a command has run there are notes; otherwise one line.
            assert outcome.code in (125, 126, 127) or outcome.lost, outcome
            assert len(outcome.lines) == (0 if outcome.lost else 1), outcome
            assert outcome.lost or outcome.lines[0].startswith("tyrum-oci"), outcome
        if outcome.facts is not None:
            self.check_facts(outcome)
            if outcome.told is not None and outcome.told.get("posture"):
                differ = set(outcome.verdicts()[1].items()) ^ set(self.good.verdicts()[1].items())
                assert outcome.verdicts() == self.good.verdicts(), f"verdict: {outcome.verdicts()[0]}: {differ}"


def weigh(line):
    """A line of facts as it is to be compared. Where a mount's source lies changes from run to run, and flags that only bind
    change nothing on a device: runtimes go on where they cannot set one there, or take those of the file system below."""
    words = line.split()
    if words[:1] != [b"mount"] or len(words) != 4:
        return line
    _, top, point, flags = words
    if top in DEVICES or point in READ_ONLY_ANYWAY:
        return b"mount " + point
    return b"mount " + point + b" " + flags


def changed(before, after):
    if isinstance(before, bytes):
        before, after = before.splitlines(), after.splitlines()
    return [f"+{one}" for one in after if one not in before] + [f"-{one}" for one in before if one not in after]
