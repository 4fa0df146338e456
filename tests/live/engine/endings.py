# SPDX-License-Identifier: LGPL-2.1-or-later
"""How runs may end when their engine was killed, and what may be left."""
from engines import ENGINES
from harness import call, differs, runs, state, wait_until, works


def command(number):
    """Short ones end while there is no engine, long ones see it come back."""
    return ["sh", "-c", f"echo up; sleep {2 + number % 5}; echo end; exit {10 + number}"]


def check(backend, number, result):
    """The command's own end, with all of its output, or an error that says so."""
    if result.code == 125:
        assert result.err.strip(), result
    elif result.code in (137, 143) and differs(backend, "engine.restart"):
        assert b"end" not in result.out, result
    else:
        assert result.code == 10 + number and result.out == b"end\n", f"{number}: {result}"


def settled(backend):
    """Nothing is left after gc, and the engine works as before."""
    done = call("gc", seconds=120)
    assert done.code == 0 and runs() == [] and state() == [], (done, state())
    assert wait_until(lambda: ENGINES[backend].containers() == {}, 30), ENGINES[backend].containers()
    works(backend, "true")
