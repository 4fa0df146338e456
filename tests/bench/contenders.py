# SPDX-License-Identifier: LGPL-2.1-or-later
"""The programs that are compared. Each gives its command line, and describes in one line what a launch of it includes.

Options are as near to the hardened profile as the program has them; what it cannot do is in that line.
"""
import os, shutil

import world
from launching import family
from world import BUILD, IMAGE, PAYLOAD, USER, harness, path

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Absent(Exception):
    """Why a contender is left out."""


class Contender:
    """PROGRAM with WORDS, in which {slot} is a number that no two launches at the same time share."""
    def __init__(self, name, includes, program, *words, files=None, daemons=(), pause=0.0, environment=None, daemon=None):
        where = shutil.which(program, path=PATH)
        if where is None:
            raise Absent(f"{program} is not installed")
        self.name, self.includes, self.line = name, includes, [where, *words]
        self.files, self.daemons, self.pause = files or {}, set(daemons), pause
        self.environment, self.daemon = environment or harness.environment(), daemon

    def prepare(self):
        """Work that is not part of a launch."""
        world.lead(self.daemon.socket if self.daemon else None)

    def words(self, slot, payload=(PAYLOAD,)):
        return [word.replace("{slot}", str(slot)) for word in self.line] + list(payload)


class Bundled(Contender):
    """A contender that reads its command from a bundle; there is one bundle for each payload."""
    def words(self, slot, payload=(PAYLOAD,)):
        return super().words(slot if payload == (PAYLOAD,) else "held", ())


class Bare(Contender):
    """The payload itself."""
    def words(self, slot, payload=(PAYLOAD,)):
        return self.line + list(payload[1:])


def ours(name, includes, *options, directory=None, **more):
    programs = directory or path("bin")
    environment = harness.environment(TYRUM_OCI_LIBEXECDIR=programs, **more.pop("variables", {}))
    return Contender(name, includes, os.path.join(programs, "tyrum-oci"), "run", "--profile", more.pop("profile", world.PROFILE),
                     "--workspace", world.WS, *options, "--", environment=environment, **more)


def at_root():
    return ["--rootfs", world.ROOT]


# ---- One function for each contender, in the order of the table.

def bare():
    return Bare("spawn", "posix_spawn of the payload, nothing around it", os.path.join(world.ROOT, PAYLOAD[1:]))


def floor():
    return Contender("floor", "hand-written clone, maps, mounts, pivot, compiled filter, exec; no cgroup, no masks, no proof",
                     os.path.join(BUILD, "tests", "bench", "floor"), world.ROOT, world.WS, path("filter.bpf"))


def cold():
    return ours("tyrum-oci cold", "one `tyrum-oci run`: plan, stage, container, observation, journal, tear-down", *at_root())


def delegate_to_daemon(name, includes, daemon):
    daemon.start()
    return ours(name, includes, *at_root(), variables=daemon.variables, daemons={daemon.process.pid}, daemon=daemon)


def warm():
    return delegate_to_daemon("tyrum-oci warm", "as cold, through a daemon that is there already", world.warm)


def held():
    """Between launches there is time to prewarm the next sandbox; its cost is in the processor time."""
    contender = delegate_to_daemon("tyrum-oci held", "as warm, with a sandbox that was made and proven in advance", world.held)
    contender.pause = 0.1
    world.held.fill(contender.words(0))
    return contender


def beside(name, includes, build, cli=None):
    """The programs of BUILD, with CLI in place of the program that tyrum-oci executes."""
    os.makedirs(path(name))
    for program in ("tyrum-oci", "tyrum-oci-cli", "tyrum-oci-init", "tyrum-oci-libcrun-helper"):
        if os.path.exists(os.path.join(build, program)):  # tyrum-oci was all of it once
            shutil.copy(os.path.join(build, program), path(name))
    if cli:
        shutil.copy(cli, path(name, "tyrum-oci-cli"))
    return ours(f"tyrum-oci {name}", includes, *at_root(), directory=path(name))


def unobserved():
    return beside("unobserved", "as cold, linked without observation: not a program to be used",
                  BUILD, os.path.join(BUILD, "tests", "bench", "unobserved"))


def other():
    directory = os.environ.get("TYRUM_OCI_BENCH_OTHER")
    if not directory:
        raise Absent("TYRUM_OCI_BENCH_OTHER names no second build")
    return beside("other", "the same from the build that TYRUM_OCI_BENCH_OTHER names", directory)


def crun(name="crun run", bundle="{slot}"):
    return Bundled(name, "create, start, wait, delete; compiles the filter; nothing proven, nothing recorded",
                   "crun", "--root", path("crun"), "run", "--bundle", path("bundles", bundle), "bench-{slot}")


def runc():
    return Bundled("runc run", "as crun run", "runc", "--root", path("runc"), "run", "--bundle", path("bundles", "{slot}"), "bench-{slot}")


def runsc():
    return Bundled("runsc run", "as crun run, with a kernel of its own; the filter is not applied inside",
                   "runsc", "--root", path("runsc"), "--network=none", "run", "--bundle", path("bundles", "{slot}"), "bench-{slot}")


def bwrap():
    if not os.path.exists(path("filter.bpf")):
        raise Absent("there is no compiled filter for it without crun")
    return Contender(
        "bwrap", "namespaces, mounts, compiled filter, exec; no cgroup and so no limits, one id mapped, no masks",
        "bwrap", "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup",
        "--uid", str(USER), "--gid", str(USER), "--hostname", "tyrum", "--die-with-parent", "--new-session", "--clearenv",
        "--setenv", "HOME", "/workspace", "--setenv", "LANG", "C.UTF-8", "--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin",
        "--ro-bind", world.ROOT, "/", "--proc", "/proc", "--dev", "/dev", "--ro-bind", "/sys", "/sys", "--tmpfs", "/tmp",
        "--bind", world.WS, "/workspace", "--chdir", "/workspace", "--cap-drop", "ALL", "--seccomp", "9", "--",
        files={9: path("filter.bpf")})


HARDENED = ["--rm", "--network", "none", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
            "--pids-limit", "128", "--memory", "1g", "--memory-swap", "1g", "--cpus", "1", "--ulimit", "nofile=1024:1024",
            "--ulimit", "core=0:0", "--user", f"{USER}:{USER}", "--hostname", "tyrum", "--workdir", "/workspace",
            "--tmpfs", "/tmp:rw,nosuid,nodev,noexec,size=64m,mode=1777", "--env", "HOME=/workspace", "--env", "LANG=C.UTF-8"]


def engine_options():
    return [*HARDENED, "--cgroup-parent", f"/{world.GROUP}", "--security-opt", f"seccomp={path('seccomp.json')}", "--volume", f"{world.WS}:/workspace"]


def docker():
    world.start(world.docker)
    return Contender("docker run", "client, dockerd, containerd, shim, runc; no private user namespace; nothing proven",
                     "docker", "-H", f"unix://{world.docker.socket}", "run", *engine_options(), IMAGE,
                     daemons=family(world.docker.process.pid), pause=0.05)


def podman():
    here = path("podman")
    before = ["--root", f"{here}/root", "--runroot", f"{here}/run", "--tmpdir", f"{here}/tmp", "--cgroup-manager", "cgroupfs",
              "--storage-driver", "overlay"]
    if shutil.which("podman", path=PATH):
        world.run("podman", *before, "import", path("image.tar"), IMAGE)
    return Contender("podman run", "podman, conmon, crun; no daemon; nothing proven", "podman", *before, "run", *engine_options(),
                     "--uidmap", "0:1879048192:65536", "--gidmap", "0:1879048192:65536", "--ulimit", "nproc=1024:1024", IMAGE, pause=0.05)


def through_docker():
    world.start(world.docker)
    return ours("tyrum-oci docker", "`--backend docker`: as docker run without its client, and with observation and journal",
                "--backend", "docker", "--engine-socket", world.docker.socket, "--image", IMAGE, "--accept-unenforced", "user.namespace",
                daemons=family(world.docker.process.pid), pause=0.05)


def through_podman():
    world.start(world.podman)
    return ours("tyrum-oci podman", "`--backend podman`: Podman's service, conmon, crun; with observation and journal",
                "--backend", "podman", "--engine-socket", world.podman.socket, "--image", IMAGE,
                daemons=family(world.podman.process.pid), pause=0.05)


TABLE = (bare, floor, bwrap, warm, held, cold, unobserved, other, crun, runc, runsc, through_docker, docker, through_podman, podman)


def gather(only=()):
    """The contenders that can be measured, and why the others cannot."""
    found, absent = [], {}
    for make in TABLE:
        name = make.__name__
        if only and name not in only:
            continue
        try:
            found.append(make())
        except (Absent, RuntimeError, AssertionError, OSError) as why:
            absent[name] = str(why)
    return found, absent
