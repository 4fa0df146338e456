# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands for the tests of tyrum-oci-init: programs for python3 -c."""

# Prints the numbers of the open descriptors.
PROBE = """
import fcntl
def is_open(n):
    try:
        fcntl.fcntl(n, fcntl.F_GETFD)
        return True
    except OSError:
        return False
print([n for n in range(1024) if is_open(n)])
"""

# Prints every signal that arrives, each after the argument of its command line.
LISTEN = """
import os, signal, sys
me = sys.argv[1]
signals = signal.valid_signals()
signal.pthread_sigmask(signal.SIG_BLOCK, signals)
os.write(1, me.encode() + b" ready\\n")
while True:
    os.write(1, b"%s %d\\n" % (me.encode(), signal.sigwait(signals)))
"""

# orphan () leaves an orphan that ends at once; settle () waits until init has no zombie child, and returns how
# many children it has besides the command.
ORPHANS = """
import os, sys, time
def orphan():
    read, write = os.pipe()
    if os.fork() == 0:
        if os.fork() == 0:
            os.close(write)
            os.read(read, 1)
            os._exit(0 if os.getppid() == 1 else 1)
        os._exit(0)
    os.wait()
    os.close(write)
    os.close(read)
def dead():
    found = 0
    for name in filter(str.isdigit, os.listdir('/proc')):
        try:
            state, parent = open(f'/proc/{name}/stat').read().rpartition(')')[2].split()[:2]
        except OSError:
            continue
        found += parent == '1' and name != str(os.getpid())
    return found
def settle():
    end = time.monotonic() + 20
    while dead() and time.monotonic() < end:
        time.sleep(0.01)
    return dead()
"""

# Tries to inspect a child of its own, then process 1; prints "yes" or the errno for each method.
LOOK_INTO = """
import ctypes, os, signal, sys
def answer(function):
    try:
        function()
        return "yes"
    except OSError as e:
        return e.errno
def attach(pid):
    if ctypes.CDLL(None, use_errno=True).ptrace(16, pid, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "")
def child():
    pid = os.fork()
    if pid == 0:
        while True:
            signal.pause()
    return pid
for pid in (child(), 1):
    print(answer(lambda: os.listdir(f"/proc/{pid}/fd")), answer(lambda: open(f"/proc/{pid}/environ").read()),
          answer(lambda: open(f"/proc/{pid}/mem", "rb").close()), answer(lambda: os.readlink(f"/proc/{pid}/exe")),
          answer(lambda: open(f"/proc/{pid}/oom_score_adj", "w").close()), answer(lambda: attach(pid)))
"""

# Prints whether it has the terminal, and the signals that a terminal sends.
AT_TERMINAL = """
import os, signal
signal.signal(signal.SIGINT, signal.SIG_DFL)
signals = {signal.SIGHUP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGWINCH}
signal.pthread_sigmask(signal.SIG_BLOCK, signals)
fd = os.open("/dev/tty", os.O_RDWR)
os.write(1, b"%s\\n" % str(os.tcgetpgrp(fd) == os.getpid() == os.getsid(0)).encode())
while True:
    os.write(1, signal.Signals(signal.sigwait(signals)).name.encode() + b"\\n")
"""
