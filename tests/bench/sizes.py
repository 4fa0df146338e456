# SPDX-License-Identifier: LGPL-2.1-or-later
"""Everything but one launch after another: many at once, memory held, cost as a run grows, and the translator by itself."""
import json, os, re, shutil, signal, statistics, subprocess, time

import contenders, world
from launching import Failed, by_turns, parents
from report import percentile
from world import PAYLOAD, PROFILE, harness, path, write

WIDTHS = (1, 2, 8, 32)
PARALLEL = ("tyrum-oci cold", "tyrum-oci warm", "tyrum-oci held", "crun run")
HELD = "hold"  # any argument makes the payload stay


# ---- Many at once.

def parallel(spawner, here, quick, progress):
    """Launches per second at each width: the median of turns."""
    here, turns = [c for c in here if c.name in PARALLEL], 1 if quick else 5
    widths = WIDTHS[::2] if quick else WIDTHS
    rates = {c.name: {width: [] for width in widths} for c in here}
    for turn in range(turns):
        for number, width in enumerate(widths):
            progress(turn * len(widths) + number, turns * len(widths))
            for contender in here:
                rates[contender.name][width].append(spawner.at_once(contender, width, max(16, 2 * width)))
    return {name: {str(width): statistics.median(taken) for width, taken in found.items()} for name, found in rates.items()}


# ---- Memory held.

def rollup(pid):
    """Private and proportional memory of a process, in KiB; nothing for one that has none or is gone."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as f:
            values = {line.split(":")[0]: int(line.split()[1]) for line in f if line.rstrip().endswith("kB")}
    except OSError:
        return 0, 0
    return sum(value for name, value in values.items() if name.startswith("Private_")), values.get("Pss", 0)


def command_of(pid):
    with open(f"/proc/{pid}/cmdline", "rb") as f:
        return [word.decode(errors="replace") for word in f.read().split(b"\0")[:-1]]


def like_ours(contender, pid):
    """Checks the payload's status: only contenders with the same containment are compared."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as f:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)
    for name, expected in (("Seccomp", "2"), ("NoNewPrivs", "1"), ("CapEff", "0" * 16), ("CapBnd", "0" * 16)):
        if status[name] != expected:
            raise Failed(f"{contender.name}: its payload has {name} {status[name]}, not {expected}")


def held_by(spawner, contender):
    """All processes that an idle run of CONTENDER added to those that were there, but for the payload; what its daemons had
    before, and have more since."""
    before, said, until = set(parents()), b"", time.monotonic() + 60
    daemons = {daemon: rollup(daemon)[0] for daemon in contender.daemons}
    contender.prepare()
    pid = spawner.spawn(contender, 0, contender.words(0, (PAYLOAD, HELD)))
    try:
        while b"ran\n" not in said:
            said += spawner.said()
            if time.monotonic() > until:
                raise Failed(f"{contender.name}: the payload has not started")
            time.sleep(0.05)
        time.sleep(1)  # for what ends soon after a start
        private, proportional, names = 0, 0, []
        added = {new: command_of(new)[:1] for new in sorted(set(parents()) - before)}
        like_ours(contender, next(new for new, program in added.items() if program == [PAYLOAD]))
        for new, program in added.items():
            if program and program != [PAYLOAD]:
                mine, share = rollup(new)
                private, proportional = private + mine, proportional + share
                names.append(f"{os.path.basename(program[0])} {mine}")
        for daemon, had in daemons.items():
            # Memory shared with a child that it forked still counts.
            more = max(0, rollup(daemon)[0] - had)
            private, proportional = private + more, proportional + more
            names.append(f"{os.path.basename(command_of(daemon)[0])} {more:+}")
        return {"private_kib": private, "proportional_kib": proportional, "daemons_kib": sum(daemons.values()), "processes": names}
    finally:
        end(spawner, pid, before)


def end(spawner, pid, before):
    """Ends the payload, and waits for the end of the run and of everything that belongs to it."""
    for new in set(parents()) - before:
        try:
            if command_of(new)[:1] == [PAYLOAD]:
                os.kill(new, signal.SIGKILL)
        except OSError:
            pass
    with spawner.deadline():
        try:
            os.waitpid(pid, 0)
        except ChildProcessError:
            pass
    spawner.settle()
    spawner.said()


def memory(spawner, here):
    world.bundle("held", command=(PAYLOAD, HELD))
    names = ("floor", "bwrap", "tyrum-oci cold", "tyrum-oci warm", "crun run", "runc run", "docker run", "podman run")
    return {c.name: held_by(spawner, c) for c in here if c.name in names}


# ---- Cost as a run grows.

def profile(name, **sections):
    """A profile of the operator's, by its file."""
    return harness.profile(name, extends=PROFILE, **sections)


def with_mounts(count):
    sources = []
    for index in range(count):
        where = path("sources", str(index))
        os.makedirs(where, exist_ok=True)
        os.makedirs(os.path.join(world.ROOT, "m", str(index)), exist_ok=True)
        sources.append({"source": where, "target": f"/m/{index}", "access": "read-only"})
    return profile(f"mounts-{count}", filesystem={"mounts": sources})


def with_variables(count):
    return profile(f"variables-{count}", environment={"set": {f"VARIABLE_{i}": "x" * 40 for i in range(count)}})


def with_comparisons(count):
    """The strict list, with one call allowed for that many values of an argument."""
    with open(os.path.join(harness.TOP, "profiles", "seccomp", "strict.json"), encoding="utf-8") as f:
        document = json.loads(re.sub(r"//[^\n]*", "", f.read()))
    for calls in document["deny"].values():
        if "kcmp" in calls:
            calls.remove("kcmp")
    document["name"] = f"comparisons-{count}"
    document["when"]["kcmp"] = {"else": "EPERM", "allow": [[{"argument": 2, "in": list(range(first, min(first + 64, count)))}]
                                                           for first in range(0, count, 64)]}  # a list of values holds no more
    return profile(f"comparisons-{count}", process={"seccomp": write(f"profiles/seccomp/{document['name']}.json", document)})


GROWTH = (("mounts more", with_mounts, (0, 8, 32, 64)), ("variables more", with_variables, (0, 64, 256)),
          ("comparisons more in the filter", with_comparisons, (1, 64, 256)))


def growth(spawner, launches, quick, progress):
    """Ours and crun run, by turns, at a few points of each."""
    pairs = []
    for what, make, counts in GROWTH:
        for count in counts[::len(counts) - 1] if quick else counts:
            where, name = make(count), f"{what.split()[0]}-{count}"
            world.bundle(name, profile=where)
            pairs.append((what, count, contenders.ours(f"ours {name}", "", *contenders.at_root(), profile=where),
                          contenders.crun(f"crun {name}", name)))
    taken, failed = by_turns(spawner, [c for pair in pairs for c in pair[2:]], max(5, launches // 2), progress)
    if failed:
        raise Failed("; ".join(failed.values()))

    def middle(contender):
        return percentile([sample[0] for sample in taken[contender.name]], 50) * 1e3
    return [{"what": what, "count": count, "ours_ms": middle(ours), "crun_ms": middle(crun)} for what, count, ours, crun in pairs]


# ---- The translator by itself.

def translator():
    """Instructions of one `tyrum-oci spec`, as valgrind counts them: the same on every machine, near enough."""
    if shutil.which("valgrind") is None:
        return {}
    found = {}
    for name in ("baseline", PROFILE):
        done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={path('callgrind')}", harness.CLI, "spec", "--profile", name,
                               "--rootfs", world.ROOT, "--workspace", world.WS, "--", PAYLOAD], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=harness.environment(), cwd=path("home"), check=True)
        found[f"spec --profile {name}"] = int(re.search(rb"Collected : (\d+)", done.stderr).group(1))
    return found
