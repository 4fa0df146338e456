# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of tyrum-oci-init share: a list of cases, run in turn with each program and reported in TAP.

The programs are tyrum-oci-init as it is installed, and init-checked: the same files as the rest of the project is
built, which has the sanitizers when those are on. A case is a function that takes the program's path.
"""
import contextlib
import os, shutil, signal, subprocess, sys, tempfile, traceback

from container import DEADLINE, Container, become_subreaper, children_of, isolated, tool

BUILD = os.environ.get("TYRUM_OCI_TEST_BUILDDIR", os.getcwd())
SOURCE = os.environ.get("TYRUM_OCI_TEST_SRCDIR", os.path.join(os.path.dirname(__file__), "../.."))
INSTALLED, CHECKED = "tyrum-oci-init", "tests/init/init-checked"
CASES = []


class Skip(Exception):
    """Raised by a case that cannot be run."""


def case(text, installed_only=False):
    def register(function):
        CASES.append((text, function, installed_only))
        return function

    return register


def same(wanted, got, what=""):
    assert wanted == got, f"{what} wanted {wanted!r}, got {got!r}"


def python(text):
    return ["/usr/bin/python3", "-I", "-S", "-c", text]


def shell(text):
    return ["/bin/sh", "-c", text]


def ends(program, command, ended, code, **more):
    with Container(program, command, **more) as c:
        same((ended, code), c.finish()[:2], f"{command}: {c.errors()}")


def scratch(name):
    """A path below a directory that the command may read, and that is removed at the end."""
    return os.path.join(SCRATCH, name)


def under(word):
    """The argv prefix that runs a command under a seccomp filter; see under-filter.c."""
    path = os.path.join(BUILD, "tests/init/under-filter")
    if not os.access(path, os.X_OK):
        raise Skip("under-filter was not built")
    os.makedirs(scratch("profiles/seccomp"), exist_ok=True)
    # Without its mode: from a read-only source tree the second copy would fail.
    shutil.copyfile(os.path.join(SOURCE, "profiles/seccomp/strict.json"), scratch("profiles/seccomp/strict.json"))
    return (tool("env"), f"TYRUM_OCI_TEST_SRCDIR={SCRATCH}", shutil.copy(path, scratch("under-filter")), word)


# ---- Running them.


def usable():
    """Whether the namespaces can be made."""
    try:
        return subprocess.run(isolated(["true"]), timeout=DEADLINE, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def copies():
    """Copies of the programs that any user may execute, {name: path}. None for one that was not built."""
    found = {}
    for name in (INSTALLED, CHECKED):
        path = os.path.join(BUILD, name)
        found[name] = shutil.copy(path, scratch(os.path.basename(name))) if os.access(path, os.X_OK) else None
    return found


def run(number, text, function, program):
    """1 if it failed."""
    try:
        if not program:
            raise Skip("it was not built")
        function(program)
        print(f"ok {number} - {text}", flush=True)
    except Skip as e:
        print(f"ok {number} - {text} # SKIP {e}", flush=True)
    except Exception:
        print("".join(f"# {line}\n" for line in traceback.format_exc().splitlines()), end="")
        print(f"not ok {number} - {text}", flush=True)
        return 1
    return 0


def run_all():
    """Returns how many failed."""
    todo = [(f"{os.path.basename(name)} {text}", function, program)
            for name, program in copies().items()
            for text, function, installed_only in CASES if name == INSTALLED or not installed_only]
    print(f"1..{len(todo) + 1}", flush=True)
    failed = sum(run(number, *one) for number, one in enumerate(todo, 1))
    left = children_of(os.getpid())
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    print(f"{'not ok' if left else 'ok'} {len(todo) + 1} - no process is left {left or ''}")
    return failed + bool(left)


def main():
    global SCRATCH
    if not usable():
        print("1..0 # SKIP pid and mount namespaces cannot be had here")
        sys.exit(0)
    become_subreaper()
    SCRATCH = tempfile.mkdtemp(prefix="test-init-")
    os.chmod(SCRATCH, 0o755)
    try:
        failed = run_all()
    finally:
        shutil.rmtree(SCRATCH)
    sys.exit(1 if failed else 0)
