# SPDX-License-Identifier: LGPL-2.1-or-later
"""A virtual machine of the tests' own: its disk, made of programs of this host, and one boot of it.

The disk is an ext4 image with the programs that the tests need, each with its libraries; nothing of it is left when the
machine has ended. A small initramfs loads the drivers, mounts the disk and starts INSIDE/main as process 1, because a
container's root cannot be changed from an initramfs. The machine has two serial lines: the first is the kernel's, and goes
to a log; the second carries what the tests say. Without KVM, so that it works wherever a program can be run.
"""
import io, os, re, select, shutil, signal, subprocess, sys, tempfile, time
import modules

QEMU = "qemu-system-x86_64"
MEMORY = "1536M"
DISK_BYTES = 1 << 30  # sparse
# On a busy host the kernel's check of its timer would fail, and the boot would stop.
COMMAND_LINE = "console=ttyS0 loglevel=3 panic=-1 apparmor=1 security=apparmor no_timer_check random.trust_cpu=on mitigations=off"
SILENCE = 60  # seconds; process 1 writes to the first line every few

# What the disk and the containers' roots need. Some kernels have some of it built in.
BOOT_MODULES = ("virtio_pci", "virtio_blk", "ext4", "overlay")

# Loaded by process 1 of the initramfs, a shell script for busybox.
BOOT = """#!/bin/busybox sh
/bin/busybox mount -t devtmpfs none /dev
for name in {modules}; do /bin/busybox insmod /$name || /bin/busybox poweroff -f; done
/bin/busybox mount -t ext4 /dev/vda /root || /bin/busybox poweroff -f
/bin/busybox mount --move /dev /root/dev
exec /bin/busybox switch_root /root /usr/bin/python3 {main}
"""

MERGED = ("bin", "sbin", "lib", "lib64")


# ---- The disk.

class Tree:
    """A directory that becomes the machine's root."""
    def __init__(self, top):
        self.top = top
        self.known = set()
        for name in ("dev", "proc", "sys", "run", "tmp", "root", "home", "var/tmp", "etc", "mnt"):
            os.makedirs(self.at(name))
        for name in MERGED:
            os.makedirs(self.at("usr", name))
            os.symlink(f"usr/{name}", self.at(name))
        for name in ("tmp", "var/tmp"):
            os.chmod(self.at(name), 0o1777)

    def at(self, *parts):
        return os.path.join(self.top, *(part.lstrip("/") for part in parts))

    def text(self, name, text, mode=0o644):
        os.makedirs(os.path.dirname(self.at(name)), exist_ok=True)
        with open(self.at(name), "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(self.at(name), mode)

    def file(self, source, name=None):
        """Copies SOURCE of this host, links followed, under NAME or its own; a program with its libraries."""
        name = name or source
        if name in self.known or not os.path.isfile(source):
            return
        self.known.add(name)
        os.makedirs(os.path.dirname(self.at(name)), exist_ok=True)
        shutil.copy(source, self.at(name))
        with open(source, "rb") as f:
            is_elf = f.read(4) == b"\x7fELF"
        for library in libraries(source) if is_elf else ():
            self.file(library)

    def program(self, name):
        where = shutil.which(name, path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
        if where is None:
            raise FileNotFoundError(name)
        self.file(where, f"/usr/bin/{os.path.basename(name)}" if where.startswith("/bin/") else where)

    def directory(self, source, name=None, without=()):
        for at, directories, files in os.walk(source):
            directories[:] = [f for f in directories if f not in without]
            to = os.path.join(name or source, os.path.relpath(at, source)) if at != source else (name or source)
            os.makedirs(self.at(to), exist_ok=True)
            for file in files:
                self.file(os.path.join(at, file), os.path.join(to, file))


def libraries(program):
    said = subprocess.run(["ldd", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return re.findall(r"(?:=> |^\s+)(/\S+) \(", said.stdout, re.MULTILINE)


def as_owner():
    """The argv prefix that makes a command see this user's files as root's."""
    return [] if os.geteuid() == 0 else ["unshare", "--map-root-user"]


def make_disk(tree, where):
    with open(where, "wb") as f:
        f.truncate(DISK_BYTES)
    subprocess.run([*as_owner(), "mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-F", "-d", tree.top, where], check=True,
                   env={"PATH": "/usr/sbin:/sbin:/usr/bin:/bin"})


# ---- The initramfs.

def cpio_entry(name, mode, data=b"", device=(0, 0)):
    fields = (0, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
    return head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)


def make_initramfs(kernel, main, where):
    out = io.BytesIO()
    for name in ("bin", "dev", "root"):
        out.write(cpio_entry(name, 0o040755))
    # The kernel opens it for the first process before anything is mounted.
    out.write(cpio_entry("dev/console", 0o020600, device=(5, 1)))
    directory = f"{kernel}/modules"
    order = {f"{modules.name_of(path)}.ko": modules.read(f"{directory}/{path}") for path in modules.load_order(directory, BOOT_MODULES)}
    out.write(cpio_entry("init", 0o100755, BOOT.format(modules=" ".join(order), main=main).encode()))
    with open(shutil.which("busybox"), "rb") as f:
        out.write(cpio_entry("bin/busybox", 0o100755, f.read()))
    for name, data in order.items():
        out.write(cpio_entry(name, 0o100644, data))
    out.write(cpio_entry("TRAILER!!!", 0))
    with open(where, "wb") as f:
        f.write(out.getvalue())


# ---- The boot.

def is_silent(console, since):
    """Whether the first line was silent for so long that the machine hangs, not only a test."""
    try:
        since = max(since, os.stat(console).st_mtime)
    except OSError:
        pass
    return time.time() - since > SILENCE


def boot(kernel, directory, until):
    """Boots what lies in DIRECTORY and yields what the tests say, line by line, until the machine has ended. It is ended
    when it hangs, at the time UNTIL, and with this process. The kernel's own words are in DIRECTORY/console."""
    words = [QEMU, "-accel", "tcg", "-cpu", "max", "-smp", "1", "-m", MEMORY,
             "-nodefaults", "-nographic", "-no-reboot", "-kernel", f"{kernel}/vmlinuz", "-initrd", f"{directory}/initramfs",
             "-append", COMMAND_LINE, "-drive", f"file={directory}/disk,format=raw,if=virtio,cache=unsafe",
             "-serial", f"file:{directory}/console", "-serial", "stdio", "-monitor", "none", "-net", "none"]
    began = time.time()
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=sys.stderr) as machine:
        try:
            rest = b""
            while True:
                if time.monotonic() > until:
                    yield "# the machine did not end in time"
                    return
                if not select.select([machine.stdout], [], [], 1)[0]:
                    if not is_silent(f"{directory}/console", began):
                        continue
                    yield "# the machine hangs"
                    return
                got = os.read(machine.stdout.fileno(), 65536)
                if not got:
                    return
                *lines, rest = (rest + got).split(b"\n")
                yield from (line.decode("utf-8", "replace").rstrip("\r") for line in lines)
        finally:
            machine.kill()


def scratch():
    """A directory that is removed with this process, also after SIGTERM."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    return tempfile.TemporaryDirectory(prefix="tyrum-vm-")
