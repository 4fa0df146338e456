# SPDX-License-Identifier: LGPL-2.1-or-later
"""A runtime that lies: edits config.json on `create`, then becomes the real one.

  liar.py LIE REAL [ARGUMENT...]

LIES says of every lie which control it breaks, and what it does. A lie gets the document, and the words of the command
line, and changes either. HARMLESS are lies that nothing has to find: init makes good itself what they take away.
"""
import array, contextlib, ctypes, fcntl, json, os, select, socket, struct, subprocess, sys, time

LIES, HARMLESS = {}, {}


def harmless(function):
    HARMLESS[function.__name__] = function
    return function


def lie(control, profile=None):
    """CONTROL must be named. PROFILE: settings that give the lie something to break."""
    def mark(function):
        LIES[function.__name__] = (control, profile or {}, function)
        return function
    return mark


def without(config, *keys):
    """Removes the value at the path KEYS."""
    for key in keys[:-1]:
        config = config[key]
    config.pop(keys[-1], None)


def share(config, kind):
    config["linux"]["namespaces"] = [n for n in config["linux"]["namespaces"] if n["type"] != kind]


def mount(config, target):
    return [m for m in config["mounts"] if m["destination"] == target][0]


# ---- The filter.

@lie("process.seccomp")
def no_filter(config, words):
    without(config, "linux", "seccomp")


@lie("process.seccomp")
def filter_that_allows_all(config, words):
    config["linux"]["seccomp"] = {"defaultAction": "SCMP_ACT_ALLOW", "architectures": ["SCMP_ARCH_X86_64"],
                                  "syscalls": [{"names": ["nfsservctl"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1}]}


@lie("process.seccomp")
def filter_with_our_seal_that_allows_all(config, words):
    sealed = [r for r in config["linux"]["seccomp"]["syscalls"] if r["names"] == ["nfsservctl"]]
    config["linux"]["seccomp"] = {"defaultAction": "SCMP_ACT_ALLOW", "architectures": ["SCMP_ARCH_X86_64"],
                                  "syscalls": sealed}


def listen(config, words, keep):
    """The runtime's filter gets a listener, which a process of the liar's drops, or keeps for KEEP seconds and lets every call go on."""
    path = os.path.join(words[words.index("--bundle") + 1], "deaf")
    config["linux"]["seccomp"]["listenerPath"] = path
    for rule in config["linux"]["seccomp"]["syscalls"]:
        if rule["action"] == "SCMP_ACT_TRACE":
            rule["action"] = "SCMP_ACT_NOTIFY"
    with socket.socket(socket.AF_UNIX) as here:
        here.bind(path)
        here.listen(1)
        if os.fork() == 0:
            os.closerange(0, here.fileno())
            here.settimeout(20)
            peer = here.accept()[0]
            peer.settimeout(20)
            _, more, _, _ = peer.recvmsg(65536, socket.CMSG_SPACE(array.array("i").itemsize))
            if keep and more:
                let_go_on(array.array("i", more[0][2])[0], time.monotonic() + keep)
            os._exit(0)


def let_go_on(listener, until):
    receive, send, go_on = 0xc0502100, 0xc0182101, 1
    while time.monotonic() < until:
        if select.select([listener], [], [], 0.2)[0]:
            notification = bytearray(80)
            with contextlib.suppress(OSError):
                fcntl.ioctl(listener, receive, notification)
                fcntl.ioctl(listener, send, bytearray(notification[:8] + bytes(12) + struct.pack("I", go_on)))


@lie("process.seccomp")
def filter_that_feigns_init_own(config, words):
    """Loading a filter returns success without loading one, and what would be reported is denied with the list's errno."""
    filter_that_denies_only_what_is_probed(config, words)
    for rule in config["linux"]["seccomp"]["syscalls"]:
        if rule["action"] == "SCMP_ACT_TRACE":
            rule.update(action="SCMP_ACT_ERRNO", errnoRet=1)
    config["linux"]["seccomp"]["syscalls"].append({"names": ["seccomp"], "action": "SCMP_ACT_ERRNO", "errnoRet": 0})


@lie("process.seccomp")
def listener_that_lets_calls_go_on(config, words):
    listen(config, words, keep=5)


# ---- User and privileges.

@lie("user.non_root")
def root(config, words):
    config["process"]["user"].update(uid=0, gid=0)


@lie("user.non_root")
def another_user(config, words):
    config["process"]["user"].update(uid=10002)


@lie("user.non_root")
def a_group_more(config, words):
    config["process"]["user"]["additionalGids"] = [42]


@lie("process.capabilities")
def a_capability(config, words):
    for name in config["process"]["capabilities"]:
        config["process"]["capabilities"][name] = ["CAP_CHOWN"]


@lie("process.capabilities")
def a_capability_in_the_bounding_set(config, words):
    config["process"]["capabilities"]["bounding"] = ["CAP_SYS_ADMIN"]


@lie("process.capabilities")
def an_inheritable_capability(config, words):
    config["process"]["capabilities"].update(bounding=["CAP_CHOWN"], permitted=["CAP_CHOWN"], inheritable=["CAP_CHOWN"])


# Without it runc sets the filter first, and the strict one would refuse runc itself.
@lie("process.no_new_privileges", {"process": {"seccomp": "default"}})
def new_privileges(config, words):
    config["process"]["noNewPrivileges"] = False


@lie("process.fds_closed")
def a_descriptor_more(config, words):
    fd = os.open("/etc", os.O_RDONLY | os.O_DIRECTORY)
    os.dup2(fd, 5, inheritable=True)
    words[words.index("--preserve-fds") + 1] = "3"


@lie("process.tools", {"process": {"tools": ["/usr/bin/touch"]}})
def bounds_that_bind_nobody(config, words):
    """The filter makes Landlock's calls return success without making them."""
    for rule in config["linux"]["seccomp"]["syscalls"]:
        rule["names"] = [name for name in rule["names"] if name != "landlock_restrict_self"]
    config["linux"]["seccomp"]["syscalls"].append({"names": ["landlock_restrict_self"], "action": "SCMP_ACT_ERRNO", "errnoRet": 0})


# Only where there is AppArmor: tests/vm/inside/apparmor tells it.
@lie("process.apparmor")
def no_label(config, words):
    without(config, "process", "apparmorProfile")


@lie("environment.clean")
def a_variable_more(config, words):
    config["process"]["env"].append("LD_PRELOAD=/workspace/evil.so")


@lie("environment.clean")
def another_value(config, words):
    config["process"]["env"] = [v if not v.startswith("PATH=") else "PATH=/workspace" for v in config["process"]["env"]]


@lie("limits.open_files")
def more_files(config, words):
    for limit in config["process"]["rlimits"]:
        if limit["type"] == "RLIMIT_NOFILE":
            limit.update(soft=limit["hard"] * 2, hard=limit["hard"] * 2)
    args = config["process"]["args"]
    if "--open-files" in args:
        del args[args.index("--open-files"):args.index("--open-files") + 2]


@lie("isolation.type")
def another_init(config, words):
    """The same bytes, but not our file: a program that speaks init's protocol is not init."""
    copy = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "..", "another-init")
    mount(config, "/run/tyrum/init")["source"] = os.environ.get("ANOTHER_INIT", copy)


# ---- What is mounted.

@lie("root.read_only")
def writable_root(config, words):
    config["root"]["readonly"] = False


@lie("workspace.bounded")
def a_mount_of_the_host(config, words):
    config["mounts"].append({"destination": "/tmp/etc", "type": "bind", "source": "/etc",
                             "options": ["rbind", "ro", "nosuid", "nodev"]})


@lie("workspace.bounded", {"process": {"user_namespace": "host"}})
def the_root_of_the_host(config, words):
    """With a directory for every mount, or the runtime itself would fail. In a stage of our own: the host has none of it."""
    fresh = os.environ["WORK"] + "/root-of-host"
    os.makedirs(fresh, exist_ok=True)
    for name in ("proc", "dev", "sys", "tmp", "workspace", "run/tyrum", "usr", "etc"):
        os.makedirs(f"{fresh}/{name}", exist_ok=True)
    open(f"{fresh}/run/tyrum/init", "w").close()
    for name in ("bin", "sbin", "lib", "lib64"):
        if os.path.islink(f"/{name}") and not os.path.islink(f"{fresh}/{name}"):
            os.symlink(os.readlink(f"/{name}"), f"{fresh}/{name}")
    config["mounts"] = [m for m in config["mounts"] if not m["destination"].startswith("/etc")]
    config["root"]["path"] = fresh


@lie("workspace.bounded", {"process": {"user_namespace": "host"}})
def the_shared_memory_of_the_host(config, words):
    mount(config, "/dev/shm").update(type="bind", source=os.environ["WORK"] + "/host-shm",
                                     options=["bind", "rw", "nosuid", "nodev", "noexec"])


@lie("devices.minimal", {"process": {"user_namespace": "host"}})
def a_file_as_a_device(config, words):
    config["mounts"].append({"destination": "/dev/console", "type": "bind", "source": "/etc/passwd",
                             "options": ["bind", "ro", "nosuid", "nodev"]})


@lie("workspace.bounded", {"process": {"user_namespace": "host"}})
def a_directory_as_a_queue(config, words):
    mount(config, "/dev/mqueue").update(type="bind", source=os.environ["WORK"] + "/given",
                                        options=["bind", "rw", "nosuid", "nodev", "noexec"])


@lie("workspace.bounded")
def a_directory_over_a_masked_path(config, words):
    config["linux"]["maskedPaths"].remove("/sys/firmware")
    config["mounts"].append({"destination": "/sys/firmware", "type": "bind", "source": os.environ["WORK"] + "/given",
                             "options": ["bind", "rw", "nosuid", "nodev"]})


@lie("workspace.bounded", {"process": {"user_namespace": "host"}})
def a_directory_as_the_console(config, words):
    config["mounts"].append({"destination": "/dev/console", "type": "bind", "source": os.environ["WORK"] + "/given",
                             "options": ["bind", "rw", "nosuid", "nodev"]})


@lie("process.fds_closed")
def a_directory_as_standard_input(config, words):
    os.dup2(os.open(os.environ["WORK"] + "/given", os.O_RDONLY | os.O_DIRECTORY), 0, inheritable=True)


@lie("paths.masked", {"process": {"user_namespace": "host"}})
def a_proc_that_is_none(config, words):
    """Files with the contents that init would accept."""
    forged = os.environ["WORK"] + "/forged-proc"
    for name in ("self", "1"):
        os.makedirs(f"{forged}/{name}/fd", exist_ok=True)
        with open(f"{forged}/{name}/status", "w", encoding="ascii") as f:
            f.write("Name:\tinit\nUid:\t10001\t10001\t10001\t10001\nNoNewPrivs:\t1\nSeccomp:\t2\n")
    mount(config, "/proc").update(type="bind", source=forged, options=["bind", "rw", "nosuid", "nodev", "noexec"])
    for kind in ("maskedPaths", "readonlyPaths"):
        config["linux"][kind] = [path for path in config["linux"][kind] if not path.startswith("/proc/")]


@lie("workspace.bounded")
def another_working_directory(config, words):
    config["process"]["cwd"] = "/usr"


@lie("workspace.bounded")
def another_workspace(config, words):
    mount(config, "/workspace")["source"] = "/var"


@lie("workspace.bounded", {"filesystem": {"workspace": "read-only"}})
def workspace_without_a_mount(config, words):
    config["mounts"] = [m for m in config["mounts"] if m["destination"] != "/workspace"]


@lie("mounts.nosuid_nodev")
def setuid_in_tmp(config, words):
    mount(config, "/tmp")["options"] = [o for o in mount(config, "/tmp")["options"] if o not in ("nosuid", "nodev")] + \
        ["suid", "dev"]


@lie("mounts.nosuid_nodev")
def execution_in_tmp(config, words):
    mount(config, "/tmp")["options"] = [o for o in mount(config, "/tmp")["options"] if o != "noexec"]


@lie("tmp.bounded")
def more_tmp(config, words):
    mount(config, "/tmp")["options"] = [o if not o.startswith("size=") else "size=1073741824"
                                        for o in mount(config, "/tmp")["options"]]


@lie("tmp.bounded")
def more_shm(config, words):
    mount(config, "/dev/shm")["options"] = [o if not o.startswith("size=") else "size=1073741824"
                                            for o in mount(config, "/dev/shm")["options"]]


@lie("paths.masked")
def an_unmasked_path(config, words):
    config["linux"]["maskedPaths"].remove("/proc/interrupts")


@lie("paths.masked")
def a_path_to_steer_the_host(config, words):
    config["linux"]["readonlyPaths"].remove("/proc/sys")


@lie("paths.hidden", {"filesystem": {"hide": ["secret"]}})
def an_unhidden_path(config, words):
    config["linux"]["maskedPaths"].remove("/workspace/secret")


@lie("devices.minimal", {"process": {"user_namespace": "host"}})
def a_device_more(config, words):
    config["linux"]["devices"] = [{"path": "/dev/kmsg", "type": "c", "major": 1, "minor": 11, "fileMode": 0o666}]


# Secrets are enforced in part only, so they are never verified and cannot be required: the missing mount is what is found.
SECRET = {"secrets": [{"name": "token", "source": "WORK/token"}], "optional": ["secrets.files"]}


@lie("workspace.bounded", SECRET)
def another_secret(config, words):
    mount(config, "/run/secrets/token").update(source=os.environ["WORK"] + "/other-token")


@lie("workspace.bounded", SECRET)
def no_secret(config, words):
    config["mounts"] = [m for m in config["mounts"] if m["destination"] != "/run/secrets/token"]


# ---- Namespaces.

# In a user namespace the kernel itself refuses what follows from some of these.
@lie("namespace.pid", {"process": {"user_namespace": "host"}})
def the_pids_of_the_host(config, words):
    share(config, "pid")


@lie("namespace.ipc")
def the_ipc_of_the_host(config, words):
    share(config, "ipc")
    config["mounts"] = [m for m in config["mounts"] if m["type"] != "mqueue"]


@lie("namespace.uts")
def the_name_of_the_host(config, words):
    share(config, "uts")
    without(config, "hostname")


@lie("network.mode", {"process": {"user_namespace": "host"}})
def the_network_of_the_host(config, words):
    share(config, "network")


@lie("user.namespace")
def the_users_of_the_host(config, words):
    share(config, "user")
    without(config, "linux", "uidMappings")
    without(config, "linux", "gidMappings")


@lie("user.namespace")
def another_range_of_users(config, words):
    for kind in ("uidMappings", "gidMappings"):
        for entry in config["linux"][kind]:
            entry["hostID"] += 65536


@lie("namespace.cgroup")
def the_cgroups_of_the_host(config, words):
    share(config, "cgroup")


GROUPS = "/sys/fs/cgroup"


@lie("namespace.cgroup")
def a_cgroup_that_can_be_written(config, words):
    group = mount(config, f"{GROUPS}/memory")
    subprocess.run(["mount", "-o", "remount,bind,rw", group["source"]], check=True)
    group["options"][group["options"].index("ro")] = "rw"


@lie("namespace.cgroup")
def a_directory_of_cgroups_that_can_be_written(config, words):
    options = mount(config, GROUPS)["options"]
    options[options.index("ro")] = "rw"


@lie("namespace.cgroup")
def the_whole_tree_of_cgroups(config, words):
    config["mounts"] = [m for m in config["mounts"] if not m["destination"].startswith(f"{GROUPS}/")]
    mount(config, GROUPS)["source"] = GROUPS
    mount(config, GROUPS)["options"].append("rbind")


@lie("namespace.cgroup")
def the_root_of_one_hierarchy(config, words):
    mount(config, f"{GROUPS}/memory")["source"] = f"{GROUPS}/memory"


@lie("namespace.cgroup")
def the_cgroup_of_another(config, words):
    other = f"{GROUPS}/memory/tyrum-elsewhere-{os.getpid()}"
    os.mkdir(other)
    mount(config, f"{GROUPS}/memory")["source"] = other


@lie("namespace.cgroup")
def files_that_look_like_a_cgroup(config, words):
    """Files that show no limit."""
    files = os.path.join(os.environ["WORK"], "given")
    with open(os.path.join(files, "memory.limit_in_bytes"), "w") as f:
        f.write("9223372036854771712\n")
    mount(config, f"{GROUPS}/memory")["source"] = files


@lie("workspace.bounded")
def no_cgroup_where_one_was_planned(config, words):
    config["mounts"] = [m for m in config["mounts"] if m["destination"] != f"{GROUPS}/memory"]


@lie("namespace.mount")
def mounts_that_are_passed_on(config, words):
    config["linux"]["rootfsPropagation"] = "shared"
    mount(config, "/workspace")["options"].append("rshared")


@lie("namespace.ipc", {"process": {"user_namespace": "host"}})
def the_ipc_of_a_sibling(config, words):
    with open(os.environ.get("SIBLING", os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "..", "sibling"))) as f:
        pid = f.read().strip()
    for entry in config["linux"]["namespaces"]:
        if entry["type"] == "ipc":
            entry["path"] = f"/proc/{pid}/ns/ipc"


# ---- Limits.

@lie("limits.memory")
def no_limit_of_memory(config, words):
    without(config, "linux", "resources", "memory")


@lie("limits.memory")
def swap(config, words):
    config["linux"]["resources"]["memory"]["swap"] *= 2


@lie("limits.pids")
def no_limit_of_pids(config, words):
    without(config, "linux", "resources", "pids")


@lie("limits.cpu")
def no_limit_of_cpu(config, words):
    without(config, "linux", "resources", "cpu")


@lie("limits.memory")
def a_cgroup_with_our_name_elsewhere(config, words):
    config["linux"]["cgroupsPath"] = "/tyrum-elsewhere-" + str(os.getpid()) + config["linux"]["cgroupsPath"]


@lie("limits.memory")
def another_cgroup(config, words):
    config["linux"]["cgroupsPath"] += "-elsewhere"


# ---- What init makes good.

# The names of posture/questions.c: a runtime that knows them can deny just these.
PROBED = {"unshare", "setns", "clone", "clone3", "mount", "keyctl", "ptrace", "process_vm_readv", "io_uring_setup", "memfd_create", "ioctl", "fchmodat",
          "fsopen", "open_by_handle_at", "bpf", "perf_event_open", "userfaultfd", "io_uring_enter", "pidfd_getfd", "splice", "vmsplice", "nfsservctl"}


@harmless
def filter_that_denies_only_what_is_probed(config, words):
    rules = [{**rule, "names": [name for name in rule["names"] if name in PROBED]} for rule in config["linux"]["seccomp"]["syscalls"]]
    config["linux"]["seccomp"].update(defaultAction="SCMP_ACT_ALLOW", syscalls=[rule for rule in rules if rule["names"] and rule["action"] != "SCMP_ACT_ALLOW"])
    config["linux"]["seccomp"].pop("defaultErrnoRet")


@harmless
def listener_that_is_dropped(config, words):
    listen(config, words, keep=0)


@harmless
def filter_with_one_call_more(config, words):
    for rule in config["linux"]["seccomp"]["syscalls"]:
        rule["names"] = [name for name in rule["names"] if name != "unshare"]
    config["linux"]["seccomp"]["syscalls"].append({"names": ["unshare"], "action": "SCMP_ACT_ALLOW"})


@harmless
def filter_with_calls_that_are_seldom_tried(config, words):
    more = ["bpf", "perf_event_open", "open_by_handle_at", "userfaultfd", "pidfd_getfd", "fsopen"]
    for rule in config["linux"]["seccomp"]["syscalls"]:
        rule["names"] = [name for name in rule["names"] if name not in more]
    config["linux"]["seccomp"]["syscalls"] = [r for r in config["linux"]["seccomp"]["syscalls"] if r["names"]] + \
        [{"names": more, "action": "SCMP_ACT_ALLOW"}]


@harmless
def no_limit_of_core_files(config, words):
    config["process"]["rlimits"] = [limit for limit in config["process"]["rlimits"] if limit["type"] != "RLIMIT_CORE"]


@harmless
def an_open_umask(config, words):
    config["process"]["user"]["umask"] = 0


@harmless
def a_higher_priority(config, words):
    os.nice(-5)


@harmless
def another_personality(config, words):
    ctypes.CDLL(None).personality(0x0040000)  # no random addresses


def main():
    name, real, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    if "create" in words and name != "honest":
        bundle = words[words.index("--bundle") + 1]
        with open(os.path.join(bundle, "config.json")) as f:
            config = json.load(f)
        (HARMLESS.get(name) or LIES[name][2])(config, words)
        with open(os.path.join(bundle, "config.json"), "w") as f:
            json.dump(config, f)
    os.execv(real, [real, *words])


if __name__ == "__main__":
    main()
