# SPDX-License-Identifier: LGPL-2.1-or-later
"""Real engines for tests: a dockerd and a Podman service of the test's own, and one small root for every backend.

Both listen on sockets in the test's directory, keep everything there, leave the host's network alone, and end with the test:
the namespaces are the harness's, whose process 1 takes everything with it. Engines and clients share one mount namespace, as
they do on most hosts: what an engine mounts is in the client's mount table. An engine with a namespace of its own is one of
`tests/live/engine/memory`. In that shared namespace cgroups have no version 2 beside version 1, as crun wants it. There is no
registry: the image is made from busybox and imported.

BACKENDS here are those of the harness with that root, and the engines: docker, podman, and docker with gVisor as its runtime.
"""
import contextlib, http.client, json, os, shutil, signal, socket, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "run"))
import harness  # noqa: E402
from harness import ACCEPTED, accepting, path, wait_until, write  # noqa: E402

IMAGE = "tyrum-test:1"
APPLETS = ("cat cp dd echo env false grep head id kill ls mkdir mount od printf ps rm seq sh sha256sum sleep stat tail test touch "
           "tr true wc yes").split()


class Connection(http.client.HTTPConnection):
    def __init__(self, where, seconds):
        super().__init__("engine", timeout=seconds)
        self.where = where

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.where)


class Engine:
    """An engine that is started when it is first needed."""
    prefix, ping = "", ""

    def __init__(self, name):
        self.name, self.process = name, None

    @property
    def directory(self):
        return path(f"engine-{self.name}")

    @property
    def socket(self):
        return os.path.join(self.directory, "sock")

    def call(self, method, where, body=None, kind="application/json", seconds=60, prefix=None):
        """PREFIX: another version of the API than the tests'."""
        connection = Connection(self.socket, seconds)
        with contextlib.closing(connection):
            connection.request(method, (self.prefix if prefix is None else prefix) + where, body, {"Content-Type": kind})
            reply = connection.getresponse()
            return reply.status, reply.read()

    def answers(self):
        with contextlib.suppress(OSError, http.client.HTTPException):
            return self.call("GET", self.ping, seconds=5)[0] == 200
        return False

    def begin(self):
        """Starts it in its directory, because conmon leaves a file where it is started."""
        os.makedirs(self.directory, exist_ok=True)
        with open(os.path.join(self.directory, "log"), "ab") as log:
            self.process = subprocess.Popen(self.words(), cwd=self.directory, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def start(self, seconds=60):
        """Starts it until it answers. A Docker that was killed may fail to start once."""
        until = time.monotonic() + seconds
        while not self.answers():
            if self.process is None or self.process.poll() is not None:
                self.clear()
                self.begin()
            assert time.monotonic() < until, f"{self.name} does not start: {self.log()}"
            time.sleep(0.1)

    def log(self):
        with open(os.path.join(self.directory, "log"), "rb") as log:
            return log.read()[-2000:].decode(errors="replace")

    def clear(self):
        """Before a start."""

    def kill(self):
        """Ends it like a crash."""
        self.process.kill()
        self.process.wait()
        self.process = None

    def hang(self, on=True):
        """Stops it: it accepts connections, and never answers."""
        self.process.send_signal(signal.SIGSTOP if on else signal.SIGCONT)

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def containers(self):
        """All containers, by their run."""
        status, body = self.call("GET", "/containers/json?all=true")
        assert status == 200, body
        return {c["Labels"].get("io.tyrum.run") if c.get("Labels") else c["Id"]: c for c in json.loads(body) or []}


class Docker(Engine):
    prefix, ping = "/v1.41", "/_ping"

    def words(self):
        def here(name):
            return os.path.join(self.directory, name)
        return ["dockerd", "--data-root", here("data"), "--exec-root", here("exec"), "--pidfile", here("pid"),
                "-H", f"unix://{self.socket}", "--iptables=false", "--ip6tables=false", "--ip-forward=false", "--ip-masq=false",
                "--bridge=none", "--add-runtime", f"runsc={here('runsc')}"]

    def clear(self):
        """Docker gives a container without network a namespace by its path, which this gVisor takes for the host's."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self.directory, "pid"))
        write(f"engine-{self.name}/runsc", '#!/bin/sh\nexec runsc --network=none "$@"\n', 0o755)

    def load(self, tar):
        status, body = self.call("POST", "/images/create?fromSrc=-&repo=tyrum-test&tag=1", tar, "application/x-tar")
        assert status == 200, body


# In the test's own mount namespace; $0 is a directory. Podman keeps its locks on /dev/shm.
VIEW = """set -e
mount -t tmpfs tmpfs /dev/shm
[ -d /sys/fs/cgroup/memory ] || exit 0
mkdir -p "$0"
mount -t tmpfs -o mode=755 view "$0"
for at in /sys/fs/cgroup/*; do
  name=${at##*/}
  if [ "$name" != unified ] && mountpoint -q "$at"; then mkdir "$0/$name"; mount --bind "$at" "$0/$name"; fi
  if [ -L "$at" ]; then cp -P "$at" "$0/"; fi
done
mount --rbind "$0" /sys/fs/cgroup
"""


def make_view():
    subprocess.run(["sh", "-c", VIEW, path("cgroups")], check=True)


class Podman(Engine):
    prefix, ping = "/v4.0.0/libpod", "/_ping"

    def words(self):
        def here(name):
            return os.path.join(self.directory, name)
        return ["podman", "--root", here("root"), "--runroot", here("run"), "--tmpdir", here("tmp"), "--cgroup-manager", "cgroupfs",
                "--storage-driver", "vfs", "system", "service", "--time=0", f"unix://{self.socket}"]

    def clear(self):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.socket)

    def load(self, tar):
        status, body = self.call("POST", f"/images/import?reference={IMAGE}", tar, "application/x-tar")
        assert status == 200, body


docker, podman = Docker("docker"), Podman("podman")
ENGINES = {"docker": docker, "docker:runsc": docker, "podman": podman}
PROGRAMS = {"docker": "dockerd", "docker:runsc": "dockerd", "podman": "podman"}


def make_root():
    root = path("busybox")
    for name in ("bin", "etc", "dev", "proc", "sys", "run", "workspace", "tmp"):
        os.makedirs(os.path.join(root, name))
    os.chmod(os.path.join(root, "tmp"), 0o1777)
    shutil.copy(shutil.which("busybox"), os.path.join(root, "bin"))
    for name in APPLETS:
        os.symlink("busybox", os.path.join(root, "bin", name))
    write("busybox/etc/passwd", "root:x:0:0:root:/:/bin/sh\n")
    return root


def options_of(backend, root):
    if backend not in ENGINES:
        return ["--rootfs", root]
    words = ["--backend", backend.split(":")[0], "--engine-socket", ENGINES[backend].socket, "--image", IMAGE]
    if backend.endswith(":runsc"):
        words += ["--runtime", "runsc"] + accepting(ACCEPTED)
    return words


def set_up():
    harness_set_up()
    make_view()
    os.chown(harness.WS, 10001, 10001)  # not every backend maps ids
    root = make_root()
    image = subprocess.run(["tar", "-C", root, "-c", "."], check=True, stdout=subprocess.PIPE).stdout
    meant = {case[1][0] for case in harness.CASES if case[1]} | {"docker", "podman"}
    started = set()
    for backend in list(harness.BACKENDS) + list(ENGINES):
        before, program = harness.BACKENDS.get(backend, ([], PROGRAMS.get(backend)))
        harness.BACKENDS[backend] = (before + options_of(backend, root), program)
        engine = ENGINES.get(backend)
        if engine is None or engine in started or backend not in meant or shutil.which(program) is None:
            continue
        engine.start()
        engine.load(image)
        started.add(engine)


def stop():
    for engine in {docker, podman}:
        engine.stop()


harness_set_up, harness.set_up = harness.set_up, set_up
ALL = tuple(harness.BACKENDS) + ("docker", "docker:runsc", "podman")
HOST_KERNEL = tuple(name for name in ALL if not name.endswith("runsc"))
SERVICES = ("docker", "podman")
harness.ALL = ALL


def main():
    try:
        return harness.main()
    finally:
        if "--inside" in sys.argv:
            stop()
