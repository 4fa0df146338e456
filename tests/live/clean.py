# SPDX-License-Identifier: LGPL-2.1-or-later
"""Removing a directory of a test's own, and nothing else.

What is still mounted below it would be emptied with it, and may be the host's: it is unmounted first, and where that does not
help the directory stays.
"""
import re, shutil, subprocess


def mounted_below(top):
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as f:
        points = [re.sub(r"\\([0-7]{3})", lambda m: chr(int(m.group(1), 8)), line.split()[4]) for line in f]
    return [point for point in points if point == top or point.startswith(top + "/")]


def remove_tree(top):
    for point in reversed(mounted_below(top)):
        subprocess.run(["umount", "--lazy", point], check=False, stderr=subprocess.DEVNULL)
    if mounted_below(top):
        print(f"# '{top}' stays: something is mounted below it")
        return
    shutil.rmtree(top, ignore_errors=True)
