# SPDX-License-Identifier: LGPL-2.1-or-later
"""The payload cases of the ToolRunner: directories and files they need, how one is run, and what must come of it.

A case is a file NAME.case in cases/, in the format of tests/case_file.py: one line about it, then sections, all of
which but raw are JSON: step (members put into a good payload), without (members taken
out), args (of the action), args_repeat (the one argument of 'true': a text and how often); or raw (the payload's bytes), raw_repeat (pairs of a text and how often) for a payload that is no step;
input (stdin, base64url, base64); options (more words), home (false: no --home); config (the operator's toolrunner section),
profile (sections of a profile of its own); live (it launches something); expect: exit, error (on standard error,
behind the prefix of the contract), answer (by dotted key; null: it is not there; KEY~ and KEY!~ for patterns, "len KEY").

tyrum is for a step that a gateway can send: what Tyrum's own ToolRunner makes of it (exit, error, answer), with the workspace
called /workspace and {"repeat": [TEXT, COUNT]} for long texts. Ours has to be the same in success, error, failureKind, result
and evidence; 'error' may go on after a semicolon. Where that is not so, differs names the row of docs/toolrunner.md that
says it. A case with tyrum needs no expect. These results were made in November 2026 with a model written from the facts about
Tyrum's sources, on Node 20.20 and Ajv 8.20, and not with Tyrum itself.
"""
import base64, json, os, re, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))
import case_file

GOOD = {"tenant_id": "tenant", "turn_id": "turn", "step_id": "step", "attempt_id": "attempt", "key": "key",
        "workspace_id": "workspace", "plan_id": "plan", "step_index": 0, "policy_snapshot_id": "snapshot",
        "action": {"type": "CLI", "args": {"cmd": "true"}}}
CONFIG = {"mode": "command", "policy_checked_upstream": True}
PREFIX = {1: "toolrunner error: ", 2: "toolrunner input error: "}

# Stands in for a ToolRunner in its image.
RUNNER = """#!/usr/bin/python3
import json, os, sys
way = sys.argv[1]
if way == "large":  # as Node does it: what the pipe does not take at once is lost
    os.set_blocking(1, False)
    os.write(1, json.dumps({"success": True, "result": {"stdout": "x" * int(sys.argv[2])}}).encode())
    os._exit(0)
if way == "input-error":
    sys.exit(print("toolrunner input error: the runner says no", file=sys.stderr) or 2)
if way == "error":
    sys.exit(print("toolrunner error: the runner is broken", file=sys.stderr) or 1)
if way == "nonsense":
    sys.exit(print("hello"))
if way == "odd":
    sys.exit(print('{"success":true,"result":{"stdout":"a\\\\u0000b\\\\ud800c\\\\ud83d\\\\ude00"}}'))
step = json.load(sys.stdin)
print(json.dumps({"success": True, "cost": {"tokens": 7, "metadata": {"other": [1]}},
                  "result": {"type": step["action"]["type"], "argv": sys.argv[1:], "key": open("master.key").read()}}))
"""


def expanded(value):
    if isinstance(value, dict) and set(value) == {"repeat"}:
        return value["repeat"][0] * value["repeat"][1]
    if isinstance(value, dict):
        return {key: expanded(item) for key, item in value.items()}
    return [expanded(item) for item in value] if isinstance(value, list) else value


def declared(file):
    """The first column of the table of differences in docs/toolrunner.md."""
    with open(file, encoding="utf-8") as f:
        table = f.read().partition("\n## What differs from Tyrum's own ToolRunner\n")[2].partition("\n## ")[0]
    return {line.split(" | ")[0].removeprefix("| ") for line in table.splitlines() if line.startswith("| ")}


def like_javascript(value):
    """VALUE with every number as JavaScript has it, and writes it."""
    if isinstance(value, dict):
        return {key: like_javascript(item) for key, item in value.items()}
    if isinstance(value, list):
        return [like_javascript(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return None if abs(value) > sys.float_info.max else float(value)


def unlike_tyrum(case, answer):
    """Where the step's result, as a gateway has it, is not what Tyrum's own ToolRunner gives; or None."""
    theirs = case["tyrum"].get("answer") or {"success": False, "error": PREFIX.get(case["tyrum"]["exit"], "") + case["tyrum"].get("error", "")}
    for key in ("success", "failureKind", "result", "evidence"):
        if like_javascript(answer.get(key)) != like_javascript(theirs.get(key)):
            return f"{key}: {str(answer.get(key))[:300]}, not {str(theirs.get(key))[:300]}"
    error, expected = answer.get("error"), theirs.get("error")
    if error != expected and not (expected and (error or "").startswith(expected + "; ")):
        return f"error: {error!r}, not {expected!r}"
    return None


def load(live):
    for name in case_file.names(os.path.join(HERE, "cases")):
        about, sections = case_file.read(os.path.join(HERE, "cases", name + case_file.SUFFIX))
        case = {"about": about.strip(), **{key: text if key == "raw" else json.loads(text) for key, text in sections.items()}}
        if "tyrum" in case:
            case["tyrum"] = expanded(case["tyrum"])
            case.setdefault("expect", {"exit": case["tyrum"]["exit"], "error": case["tyrum"].get("error"), "answer": {}})
        if case.get("live", False) == live:
            yield name, case


def make_home(where):
    """A gateway's home, with what a step must not see; and the workspace in it."""
    for name in ("workspace/deep/er", "workspace/..foo"):
        os.makedirs(os.path.join(where, name), exist_ok=True)
    for name, text in (("master.key", "secret\n"), ("gateway.db", "rows\n"), ("gateway.db-wal", "more rows\n"),
                       ("workspace/deep/plain", "plain\n"), ("runner", RUNNER)):
        with open(os.path.join(where, name), "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(os.path.join(where, name), 0o755 if name == "runner" else 0o600)
    outside = where + "-outside"
    os.makedirs(outside, exist_ok=True)
    with open(os.path.join(outside, "secret"), "w", encoding="utf-8") as f:
        f.write("outside\n")
    if not os.path.islink(os.path.join(where, "workspace", "out")):
        os.symlink(outside, os.path.join(where, "workspace", "out"))


def payload_of(case, home):
    if "raw" in case:
        return case["raw"]
    if "raw_repeat" in case:
        pairs = iter(case["raw_repeat"])
        return "".join(text * count for text, count in zip(pairs, pairs)).encode()
    step = {**GOOD, **case.get("step", {})}
    if "args_repeat" in case:
        text, count = case["args_repeat"]
        step["action"] = {"type": "CLI", "args": {"cmd": "true", "args": [text * count]}}
    if "args" in case:
        step["action"] = {"type": "CLI", "args": case["args"]}
    for name in case.get("without", []):
        del step[name]
    return json.dumps(step).replace("@HOME@", home).encode()


def configure(case, conf):
    config = dict(case.get("config", CONFIG))
    os.makedirs(os.path.join(conf, "profiles"), exist_ok=True)
    if "profile" in case:
        config["profile"] = "ours"
        with open(os.path.join(conf, "profiles", "ours.json"), "w", encoding="utf-8") as f:
            json.dump({"version": 1, "name": "ours", "extends": "baseline", "meaning": "A test's own.", **case["profile"]}, f)
    with open(os.path.join(conf, "config.json"), "w", encoding="utf-8") as f:
        json.dump({"version": 1, "toolrunner": config}, f)


def run(program, case, home, conf, env, seconds=60):
    """Runs it as the gateway would."""
    payload = payload_of(case, home)
    words = [program, "toolrunner"] + (["--home", home, "--db", os.path.join(home, "gateway.db")] if case.get("home", True) else [])
    way = case.get("input", "stdin")
    if way != "stdin":
        encode = base64.urlsafe_b64encode if way == "base64url" else base64.b64encode
        words += ["--payload-b64", encode(payload).decode().rstrip("=" if way == "base64url" else "")]
    configure(case, conf)
    if "--home" in case.get("options", []) or "--db" in case.get("options", []):
        words = words[:2]
    options = [word.replace("@HOME@", home) for word in case.get("options", [])]
    return subprocess.run(words + options, input=payload if way == "stdin" else b"", env=env, cwd="/",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=seconds, check=False)


def look_up(document, key):
    for part in key.split("."):
        document = document.get(part) if isinstance(document, dict) else None
    return document


def wrong_answer(answer, expected):
    for key, value in expected.items():
        if key.startswith("len "):
            found = len(look_up(answer, key[4:]) or "")
        elif key.endswith("!~"):
            found, value = re.search(value, look_up(answer, key[:-2]) or "") is None, True
        elif key.endswith("~"):
            found, value = re.search(value, look_up(answer, key[:-1]) or "") is not None or look_up(answer, key[:-1]), True
        else:
            found = look_up(answer, key)
        if found != value:
            return f"{key}: {str(found)[:300]!r}, not {value!r}"
    return None


def wrong(case, done):
    """The difference from the case, or None."""
    expect = case["expect"]
    said = done.stderr.decode("utf-8", "replace").splitlines()
    if "tyrum" in case and "differs" not in case["tyrum"]:
        unlike = unlike_tyrum(case, json.loads(done.stdout) if done.returncode == 0 else {"success": False, "error": "\n".join(said)})
        if unlike:
            return "unlike Tyrum: " + unlike
    if done.returncode != expect["exit"]:
        return f"exit {done.returncode}, not {expect['exit']}: {said} {done.stdout[:300]!r}"
    if expect["exit"] != 0:
        if done.stdout:
            return f"standard output is not empty: {done.stdout[:300]!r}"
        if len(said) != 1 or not said[0].startswith(PREFIX[expect["exit"]]) or expect["error"] not in said[0]:
            return f"said {said}, and not {PREFIX[expect['exit']]}... {expect['error']}"
        return None
    if said or not done.stdout.endswith(b"\n") or done.stdout.count(b"\n") != 1:
        return f"not one line on standard output alone: {said} {done.stdout[:300]!r}"
    answer = json.loads(done.stdout)
    sandbox = look_up(answer, "cost.metadata.sandbox") or {}
    size = len(json.dumps(sandbox, ensure_ascii=False, separators=(",", ":")).encode())
    if size > 2048 and sandbox.get("schema") != "tyrum-oci/result/1":
        return f"cost.metadata.sandbox has {size} bytes"
    return wrong_answer(answer, expect["answer"])
