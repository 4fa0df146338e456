# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reports of the results: a table, ratios, JSON, a plot, and the generated part of the documentation."""
import json, math, sys

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def percentile(values, percent):
    """The nearest rank: a value that was measured, never one between two."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def summary(samples):
    walls, cpus = [sample[0] for sample in samples], [sample[1] for sample in samples]
    return {"launches": len(samples), "least_ms": min(walls) * 1e3, "p50_ms": percentile(walls, 50) * 1e3, "p95_ms": percentile(walls, 95) * 1e3,
            "p99_ms": percentile(walls, 99) * 1e3, "cpu_ms": sum(cpus) / len(cpus) * 1e3}


def number(value, places=1):
    return f"{value:.{places}f}" if value < 100 else f"{value:.0f}"


# ---- Tables: rows of words, printed for a terminal or for Markdown.

def table(head, rows, markdown=False):
    rows = [[str(word) for word in row] for row in rows]
    if markdown:
        return "\n".join(["| " + " | ".join(row) + " |" for row in [head, ["---"] + ["---:"] * (len(head) - 1), *rows]])
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    return "\n".join("  ".join(word.ljust(width) if i == 0 else word.rjust(width) for i, (word, width) in enumerate(zip(row, widths)))
                     for row in [head, *rows])


def launch_rows(result):
    launches = result["launches"]
    crun = launches.get("crun run", {}).get("p50_ms")
    for name, s in sorted(launches.items(), key=lambda item: item[1]["p50_ms"]):
        yield [name, *(number(s[key]) for key in ("least_ms", "p50_ms", "p95_ms", "p99_ms", "cpu_ms")), number(s["p50_ms"] / crun, 2) if crun else "-"]


def tables(result, markdown=False):
    """Every table that has results, with its title."""
    found = []

    def add(title, head, rows):
        if rows:
            found.append((title, table(head, rows, markdown)))
    add("Launches, in milliseconds", ["", "least", "p50", "p95", "p99", "processor", "of crun's p50"], list(launch_rows(result)))
    widths = sorted({int(w) for rates in result["parallel"].values() for w in rates})
    add("Launches per second, so many at a time", ["", *map(str, widths)],
        [[name, *(number(rates[str(w)]) if str(w) in rates else "-" for w in widths)] for name, rates in result["parallel"].items()])
    add("Memory of an idle run, in KiB, without the command's", ["", "private", "proportional", "daemons before", "private, by process"],
        [[name, held["private_kib"], held["proportional_kib"], held["daemons_kib"], ", ".join(held["processes"])] for name, held in result["memory"].items()])
    add("p50 in milliseconds as a run grows", ["", "tyrum-oci cold", "crun run"],
        [[f"{point['count']} {point['what']}", number(point["ours_ms"]), number(point["crun_ms"])] for point in result["growth"]])
    add("The translator alone, in millions of instructions", ["", "instructions"],
        [[name, number(count / 1e6, 2)] for name, count in result["translator"].items()])
    return found


# ---- The ratios that were promised.

def ratio(result, above, below):
    launches = result["launches"]
    if above in launches and below in launches:
        return launches[above]["p50_ms"] / launches[below]["p50_ms"]
    return None


def difference(result, above, below):
    launches = result["launches"]
    if above in launches and below in launches:
        return launches[above]["p50_ms"] - launches[below]["p50_ms"]
    return None


def rate(result, name, width="32"):
    return result["parallel"].get(name, {}).get(width)


def promises(result):
    """What, the bound, its kind, and what was measured, or None."""
    launches, ours = result["launches"], ("tyrum-oci warm", "tyrum-oci cold")
    best = next((name for name in ours if rate(result, name)), None)
    held = result["memory"].get("tyrum-oci cold")
    yield "warm / crun run", "at most", 0.40, ratio(result, "tyrum-oci warm", "crun run")
    yield "cold / crun run", "at most", 0.80, ratio(result, "tyrum-oci cold", "crun run")
    yield "held-ready / crun run", "at most", 0.15, ratio(result, "tyrum-oci held", "crun run")
    yield "docker run / warm", "at least", 25, ratio(result, "docker run", "tyrum-oci warm")
    yield "podman run / warm", "at least", 12, ratio(result, "podman run", "tyrum-oci warm")
    yield (f"32 at a time: {best or 'tyrum-oci'} / crun run", "at least", 2,
           rate(result, best) / rate(result, "crun run") if best and rate(result, "crun run") else None)
    yield "private memory of an idle run, MiB", "at most", 1.5, held["private_kib"] / 1024 if held else None
    for name in (*ours, "tyrum-oci held"):
        if name in launches:
            yield f"p99 / p50 of {name}", "at most", 3, launches[name]["p99_ms"] / launches[name]["p50_ms"]
    yield "p50 that observation adds, ms", "at most", 2, difference(result, "tyrum-oci cold", "tyrum-oci unobserved")


def verdicts(result):
    """PASS, MISS, or '----' if not measured, and the line for it."""
    found = []
    for what, kind, bound, measured in promises(result):
        if measured is None:
            found.append(("----", f"{what}: {kind} {bound}; not measured"))
        else:
            kept = measured <= bound if kind == "at most" else measured >= bound
            found.append(("PASS" if kept else "MISS", f"{what}: {kind} {bound}; measured {measured:.2f}"))
    return found


# ---- What is printed and written.

def say(result, out=sys.stdout):
    host = result["host"]
    print(f"\n{host['processors']} processors, kernel {host['kernel']}, load {host['load_before']} before and {host['load_after']} after\n", file=out)
    for title, text in tables(result):
        print(f"{title}\n\n{text}\n", file=out)
    print("What a launch includes\n", file=out)
    for name, includes in result["includes"].items():
        print(f"  {name}: {includes}", file=out)
    for name, why in result["absent"].items():
        print(f"  {name}: took no part: {' '.join(why.split())}", file=out)
    print("\nPromised\n", file=out)
    for verdict, line in verdicts(result):
        print(f"  {verdict}  {line}", file=out)


def write(where, text):
    with open(where, "w", encoding="utf-8") as f:
        f.write(text)


def read_json(where):
    with open(where, encoding="utf-8") as f:
        return json.load(f)


def write_json(result, where):
    document = {**result, "promises": [{"verdict": verdict, "what": line} for verdict, line in verdicts(result)]}
    write(where, json.dumps(document, indent=2) + "\n")


def write_doc(result, where):
    """Replaces the text between the marks in WHERE."""
    with open(where, encoding="utf-8") as f:
        text = f.read()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    host = result["host"]
    parts = [f"{host['processors']} processors, load {host['load_before']} before and {host['load_after']} after, kernel {host['kernel']}; "
             + ", ".join(f"{name} {version}" for name, version in host["versions"].items()) + "."]
    parts += [f"### {title}\n\n{text}" for title, text in tables(result, markdown=True)]
    parts.append("### Promised\n\n" + table(["", ""], [[line, verdict] for verdict, line in verdicts(result)], markdown=True))
    write(where, before + BEGIN + "\n\n" + "\n\n".join(parts) + "\n\n" + END + after)


# ---- The plot: a row for each contender, a dot for each launch, on a logarithmic scale.

LEFT, WIDTH, ROW, TOP = 150, 860, 34, 40


def write_svg(result, where):
    rows = sorted(result["samples"].items(), key=lambda item: result["launches"][item[0]]["p50_ms"])
    values = [sample[0] * 1e3 for _, samples in rows for sample in samples]
    if not values:
        return
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    height = TOP + ROW * len(rows) + 30

    def at(ms):
        return LEFT + (math.log10(ms) - low) / max(high - low, 1) * (WIDTH - LEFT - 30)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
             f'<text x="{LEFT}" y="18" font-size="14">Launches in milliseconds: each, the median and p99</text>']
    for power in range(low, high + 1):
        for step in range(1, 10):
            x = at(step * 10 ** power)
            if x <= WIDTH - 29:
                lines.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{height - 24}" stroke="{"#bbb" if step == 1 else "#eee"}"/>')
        lines.append(f'<text x="{at(10 ** power):.1f}" y="{height - 8}" text-anchor="middle">{10 ** power:g}</text>')
    for index, (name, samples) in enumerate(rows):
        y = TOP + ROW * index + ROW / 2
        colour = "#1b6ca8" if name.startswith("tyrum") else "#666"
        lines.append(f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end" fill="{colour}">{name}</text>')
        for turn, sample in enumerate(samples):
            lines.append(f'<circle cx="{at(sample[0] * 1e3):.1f}" cy="{y - 6 + turn * 7 % 13:.1f}" r="1.6" fill="{colour}" fill-opacity="0.35"/>')
        for key, thick in (("p50_ms", 3), ("p99_ms", 1)):
            x = at(result["launches"][name][key])
            lines.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y - 11}" y2="{y + 11}" stroke="{colour}" stroke-width="{thick}"/>')
    write(where, "\n".join(lines + ["</svg>"]) + "\n")
