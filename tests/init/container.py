# SPDX-License-Identifier: LGPL-2.1-or-later
"""Starts tyrum-oci-init as process 1 of namespaces of its own, with this process as its supervisor.

There is no runtime in it: unshare(1) makes the pid and mount namespaces, setpriv(1) takes every capability away,
and as root also the user id. Every wait has a deadline, and Container.close ends what is left.
"""
import contextlib
import ctypes, fcntl, os, select, shutil, signal, socket, struct, time, traceback

DEADLINE = 30.0
HANDSHAKE_FD, STATUS_FD = 3, 4
MAGIC, VERSION = 0x49525954, 2
HELLO, GO, STOP, ENDED, SEEN, ASK, ANSWER = 1, 2, 3, 4, 5, 6, 7
NOBODY = 65534
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36

libc = ctypes.CDLL(None, use_errno=True)


def header(kind, length=0, magic=MAGIC, version=VERSION):
    return struct.pack("=IHHI", magic, version, kind, length)


ITEM = struct.Struct("=HHI")


def item(question):
    """The bytes of a question, which is (kind, bytes)."""
    return ITEM.pack(question[0], 0, len(question[1])) + question[1]


def ask(*questions):
    """The bytes of an ASK."""
    data = b"".join(map(item, questions))
    return header(ASK, len(data)) + data


def become_subreaper():
    """Makes this process the parent of orphans, so that none can be overlooked."""
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_CHILD_SUBREAPER")


def children_of(pid):
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as f:
                fields = f.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(name))
    return found


def until(condition, deadline=DEADLINE):
    """Waits until condition() is true; returns its value, or None at the deadline."""
    end = time.monotonic() + deadline
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            return None
        time.sleep(0.005)


def tool(name):
    """The path of a program, as the command's PATH is not that of the tests."""
    return shutil.which(name) or name


def has_capability(number):
    with open("/proc/self/status", encoding="utf-8") as f:
        effective = next(line for line in f if line.startswith("CapEff:"))
    return bool(int(effective.split()[1], 16) >> number & 1)


def isolated(inside, before=()):
    """The argv that runs INSIDE as process 1; BEFORE is put before the part that drops privileges."""
    root = os.geteuid() == 0
    words = [tool("unshare"), "-p", "-f", "--mount-proc"] + ([] if root else ["-U", "-c", "--keep-caps"])
    words += list(before)
    words += [tool("setpriv"), "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all"]
    if root:
        words += [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    return words + list(inside)


def strays():
    """Descriptors of each kind, too many for one getdents call: {number: descriptor}."""
    here, there = socket.socketpair()
    read, write = os.pipe()
    kinds = [os.open("/etc/passwd", os.O_RDONLY), os.open("/", os.O_RDONLY), here.detach(), there.detach(), read, write,
             os.memfd_create("stray"), os.open("/dev/null", os.O_RDWR)]
    return {number: kinds[number % len(kinds)] for number in [5, 6, 7, 9, *range(20, 400)]}


class Process:
    """A process with exactly the given descriptors: {number: descriptor here}."""

    def __init__(self, words, descriptors, environment, in_child=None):
        self.status = None
        self.pid = os.fork()
        if self.pid == 0:
            try:
                high = {n: fcntl.fcntl(fd, fcntl.F_DUPFD, 500) for n, fd in descriptors.items()}
                for n, fd in high.items():
                    os.dup2(fd, n)
                keep = sorted(high)
                for low, top in zip([-1] + keep, keep + [1024]):
                    if low + 1 < top:
                        os.closerange(low + 1, top)
                # If the tests are killed, so is this.
                libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
                if in_child:
                    in_child()
                os.execvpe(words[0], words, environment)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(99)

    def wait(self, deadline=DEADLINE):
        """The exit code, or minus the signal; None at the deadline."""
        if self.status is None:
            fd = os.pidfd_open(self.pid)
            try:
                ready, _, _ = select.select([fd], [], [], deadline)
            finally:
                os.close(fd)
            if ready:
                self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.status

    def kill(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)


class Container:
    """One start of PROGRAM with COMMAND.

    OPTIONS stand before "--". STRAY are further descriptors, {number: descriptor}. WITHOUT are numbers that are not
    open at all. IN_CHILD runs in the child before the exec, BEFORE is put before everything that is
    unprivileged, JUST_BEFORE those right in front of the program. TERMINAL is the descriptor of a terminal for the
    standard streams. Without SEPARATOR there is no "--".
    """

    def __init__(self, program, command, options=(), transport="fd", environment=None, stray=None, without=(),
                 in_child=None, before=(), just_before=(), terminal=None, separator=True):
        self.process = None
        self.transport = transport
        self.handshake, handshake = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.state, state = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.handshake.settimeout(DEADLINE)
        self.state.settimeout(DEADLINE)
        in_read, self.stdin = os.pipe()
        self.stdout, out_write = os.pipe()
        self.stderr, err_write = os.pipe()
        theirs = [in_read, out_write, err_write]
        descriptors = {0: in_read, 1: out_write, 2: err_write}
        if terminal is not None:
            descriptors = {0: terminal, 1: terminal, 2: terminal}
        if transport == "fd":
            descriptors.update({HANDSHAKE_FD: handshake.fileno(), STATUS_FD: state.fileno()})
        descriptors.update(stray or {})
        for number in without:
            del descriptors[number]
        words = list(just_before) + [program] + list(options)
        if transport != "fd":
            words += ["--transport", transport]
        words += (["--"] if separator else []) + list(command)
        try:
            self.process = Process(isolated(words, before=before), descriptors,
                                   {"PATH": "/usr/bin:/bin"} if environment is None else environment, in_child)
        finally:
            for fd in theirs:
                os.close(fd)
            handshake.close()
            state.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.process.status is None:
            for pid in children_of(self.process.pid):
                with contextlib.suppress(ProcessLookupError):  # it may have ended meanwhile
                    os.kill(pid, signal.SIGKILL)
            self.process.wait(1)
            self.process.kill()
            self.process.wait()
        self.close_sockets()
        for name in ("stdin", "stdout", "stderr"):
            self.close_stream(name)

    def close_sockets(self):
        self.handshake.close()
        self.state.close()

    def close_stream(self, name):
        if getattr(self, name) is not None:
            os.close(getattr(self, name))
            setattr(self, name, None)

    # ---- What the supervisor does.

    def init_pid(self):
        """The pid of process 1 outside."""
        found = until(lambda: children_of(self.process.pid))
        assert found and len(found) == 1, f"process 1 was not found: {found}"
        return found[0]

    def hello(self):
        if self.transport == "fd":
            return self.handshake.recv(4096)
        return self.read("stdout", len(header(HELLO)))

    def answer(self, data):
        if self.transport == "fd":
            self.handshake.send(data)
        else:
            os.write(self.stdin, data)

    def ask(self, *questions):
        """Asks all questions at once: [(errnum, bytes)] in their order. A question is (kind, bytes)."""
        self.answer(ask(*questions))
        return self.answers(questions)

    def answers(self, questions):
        said = self.hello()
        assert len(said) == 12 and said[:8] == header(ANSWER)[:8], f"{said!r} is no answer; {self.errors()}"
        length, data = struct.unpack("=I", said[8:])[0], b""
        self.pieces = []
        while len(data) < length:
            self.pieces.append(self.handshake.recv(1 << 20) if self.transport == "fd" else self.read("stdout", length))
            assert self.pieces[-1], f"the answers ended after {len(data)} of {length} bytes; {self.errors()}"
            data += self.pieces[-1]
        found = []
        for kind, _ in questions:
            head = ITEM.unpack_from(data)
            assert head[0] == kind, f"an answer of kind {head[0]} to {kind}"
            found.append((head[1], data[ITEM.size:ITEM.size + head[2]]))
            assert len(found[-1][1]) == head[2], "an answer is cut off"
            data = data[ITEM.size + head[2]:]
        assert not data, f"{len(data)} bytes after the last answer"
        return found

    def go(self):
        said = self.hello()
        assert said == header(HELLO), f"hello was {said!r}; {self.errors()}"
        self.answer(header(GO))

    def ended(self):
        """(code, signal, exec_err)"""
        packet = self.state.recv(4096)
        assert len(packet) == 24 and packet[:12] == header(ENDED, 12), f"{packet!r}; {self.errors()}"
        return struct.unpack("=iii", packet[12:])

    def seen(self):
        self.state.send(header(SEEN))

    def finish(self, greeted=False):
        """From the go-ahead to the end: ((code, signal, exec_err), exit code, output). GREETED: hello was taken before."""
        self.answer(header(GO)) if greeted else self.go()
        self.close_stream("stdin")
        output = self.rest("stdout")
        ended = None
        if self.transport == "fd":
            ended = self.ended()
            self.seen()
        return ended, self.process.wait(), output

    # ---- The command's streams.

    def read(self, name, size, deadline=DEADLINE):
        """SIZE bytes, or fewer at the end of the stream or the deadline."""
        data, end = b"", time.monotonic() + deadline
        while len(data) < size:
            ready, _, _ = select.select([getattr(self, name)], [], [], max(0, end - time.monotonic()))
            more = os.read(getattr(self, name), min(size - len(data), 1 << 16)) if ready else b""
            if not more:
                break
            data += more
        return data

    def line(self):
        data = b""
        while not data.endswith(b"\n"):
            more = self.read("stdout", 1)
            assert more, f"the output ended after {data!r}; {self.errors()}"
            data += more
        return data.decode().rstrip("\n")

    def rest(self, name):
        """All of the stream. Init has it open, too, so the command's output can be complete before the stream ends."""
        data, end = b"", time.monotonic() + DEADLINE
        os.set_blocking(getattr(self, name), False)
        watched = [getattr(self, name)] + ([self.state] if self.transport == "fd" and self.state.fileno() >= 0 else [])
        while time.monotonic() < end:
            ready, _, _ = select.select(watched, [], [], 0.1)
            try:
                more = os.read(watched[0], 1 << 16)
            except BlockingIOError:
                # Nothing to read, and init has reported the command's end: the output is complete.
                if len(watched) > 1 and watched[1] in ready:
                    break
                continue
            if not more:
                break
            data += more
        return data

    def errors(self):
        try:
            os.set_blocking(self.stderr, False)
            return os.read(self.stderr, 1 << 16).decode(errors="replace")
        except BlockingIOError:
            return ""
