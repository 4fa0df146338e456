# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where contenders meet: namespaces, directories and engines of the benchmark's own, all of which end with it.

Mount and pid namespaces are those of the tests that launch (harness.py); so are dockerd and the Podman service (engines.py).
cgroup version 2 beside version 1, which crun refuses, is out of sight for everybody. One small root holds the payload; the
engines get it as an image. One config.json, which `tyrum-oci spec` wrote, is what all runtimes are given.
"""
import atexit, contextlib, json, os, shutil, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "live", "engine"))
import engines, harness  # noqa: E402
from harness import BUILD, path, write  # noqa: E402

PROFILE = "hardened"
GROUP = "tyrum-bench"
IMAGE = engines.IMAGE
SLOTS = 32
PAYLOAD = "/bin/payload"
USER = 10001


class Docker(engines.Docker):
    def words(self):
        return [*super().words(), "--cgroup-parent", f"/{GROUP}"]


class Podman(engines.Podman):
    """As users have it: with the overlay driver."""
    def words(self):
        return ["overlay" if word == "vfs" else word for word in super().words()]


docker, podman = Docker("docker"), Podman("podman")
ROOT = WS = None


def run(*words, **more):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=harness.environment(),
                          check=False, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words[:4])} ...: {done.stderr.decode(errors='replace')[-600:].strip()}")
    return done.stdout.decode()


def bundle(name, profile=PROFILE, command=(PAYLOAD,)):
    """A directory with the profile's config.json, for any OCI runtime."""
    where = path("bundles", name)
    run(harness.PROGRAM, "spec", "--profile", profile, "--rootfs", ROOT, "--workspace", WS, "--bundle", where,
        "--", *command, cwd=path("home"))
    config = os.path.join(where, "config.json")
    with open(config, encoding="utf-8") as f:
        document = json.load(f)
    document["linux"]["cgroupsPath"] = f"/{GROUP}/{name}"
    write(os.path.relpath(config, harness.WORK), document)
    return where


def seccomp_list():
    """The list of system calls in the form that engines read, which is that of config.json."""
    with open(path("bundles", "0", "config.json"), encoding="utf-8") as f:
        return write("seccomp.json", json.load(f)["linux"]["seccomp"])


def compiled_filter():
    """The filter as crun compiles it from that list: crun leaves it in its state directory."""
    if shutil.which("crun") is None:
        return None
    state = path("crun-filter")
    subprocess.run(["crun", "--root", state, "create", "--bundle", path("bundles", "0"), "filter"], check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL)
    shutil.copy(os.path.join(state, "filter", "seccomp.bpf"), path("filter.bpf"))
    run("crun", "--root", state, "delete", "--force", "filter")
    return path("filter.bpf")


def lead(socket):
    """Makes the next launches find that daemon at the usual place, or none."""
    usual = os.path.join(harness.STATE, "daemon.socket")
    with contextlib.suppress(FileNotFoundError):
        os.unlink(usual)
    if socket:
        os.symlink(socket, usual)


class Daemon:
    """`tyrum-oci daemon` with a configuration of its own, in which READY says how many sandboxes are held ready. There are two, and the usual
    place leads to one or the other."""
    def __init__(self, name, ready):
        self.name, self.ready, self.process, self.socket = name, ready, None, None

    def start(self):
        socket, conf = path(f"{self.name}.sock"), harness.directory(f"conf-{self.name}")
        run(harness.PROGRAM, "daemon", "--help")  # fails where there is no such verb
        write(f"conf-{self.name}/config.json", {"version": 1, "daemon": {"ready": {PROFILE: self.ready}} if self.ready else {}})
        self.socket = socket
        self.variables = {"TYRUM_OCI_CONFDIR": conf}
        with open(path(f"{self.name}.log"), "wb") as log:
            self.process = subprocess.Popen([harness.PROGRAM, "daemon", "--socket", socket], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            cwd=path("home"), env=harness.environment(**self.variables))
        atexit.register(self.stop)
        if not harness.wait_until(lambda: os.path.exists(socket) or self.process.poll() is not None) or self.process.poll() is not None:
            with open(path(f"{self.name}.log"), encoding="utf-8", errors="replace") as log:
                raise RuntimeError(f"the daemon does not start: {log.read()[-600:]}")

    def fill(self, words):
        """Waits until all sandboxes are prewarmed for this command; the daemon learns it from the first two callers."""
        def ready():
            runs = json.loads(run(harness.PROGRAM, "ps", "--json"))["runs"]
            return sum(entry["ready"] for entry in runs) == self.ready
        lead(self.socket)
        for _ in range(3):
            if not harness.wait_until(ready):
                raise RuntimeError("the daemon does not hold as many sandboxes ready as it was told")
            subprocess.run(words, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           env=harness.environment(**self.variables), cwd=path("home"))
        if not harness.wait_until(ready):
            raise RuntimeError("the daemon does not make new sandboxes")

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20)


warm, held = Daemon("warm", 0), Daemon("held", 4)


def remove_groups():
    for top, directories, _ in os.walk("/sys/fs/cgroup", topdown=False):
        if GROUP in top.split(os.sep):
            try:
                os.rmdir(top)
            except OSError:
                print(f"bench: cgroup '{top}' stays", file=sys.stderr)


def start(engine):
    """The engine with the image, and its processes; or why it cannot be used."""
    if shutil.which(engines.PROGRAMS[engine.name]) is None:
        raise RuntimeError("not installed")
    atexit.register(engine.stop)
    engine.start()
    with open(path("image.tar"), "rb") as f:
        engine.load(f.read())


def set_up():
    global ROOT, WS
    engines.harness_set_up()
    engines.make_view()
    atexit.register(remove_groups)
    for state in ("/run/containerd", "/run/crun", "/run/runc"):  # state of the engines' runtimes and shims
        os.makedirs(state, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=711", "tyrum-bench", state], check=True)
    ROOT, WS = path("root"), harness.WS
    os.chown(WS, USER, USER)  # not every contender maps ids
    for name in ("bin", "dev", "etc", "proc", "run", "sys", "tmp", "workspace"):
        os.makedirs(os.path.join(ROOT, name))
    os.chmod(os.path.join(ROOT, "tmp"), 0o1777)
    shutil.copy(os.path.join(BUILD, "tests", "bench", "payload"), os.path.join(ROOT, "bin"))
    write("root/etc/passwd", "root:x:0:0:root:/:/bin/sh\n")
    subprocess.run(["tar", "-C", ROOT, "-cf", path("image.tar"), "."], check=True)
    harness.directory("bundles")
    for slot in range(SLOTS):
        bundle(str(slot))
    seccomp_list()
    compiled_filter()
