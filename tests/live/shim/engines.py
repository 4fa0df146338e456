# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of the runtime and the hook share: engines of their own, an image, and TAP.

A script that imports this runs in mount, pid and network namespaces of its own: /run/tyrum-oci and its like are tmpfs that nobody
else uses, /dev has device nodes that only the script and its engines use, engines keep everything in one directory and end with the
script. The side of a hybrid host's cgroups that crun refuses is out of sight, so that containers of crun alone can be compared with
ours, unless the script asks for the host's true mounts. A case is a function; its first line is its name. Needs root, and the
engine. Environment:
  TYRUM_OCI_TEST_BUILDDIR   where the programs are (default: build below the source tree)
  TYRUM_OCI_TEST_SRCDIR     the source tree
"""
import atexit, hashlib, json, os, shutil, signal, subprocess, sys, tempfile, time, traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from clean import remove_tree
from devices import private_devices
TOP = os.environ.get("TYRUM_OCI_TEST_SRCDIR", os.path.dirname(os.path.dirname(os.path.dirname(HERE))))
BUILD = os.environ.get("TYRUM_OCI_TEST_BUILDDIR", os.path.join(TOP, "build"))
# The cgroup of all containers of this script. Scripts run beside each other, and cgroups have no namespace here.
GROUP = "tyrum-test-" + os.urandom(4).hex()
STATE = "/run/tyrum-oci"
STORAGE = "/var/lib/tyrum-oci"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PROGRAMS = ("sh", "cat", "echo", "ls", "sleep", "id", "mount", "true", "false", "grep", "ps", "kill", "touch", "env", "hostname",
            "ip", "wc", "head", "dd", "chmod", "stat", "mknod", "unshare", "tty", "readlink", "nproc", "tr", "mkdir", "umount")

CASES = []
WORK = None


def case(function):
    CASES.append(function)
    return function


def absent(what):
    print("# " + what)
    sys.exit(77)


def enter():
    """Starts the script again in new namespaces; returns in that second process."""
    if os.environ.get("TYRUM_OCI_TEST_INSIDE") == "1":
        return
    if os.geteuid() != 0:
        absent("engines need root")
    done = subprocess.run(["unshare", "--mount", "--net", "--pid", "--fork", "--mount-proc", "--kill-child", "--propagation", "private",
                           sys.executable] + sys.argv, env=dict(os.environ, TYRUM_OCI_TEST_INSIDE="1"))
    sys.exit(done.returncode)


def need(*programs):
    for program in programs:
        if shutil.which(program, path=PATH) is None:
            absent("there is no " + program)


def path(*parts):
    return os.path.join(WORK, *parts)


def write(name, content, mode=0o644):
    where = path(name)
    os.makedirs(os.path.dirname(where), exist_ok=True)
    with open(where, "w", encoding="utf-8") as f:
        f.write(content if isinstance(content, str) else json.dumps(content))
    os.chmod(where, mode)
    return where


def read(where):
    with open(where, encoding="utf-8", errors="replace") as f:
        return f.read()


def remove_cgroups(name):
    base = "/sys/fs/cgroup"
    for at, directories, _ in os.walk(base, topdown=False):
        if name in at.split(os.sep):
            try:
                os.rmdir(at)
            except OSError:
                pass


def make_image():
    root = path("image")
    for name in ("bin", "tmp", "etc", "proc", "sys", "dev", "run", "var", "root", "workspace"):
        os.makedirs(os.path.join(root, name), exist_ok=True)
    os.chmod(os.path.join(root, "tmp"), 0o1777)
    os.symlink("/var", os.path.join(root, "link"))
    shutil.copy(shutil.which("busybox", path="/bin:/usr/bin"), os.path.join(root, "bin/busybox"))
    for name in PROGRAMS:
        os.symlink("busybox", os.path.join(root, "bin", name))
    with open(os.path.join(root, "etc/passwd"), "w", encoding="utf-8") as f:
        f.write("root:x:0:0:root:/root:/bin/sh\n")
    subprocess.run(["tar", "-C", root, "-cf", path("image.tar"), "."], check=True)


def set_up(view=True):
    global WORK
    os.umask(0o022)
    WORK = tempfile.mkdtemp(prefix="tyrum-engines-")
    os.chmod(WORK, 0o755)
    atexit.register(remove_tree, WORK)
    shutil.copytree(os.path.join(TOP, "profiles"), path("data", "profiles"))
    subprocess.run(["chmod", "-R", "u=rwX,go=rX", path("data")], check=True)
    for name in ("bin", "conf/profiles"):
        os.makedirs(path(name))
    for name in ("tyrum-oci-runtime", "tyrum-oci-hook", "tyrum-oci-init", "tyrum-oci", "tyrum-oci-cli"):
        if os.path.exists(os.path.join(BUILD, name)):
            shutil.copy(os.path.join(BUILD, name), path("bin"))
    for profile in ("baseline", "hardened", "web", "nothing"):
        os.symlink("tyrum-oci-runtime", path("bin", "tyrum-" + profile))
        # For an engine that calls with an empty environment: the same program, with the paths of its data.
        write("bin/plain-" + profile, "#!/bin/bash\nexport TYRUM_OCI_DATADIR=%s TYRUM_OCI_CONFDIR=%s TYRUM_OCI_LIBEXECDIR=%s\n"
              "exec -a tyrum-%s %s \"$@\"\n" % (path("data"), path("conf"), path("bin"), profile, path("bin/tyrum-oci-runtime")), 0o755)
    write("conf/profiles/web.json", {"version": 1, "name": "web", "extends": "hardened", "network": {"mode": "engine"},
                                     "meaning": "A test's own."})
    # State directories of runtimes and of containerd's own shim.
    for directory in (STATE, STORAGE, "/run/containerd", "/run/crun", "/run/runc"):
        os.makedirs(directory, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", directory], check=True)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    private_devices()
    if view:
        subprocess.run(["sh", "-c", VIEW, path("cgroups")], check=True)
    make_image()


# crun refuses a host with both versions of cgroups; if one is unmounted, it writes into the directory below.
VIEW = """set -e
[ -d /sys/fs/cgroup/memory ] || exit 0
mkdir "$0"
mount -t tmpfs -o mode=755 view "$0"
for at in /sys/fs/cgroup/*; do
  name=${at##*/}
  if [ "$name" != unified ] && mountpoint -q "$at"; then mkdir "$0/$name"; mount --bind "$at" "$0/$name"; fi
  if [ -L "$at" ]; then cp -P "$at" "$0/"; fi
done
mount --rbind "$0" /sys/fs/cgroup
"""


def environment(**more):
    return dict({"PATH": PATH, "HOME": path("home"), "LANG": "C.UTF-8", "TYRUM_OCI_DATADIR": path("data"),
                 "TYRUM_OCI_CONFDIR": path("conf"), "TYRUM_OCI_LIBEXECDIR": path("bin")}, **more)


class Done:
    def __init__(self, process):
        self.status, self.out, self.err = process.returncode, process.stdout, process.stderr

    def __repr__(self):
        return "status %d, out %r, err %r" % (self.status, self.out[-1500:], self.err[-1500:])


def run(command, stdin="", timeout=90, cwd=None, **more):
    return Done(subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=timeout, errors="replace", cwd=cwd,
                               env=environment(**more)))


def wait_for(what, condition, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("waited %d seconds for %s" % (seconds, what))


class Docker:
    """A daemon of its own, with the runtimes as one symlink per profile."""
    def __init__(self, config=None, data=None, state=None):
        need("dockerd", "docker", "containerd", "crun")
        self.group = GROUP
        atexit.register(remove_cgroups, self.group)
        os.makedirs(path("docker"), exist_ok=True)
        config = config or write("docker/daemon.json", {"runtimes": {name: {"path": where} for name, where in (
            ("crun", shutil.which("crun")), ("tyrum-baseline", path("bin/tyrum-baseline")), ("tyrum-hardened", path("bin/tyrum-hardened")),
            ("tyrum-web", path("bin/tyrum-web")), ("tyrum-nothing", path("bin/tyrum-nothing")))}})
        self.socket = "unix://" + path("docker/sock")
        self.log = open(path("docker/log"), "wb")
        self.daemon = subprocess.Popen(
            ["dockerd", "--config-file", config, "--data-root", data or path("docker/data"), "--exec-root",
             state or path("docker/exec"), "--pidfile", path("docker/pid"), "-H", self.socket, "--cgroup-parent", "/" + self.group], env=environment(), stdout=self.log, stderr=self.log)
        atexit.register(self.stop)
        wait_for("dockerd", lambda: self("version").status == 0, 60)
        with open(path("image.tar"), "rb") as f:
            subprocess.run(["docker", "-H", self.socket, "import", "-", "image"], stdin=f, check=True, stdout=subprocess.DEVNULL)

    def __call__(self, *words, **more):
        return run(["docker", "-H", self.socket, *words], **more)

    def run(self, *words, runtime="tyrum-hardened", **more):
        return self("run", "--rm", "--runtime", runtime, *words, **more)

    def stop(self):
        self.daemon.send_signal(signal.SIGTERM)
        try:
            self.daemon.wait(20)
        except subprocess.TimeoutExpired:
            self.daemon.kill()


USER = 12345


def add_users():
    """A user, and ids to hand out, which exist only in this test's namespace."""
    if "tester:" in read("/etc/passwd"):
        return
    entries = {"passwd": "tester:x:%d:%d::%s:/bin/sh\n" % (USER, USER, path("user")), "group": "tester:x:%d:\n" % USER,
               "subuid": "tester:300000:65536\ncontainers:2000000:1000000\n", "subgid": "tester:300000:65536\ncontainers:2000000:1000000\n"}
    for name, entry in entries.items():
        file = write("etc/" + name, (read("/etc/" + name) if os.path.exists("/etc/" + name) else "") + entry)
        subprocess.run(["mount", "--bind", file, "/etc/" + name], check=True)


class Podman:
    def __init__(self):
        need("podman", "conmon", "crun", "runc")
        self.group = GROUP
        atexit.register(remove_cgroups, self.group)
        self.config = write("podman/containers.conf", """[engine]
cgroup_manager = "cgroupfs"
runtime = "crun"
events_logger = "file"
runtime_supports_json = ["crun", "runc", "tyrum-hardened", "tyrum-baseline"]
[engine.runtimes]
tyrum-hardened = ["%s"]
tyrum-baseline = ["%s"]
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
""" % (path("bin/plain-hardened"), path("bin/plain-baseline")))
        self.storage = write("podman/storage.conf", '[storage]\ndriver = "overlay"\ngraphroot = "%s"\nrunroot = "%s"\n'
                             % (path("podman/graph"), path("podman/run")))
        done = self("import", path("image.tar"), "image")
        assert done.status == 0, done

    def words(self, runtime=None, hooks=()):
        options = ["--root", path("podman/graph"), "--runroot", path("podman/run"), "--tmpdir", path("podman/tmp")]
        for directory in hooks:
            options += ["--hooks-dir", directory]
        return ["podman", *options, *(["--runtime", runtime] if runtime else [])]

    def __call__(self, *words, runtime=None, hooks=(), **more):
        return run([*self.words(runtime, hooks), *words], CONTAINERS_CONF=self.config, CONTAINERS_STORAGE_CONF=self.storage, **more)

    def run(self, *words, runtime="tyrum-hardened", hooks=(), **more):
        return self("run", "--rm", "--network", "none", "--cgroup-parent", "/" + self.group, *words, runtime=runtime, hooks=hooks, **more)


class UsersPodman(Podman):
    """A user's own, in the user namespace that it makes for itself."""
    AS_USER = ["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups", "--inh-caps=-all"]

    def __init__(self):
        need("newuidmap", "setpriv")
        add_users()
        for name in ("user", "user/run", "user/tmp"):
            os.makedirs(path(name), exist_ok=True)
            os.chmod(path(name), 0o700)
            os.chown(path(name), USER, USER)
        super().__init__()

    def __call__(self, *words, runtime=None, hooks=(), **more):
        options = ["--root", path("user/graph"), "--runroot", path("user/run/storage"), "--tmpdir", path("user/tmp"), "--storage-driver", "vfs"]
        for directory in hooks:
            options += ["--hooks-dir", directory]
        if runtime:
            options += ["--runtime", runtime]
        # Standard error is a pipe of the user's, as a terminal would be.
        own = ["bash", "-o", "pipefail", "-c", '{ "$@" 2>&1 >&3 | cat >&2; } 3>&1', "bash"]
        # The build may be in a directory that the user cannot read.
        return run([*self.AS_USER, *own, "podman", *options, *words], cwd=path("user"), CONTAINERS_CONF=self.config, HOME=path("user"),
                   XDG_RUNTIME_DIR=path("user/run"), **more)


class Containerd:
    IMAGE = "example.org/image:1"

    def __init__(self):
        need("containerd", "ctr", "crun")
        config = write("containerd/config.toml", 'version = 2\nroot = "%s"\nstate = "%s"\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n'
                       '[grpc]\naddress = "%s"\n[ttrpc]\naddress = "%s"\n' % tuple(
                           path("containerd", n) for n in ("root", "state", "sock", "sock.ttrpc")))
        self.log = open(path("containerd/log"), "wb")
        self.daemon = subprocess.Popen(["containerd", "-c", config], env=environment(), stdout=self.log, stderr=self.log)
        atexit.register(self.daemon.kill)
        wait_for("containerd", lambda: self("version").status == 0)
        self.load()

    def load(self):
        """Images come as archives of another engine's: an OCI layout made by hand."""
        layout = path("layout")
        os.makedirs(os.path.join(layout, "blobs/sha256"))

        def blob(data, kind):
            digest = hashlib.sha256(data).hexdigest()
            with open(os.path.join(layout, "blobs/sha256", digest), "wb") as f:
                f.write(data)
            return {"digest": "sha256:" + digest, "size": len(data), "mediaType": "application/vnd.oci.image." + kind}
        with open(path("image.tar"), "rb") as f:
            layer = f.read()
        config = {"architecture": "amd64", "os": "linux", "config": {"Cmd": ["sh"], "Env": ["PATH=/bin"]},
                  "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]}}
        manifest = {"schemaVersion": 2, "config": blob(json.dumps(config).encode(), "config.v1+json"), "layers": [blob(layer, "layer.v1.tar")]}
        index = {"schemaVersion": 2, "manifests": [dict(blob(json.dumps(manifest).encode(), "manifest.v1+json"),
                 annotations={"io.containerd.image.name": self.IMAGE, "org.opencontainers.image.ref.name": "1"})]}
        for name, value in (("index.json", index), ("oci-layout", {"imageLayoutVersion": "1.0.0"})):
            write(os.path.join(layout, name), value)
        subprocess.run(["tar", "-C", layout, "-cf", path("layout.tar"), "."], check=True)
        done = self("images", "import", "--all-platforms", path("layout.tar"))
        assert done.status == 0, done

    def __call__(self, *words, **more):
        return run(["ctr", "-a", path("containerd/sock"), *words], **more)

    def run(self, *words, profile="hardened", **more):
        return self("run", "--rm", "--runc-binary", path("bin/tyrum-" + profile), "--cgroup", f"/{GROUP}/x", *words, **more)


def journal(container=None, last=1000):
    """Events of the journal, which must verify."""
    words = ["--run", container] if container else []
    done = run([path("bin/tyrum-oci"), "audit", "list", "--json", "--last", str(last), *words])
    assert done.status == 0, done
    verified = run([path("bin/tyrum-oci"), "audit", "verify"])
    assert verified.status == 0, verified
    return json.loads(done.out)["events"]


def left_over():
    """The records of containers, and the id ranges that are taken."""
    found = []
    for name in ("containers", "ids"):
        directory = os.path.join(STATE, name)
        found += [os.path.join(name, n) for n in (os.listdir(directory) if os.path.isdir(directory) else [])]
    return found


def main(prepare, view=True):
    """PREPARE gives the engine, which every case gets. Without VIEW the host's cgroups are seen as they are."""
    enter()
    set_up(view)
    engine = prepare()
    wanted = sys.argv[1:]
    cases = [c for c in CASES if not wanted or c.__name__ in wanted]
    print("1..%d" % len(cases), flush=True)
    failed = 0
    for number, function in enumerate(cases, 1):
        name = (function.__doc__ or function.__name__).strip().splitlines()[0]
        try:
            function(engine)
            print("ok %d - %s" % (number, name), flush=True)
        except Exception:
            failed += 1
            print("not ok %d - %s" % (number, name))
            print("".join("# " + line + "\n" for line in traceback.format_exc().splitlines()[-6:]), flush=True)
    sys.exit(1 if failed else 0)
