# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sums up gcov's documents: SOURCE-TREE DIRECTORY-OF-DOCUMENTS SHOW-LINES CORE-DIRECTORY..."""
import glob, gzip, json, os, sys

LEAST = 90.0


def main():
    top, where, show, directories = sys.argv[1], sys.argv[2], sys.argv[3] == "yes", sys.argv[4:]
    lines, branches = {}, {}
    for document in glob.glob(os.path.join(where, "*.json.gz")):
        with gzip.open(document) as f:
            data = json.load(f)
        for entry in data["files"]:
            name = os.path.relpath(os.path.join(data["current_working_directory"], entry["file"]), top)
            if not name.startswith("src/") or not name.endswith(".c"):
                continue
            for line in entry["lines"]:
                at = (name, line["line_number"])
                lines[at] = max(lines.get(at, 0), line["count"])
                taken = [b["count"] > 0 for b in line.get("branches", ())]
                branches[at] = [a or b for a, b in zip(branches[at], taken)] if at in branches else taken
    total, short = [0, 0, 0, 0], []
    print("directory        lines         branches")
    for directory in directories:
        own = [at for at in lines if at[0].startswith(f"src/{directory}/")]
        ways = [b for at in own for b in branches[at]]
        sums = [len(own), sum(lines[at] > 0 for at in own), len(ways), sum(ways)]
        total = [a + b for a, b in zip(total, sums)]
        say(directory, sums)
        if not sums[0] or 100.0 * sums[1] / sums[0] < LEAST:
            short.append(directory)
    say("all", total)
    if show:
        for name in sorted({at[0] for at in lines if lines[at] == 0}):
            missed = sorted(number for file, number in lines if file == name and lines[file, number] == 0)
            print(f"{name}: {' '.join(map(str, missed))}")
    if short:
        sys.exit(f"less than {LEAST:.0f} % of the lines are executed in: {' '.join(short)}")


def say(name, sums):
    parts = [f"{got:5}/{of:5} {100.0 * got / of if of else 0:5.1f} %" for of, got in (sums[0:2], sums[2:4])]
    print(f"{name:10} {parts[0]}  {parts[1]}")


main()
