# SPDX-License-Identifier: LGPL-2.1-or-later
"""Launches, timed: one at a time by turns, or several at once.

What is timed is from just before the program is spawned until it was waited for. The program's output is a pipe that must hold
what the payload says, so a launch that did not launch is never counted. Spawning is posix_spawn, whose cost does not depend on
how big this process is, and is the same for all.

Processor time is what the kernel counted for the program and all its children that were waited for; for those that they left
behind, which become ours, as this process is a subreaper; and for what daemons spent meanwhile, with their children.
"""
import contextlib, ctypes, os, random, signal, time

SAID = b"ran\n"
DEADLINE = 30  # seconds that a launch may take
IDLE = 50e-6   # seconds of processor in a launch, below which a daemon took no part in it
SETTLE = 5.0   # seconds that processes left by a launch may take to end
TICK = os.sysconf("SC_CLK_TCK")
PR_SET_CHILD_SUBREAPER = 36


class Failed(Exception):
    """A launch that did not do what all of them do."""


def too_late(*_):
    raise Failed(f"a launch took longer than {DEADLINE} s")


def begin():
    """Becomes a subreaper, and makes a launch that hangs an error."""
    assert ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    signal.signal(signal.SIGALRM, too_late)


def children():
    me = os.getpid()
    with open(f"/proc/{me}/task/{me}/children", encoding="ascii") as f:
        return {int(word) for word in f.read().split()}


def parents():
    """The parent of every process in this namespace."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as f:
                found[int(name)] = int(f.read().rpartition(")")[2].split()[1])
        except OSError:
            pass
    return found


def family(pid):
    """PID and all its descendants."""
    known, found, new = parents(), set(), {pid}
    while new:
        found |= new
        new = {child for child, parent in known.items() if parent in new} - found
    return found


def spent_by(daemons):
    """Seconds of processor time of DAEMONS and of their children that ended; the latter in ticks, which is right on average."""
    total = 0.0
    for pid in daemons:
        try:
            total += time.clock_gettime(~pid << 3 | 2)  # the clock of that process, as clock_getcpuclockid makes it
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
                fields = f.read().rpartition(")")[2].split()
            total += (int(fields[13]) + int(fields[14])) / TICK
        except OSError:
            pass
    return total


class Spawner:
    """Spawns contenders, with the same streams for all. STANDING are children that stay."""
    def __init__(self, directory):
        self.standing = set()
        self.errors = os.path.join(directory, "stderr")
        self.out, self.give = os.pipe()
        os.set_blocking(self.out, False)

    def spawn(self, contender, slot=0, words=None):
        argv = words or contender.words(slot)
        actions = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0), (os.POSIX_SPAWN_DUP2, self.give, 1),
                   (os.POSIX_SPAWN_OPEN, 2, self.errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)]
        actions += [(os.POSIX_SPAWN_OPEN, fd, where, os.O_RDONLY, 0) for fd, where in contender.files.items()]
        return os.posix_spawn(argv[0], argv, contender.environment, file_actions=actions, setsigmask=(),
                              setsigdef=(signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT))

    def said(self):
        try:
            return os.read(self.out, 1 << 16)
        except BlockingIOError:
            return b""

    def complain(self, contender, status, said):
        with open(self.errors, "rb") as f:
            text = f.read()[-600:].decode(errors="replace").strip()
        raise Failed(f"{contender.name}: ended with {os.waitstatus_to_exitcode(status)}, said {said!r}: {text}")

    def settle(self):
        """Waits until all processes that a launch left have ended; returns their processor time."""
        spent, until = 0.0, time.monotonic() + SETTLE
        while children() - self.standing:
            pid, _, usage = os.wait4(-1, os.WNOHANG)
            if pid:
                self.standing.discard(pid)
                spent += usage.ru_utime + usage.ru_stime
            elif time.monotonic() > until:
                raise Failed(f"processes stay: {children() - self.standing}")
            else:
                time.sleep(0.002)
        return spent

    @contextlib.contextmanager
    def deadline(self, seconds=DEADLINE):
        """Kills what is still there at the end."""
        signal.alarm(seconds)
        try:
            yield
        except Failed:
            for pid in set().union(*(family(child) for child in children() - self.standing)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.said()
            raise
        finally:
            signal.alarm(0)

    def once(self, contender, slot=0):
        """One launch: seconds on the clock, seconds of processor, and how many of the latter were daemons'."""
        contender.prepare()
        before = spent_by(contender.daemons)
        with self.deadline():
            begin = time.perf_counter_ns()
            pid = self.spawn(contender, slot)
            _, status, usage = os.wait4(pid, 0)
            took = time.perf_counter_ns() - begin
        said = self.said()
        if status != 0 or said != SAID:
            self.complain(contender, status, said)
        left = self.settle()
        if contender.pause:
            time.sleep(contender.pause)
        daemons = spent_by(contender.daemons) - before
        return took / 1e9, usage.ru_utime + usage.ru_stime + left + daemons, daemons

    def at_once(self, contender, width, count):
        """COUNT launches, WIDTH of them at a time: launches per second."""
        slots, running, begun, ended = list(range(width)), {}, 0, 0
        contender.prepare()
        with self.deadline(DEADLINE + count):
            begin = time.perf_counter_ns()
            while ended < count:
                while slots and begun < count:
                    slot = slots.pop()
                    running[self.spawn(contender, slot)] = slot
                    begun += 1
                pid, status, _ = os.wait4(-1, 0)
                if pid in running:
                    if status != 0:
                        self.complain(contender, status, b"")
                    slots.append(running.pop(pid))
                    ended += 1
            took = time.perf_counter_ns() - begin
        said = self.said()
        if said != SAID * count:
            raise Failed(f"{contender.name}: {count} launches said {len(said)} bytes")
        self.settle()
        return count / (took / 1e9)


def by_turns(spawner, contenders, launches, progress, warm_up=2):
    """LAUNCHES of each, in rounds of one each, in another order each round: what else the host does hits all alike.

    A contender that fails is dropped, with its message as the reason. Returns times and reasons."""
    dice, taken, dropped = random.Random(1), {c.name: [] for c in contenders}, {}
    here = list(contenders)
    for number in range(-warm_up, launches):
        dice.shuffle(here)
        progress(max(number, 0), launches)
        for contender in list(here):
            try:
                sample = spawner.once(contender)
            except (Failed, OSError) as why:
                dropped[contender.name] = str(why)
                here.remove(contender)
                continue
            if number >= 0:
                taken[contender.name].append(sample)
    for contender in here:
        if contender.daemons and sum(sample[2] for sample in taken[contender.name]) < IDLE * launches:
            dropped[contender.name] = "its daemon had nothing to do with these launches"
    return {name: samples for name, samples in taken.items() if name not in dropped}, dropped
