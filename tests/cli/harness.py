# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of the command line share: a directory to work in, ways to call the program, and TAP.

Needs no root, no engine and no network. Plans are made for a host that a file describes, in a directory that
nobody else can write. A case is a function; its first line is its name. Environment:
  TYRUM_OCI_TEST_PROGRAM   the program (default: build/tyrum-oci-cli below the source tree)
  TYRUM_OCI_TEST_SRCDIR    the source tree
"""
import atexit, json, os, re, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.environ.get("TYRUM_OCI_TEST_SRCDIR", os.path.dirname(os.path.dirname(HERE)))
PROGRAM = os.path.abspath(os.environ.get("TYRUM_OCI_TEST_PROGRAM", os.path.join(TOP, "build", "tyrum-oci-cli")))

WORK = tempfile.mkdtemp(prefix="tyrum-cli-")
atexit.register(shutil.rmtree, WORK, ignore_errors=True)
DATA, CONF, WS = (os.path.join(WORK, name) for name in ("data", "conf", "ws"))
FACTS, USER_FACTS = (os.path.join(WORK, name) for name in ("root.json", "user.json"))
BACKENDS = ["libcrun", "oci:crun", "oci:runc", "oci:runsc", "docker", "podman"]
CASES = []


def case(function):
    CASES.append(function)
    return function


def write(path, content, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(content if isinstance(content, str) else json.dumps(content))
    os.chmod(path, mode)
    return path


def read(*parts):
    with open(os.path.join(TOP, *parts), encoding="utf-8") as f:
        return f.read()


def host_facts(uid):
    root = [{"path": "/usr", "type": "directory"}, {"path": "/etc/ssl/certs", "type": "directory"}]
    root += [{"path": f"/{n}", "type": "symlink", "target": f"usr/{n}"} for n in ("bin", "lib", "lib64")]
    return {"machine": "x86_64", "kernel": "6.1.0", "uid": uid, "gid": uid, "home": "/home/somebody",
            "config_home": os.path.join(WORK, "user"), "cgroup": "v2", "cgroup_writable": True,
            "swap_accounting": True, "user_namespaces": True, "open_files_hard": 65536,
            "subuid": {"first": 100000, "count": 65536}, "subgid": {"first": 100000, "count": 65536},
            "root": root,
            "paths": [{"path": p, "type": "directory"} for p in ("/projects/demo", "/opt", "/srv", "/var/log")]}


def set_up():
    os.umask(0o022)
    shutil.copytree(os.path.join(TOP, "profiles"), os.path.join(DATA, "profiles"))
    for directory, _, files in os.walk(DATA):
        os.chmod(directory, 0o755)
        for name in files:
            os.chmod(os.path.join(directory, name), 0o644)
    os.mkdir(WS)
    os.mkdir(CONF)
    write(FACTS, host_facts(0))
    write(USER_FACTS, host_facts(1000))


def environment(**more):
    return {"PATH": os.environ["PATH"], "TYRUM_OCI_DATADIR": DATA, "TYRUM_OCI_CONFDIR": CONF, "HOME": WORK,
            "LANG": "C.UTF-8", **more}


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


def call(*words, cwd=WS, env=None, **more):
    done = subprocess.run([PROGRAM, *words], cwd=cwd, env=env or environment(), stdin=subprocess.DEVNULL,
                          stdout=more.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE, timeout=60,
                          check=False, **more)
    return Result(done.returncode, (done.stdout or b"").decode("utf-8", "surrogateescape"),
                  done.stderr.decode("utf-8", "surrogateescape"))


def works(*words, **more):
    result = call(*words, **more)
    assert result.code == 0, f"{words}: exit {result.code}: {result.err}"
    return result


def fails(code, *words, says, **more):
    """Exits with CODE, prints nothing on standard output, and one of our error lines with all of SAYS in it."""
    result = call(*words, **more)
    assert result.code == code, f"{words}: exit {result.code}, not {code}: {result.err}{result.out[:300]}"
    assert result.out == "", f"{words}: standard output is not empty: {result.out[:300]!r}"
    lines = result.err.splitlines()
    assert len(lines) == 1, f"{words}: not one line: {result.err!r}"
    assert lines[0].startswith("tyrum-oci: "), result.err
    assert not re.search(r"[^.]\.$", lines[0]), f"a full stop at the end: {result.err}"
    for text in [says] if isinstance(says, str) else says:
        assert text in lines[0], f"{words}: {text!r} is not in {result.err!r}"
    return result


def spec(*words, facts=FACTS):
    return ["spec", "--host-facts", facts, "--workspace", "/projects/demo", *words]


def explain(*words, facts=FACTS):
    return ["explain", "--host-facts", facts, "--workspace", "/projects/demo", *words]


def document(*words, **more):
    return json.loads(works(*words, **more).out)


def tree(directory):
    found = []
    for at, directories, files in os.walk(directory):
        found += [os.path.join(at, name) for name in directories + files]
    return sorted(found)


def all_verbs():
    """Every path of verbs, found through --help as a person would."""
    found, todo = [], [[]]
    while todo:
        path = todo.pop()
        found.append(path)
        text = works(*path, "--help").out
        section = re.search(r"^Verbs\n((?:  .*\n)+)", text, re.M)
        if section:
            todo += [path + [name] for name in re.findall(r"^  (\S+) ", section.group(1), re.M)]
    return sorted(found)


def source_controls():
    names = re.findall(r'\[CONTROL_\w+\]\s*=\s*\{\s*"([a-z_.]+)"', read("src", "control", "catalogue.c"))
    assert len(names) > 20, names
    return names


DAEMON = os.environ.get("TYRUM_OCI_TEST_DAEMON", "yes") == "yes"  # what configure decided


def source_options():
    names = re.findall(r'\[OPTION_\w+\]\s*=\s*\{\s*"([a-z-]+)"', read("src", "options", "options.c"))
    assert len(names) > 20, names
    return [name for name in names if DAEMON or name not in ("socket", "idle")]


def main():
    """Runs the cases of the calling script; returns its exit status."""
    set_up()
    print(f"1..{len(CASES)}")
    failed = 0
    for number, function in enumerate(CASES, 1):
        name = function.__doc__.splitlines()[0]
        try:
            function()
        except Exception as wrong:  # any exception is a failed case, and the others still run
            failed += 1
            print(f"not ok {number} - {name}")
            for line in f"{function.__name__}: {type(wrong).__name__}: {wrong}".splitlines():
                print(f"# {line}")
        else:
            print(f"ok {number} - {name}")
        sys.stdout.flush()
    return 1 if failed else 0
