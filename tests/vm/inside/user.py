# SPDX-License-Identifier: LGPL-2.1-or-later
"""The machine's ordinary user, who has subordinate ids and a session's cgroups as systemd makes them."""
import os
from harness import environment, directory, path

USER = 12345
SLICE = f"/sys/fs/cgroup/user.slice/user-{USER}.slice"
MANAGER = f"{SLICE}/user@{USER}.service"
SCOPE = f"{MANAGER}/app.slice/tests.scope"  # delegated to the processes in it
PLAIN = f"{MANAGER}/app.slice/plain.scope"  # the user's, and the manager's to change

# Enters a group as root and goes on as the user.
ENTER = 'echo 0 > "$0/cgroup.procs" && exec setpriv --reuid {0} --regid {0} --clear-groups --inh-caps=-all "$@"'.format(USER)


def write(name, text):
    with open(name, "w", encoding="ascii") as f:
        f.write(text)


def make_groups():
    os.mkdir(SLICE)
    write(f"{SLICE}/cgroup.subtree_control", "+cpu +memory +pids")
    for group in (MANAGER, f"{MANAGER}/init.scope", f"{MANAGER}/app.slice", SCOPE, PLAIN):
        os.mkdir(group)
        for name in (".", "cgroup.procs", "cgroup.subtree_control", "cgroup.threads"):
            os.chown(f"{group}/{name}", USER, USER)
        if group in (MANAGER, f"{MANAGER}/app.slice"):
            write(f"{group}/cgroup.subtree_control", "+cpu +memory +pids")
    for group in (MANAGER, SCOPE):
        os.setxattr(group, "user.delegate", b"1")


def within(group=SCOPE):
    """Settings for a run of the user's that starts in GROUP."""
    if not os.path.exists(MANAGER):
        make_groups()
    if not os.path.exists(path("user")):
        directory("user", USER, 0o700)
        directory("user/run", USER, 0o700)
    return {"prefix": ["/bin/sh", "-c", ENTER, group], "ws": directory(owner=USER),
            "env": environment(HOME=path("user"), XDG_RUNTIME_DIR=path("user", "run"))}
