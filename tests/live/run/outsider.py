# SPDX-License-Identifier: LGPL-2.1-or-later
"""Processes beside a run that hold its pid namespace, or its first process."""
import contextlib, subprocess
from harness import PYTHON, processes, read

# Joins the pid namespace of the process in its argument and has a child there, which ignores TERM. When the child is
# dead, its parent reaps it or does not.
JOIN = """
import ctypes, os, signal, sys, time
libc = ctypes.CDLL(None, use_errno=True)
assert libc.setns(os.open(f"/proc/{sys.argv[1]}/ns/pid", os.O_RDONLY), 0x20000000) == 0, ctypes.get_errno()
child = os.fork()
if child == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.closerange(0, 3)
    time.sleep(600)
    os._exit(0)
print(child, flush=True)
if sys.argv[2] == "collects":
    os.waitpid(child, 0)
elif sys.argv[2] == "stops":
    os.kill(os.getpid(), signal.SIGSTOP)
else:
    time.sleep(600)
"""

# Traces a process like a debugger: its parent does not see its end.
TRACE = """
import ctypes, sys, time
assert ctypes.CDLL(None, use_errno=True).ptrace(0x4206, int(sys.argv[1]), 0, 0) == 0, ctypes.get_errno()
print("traced", flush=True)
time.sleep(600)
"""


@contextlib.contextmanager
def beside(program, *arguments):
    """PROGRAM beside a run, until the end of the block; it has printed its first line."""
    with subprocess.Popen([PYTHON, "-c", program, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as other:
        try:
            assert other.stdout.readline().strip(), "it did not get that far"
            yield other
        finally:
            other.kill()


def inits():
    """The first processes of pid namespaces below ours."""
    found = set()
    for pid in processes():
        with contextlib.suppress(OSError):
            ids = [line for line in read(f"/proc/{pid}/status").decode().splitlines() if line.startswith("NSpid:")][0].split()
            found |= {pid} if len(ids) > 2 and ids[-1] == "1" else set()
    return found


def init(name):
    """The first process of the run or container whose cgroup has NAME in it."""
    mine = [pid for pid in inits() if name in read(f"/proc/{pid}/cgroup").decode()]
    assert len(mine) == 1, (name, inits(), processes())
    return mine[0]
