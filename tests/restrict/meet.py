# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of the meet share: captured specifications of engines, host facts, and the tool."""
import copy, json, os, subprocess, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.environ.get("TYRUM_OCI_TEST_SRCDIR", os.path.dirname(os.path.dirname(HERE)))
BUILD = os.environ.get("TYRUM_OCI_TEST_BUILDDIR", os.path.join(TOP, "build"))
TOOL = os.path.join(BUILD, "tests/restrict/spec-tool")


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def engine(name):
    return load(os.path.join(HERE, "engines", name + ".json"))


def sources(config):
    return [m["source"] for m in config.get("mounts") or [] if isinstance(m, dict)
            and isinstance(m.get("source"), str) and os.path.normpath(m["source"]) == m["source"]
            and m["source"].startswith("/")]


def host(name, config, facts=()):
    """Host facts in which every source of CONFIG is a file or directory of the root's file system, unless FACTS says otherwise."""
    base = load(os.path.join(TOP, "tests/golden/hosts", name + ".json"))
    said = {f["path"]: f for f in facts}
    paths = []
    for number, path in enumerate(sorted(set(sources(config)) | set(said))):
        kind = "file" if os.path.basename(path) in ("hosts", "hostname", "resolv.conf", ".containerenv", "etc-hosts") or "/containers/tool/" in path else "directory"
        fact = {"filesystem": "ext4", **said.get(path, {"path": path, "type": kind, "device": 1, "inode": 1000 + number})}
        paths.append({key: value for key, value in fact.items() if value is not None})
    base["paths"] = paths
    return base


class Result:
    def __init__(self, process):
        self.refused = process.stderr.strip() if process.returncode else None
        out = json.loads(process.stdout) if process.returncode == 0 else {}
        self.changes, self.document, self.text = out.get("changes"), out.get("document"), process.stdout
        self.status = process.returncode


def meet(document, profile, kind="config", host_name="root", facts=(), confdir=None, annotated=None, text=None, point=None, layer=None):
    with tempfile.TemporaryDirectory() as directory:
        facts_file = os.path.join(directory, "host.json")
        with open(facts_file, "w", encoding="utf-8") as f:
            json.dump(host(host_name, document if kind == "config" else {}, facts), f)
        command = [TOOL, kind, profile, facts_file, confdir or directory] + ([annotated] if annotated else [])
        done = subprocess.run(command, input=text or json.dumps(document), capture_output=True, text=True, timeout=60,
                              env=dict(os.environ, TYRUM_OCI_DATADIR=TOP, **({"SPEC_TOOL_POINT": point} if point else {}),
                                       **({"SPEC_TOOL_LAYER": layer} if layer else {})))
    if done.returncode not in (0, 1):
        raise RuntimeError("the tool ended with %d: %s" % (done.returncode, done.stderr))
    return Result(done)


def edited(document, edits):
    """EDITS: pointer to value; None removes. "/-" at the end of a pointer appends to a list."""
    document = copy.deepcopy(document)
    for pointer, value in edits.items():
        at, parts = document, [p.replace("~1", "/").replace("~0", "~") for p in pointer.split("/")[1:]]
        for part in parts[:-1]:
            at = at[int(part)] if isinstance(at, list) else at.setdefault(part, {})
        last = parts[-1]
        if isinstance(at, list):
            at.append(value) if last == "-" else at.__setitem__(int(last), value)
        elif value is None:
            at.pop(last, None)
        else:
            at[last] = value
    return document
