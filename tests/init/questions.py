# SPDX-License-Identifier: LGPL-2.1-or-later
"""The questions of wire-answers.h, and what their answers mean. A question is (kind, bytes)."""
import os, platform, struct

REPORT_BYTES, FILE_BYTES, PIECE_BYTES, ASK_BYTES, LIST_ENTRIES = 256 << 10, 96 << 10, 32 << 10, 36 << 10, 512
LOOK = struct.Struct("=QQQIIIii4x")
STATFS = struct.Struct("=QQQ")
ENTRY = struct.Struct("=QII")

# Numbers of system calls; the C library has no names for them here.
NUMBERS = {
    "x86_64": {"getpid": 39, "getppid": 110, "umask": 95, "exit_group": 231, "clone": 56, "fcntl": 72,
               "mount": 165, "pause": 34, "sync": 162, "ptrace": 101, "unshare": 272, "sethostname": 170},
    "aarch64": {"getpid": 172, "getppid": 173, "umask": 166, "exit_group": 94, "clone": 220, "fcntl": 25, "mount": 40,
                "sync": 81, "ptrace": 117, "unshare": 97, "sethostname": 161},
}[platform.machine()]


def path_question(kind):
    return lambda path: (kind, os.fsencode(path))


FILE, LINK, LOOK_AT, STATFS_OF, LIST, CREATE, OPEN_WRITE = map(path_question, range(1, 8))
DESCRIPTORS, ENVIRONMENT, LIMITS, NAMES = ((kind, b"") for kind in range(10, 14))


def CALL(name, *arguments):
    number = NUMBERS[name] if isinstance(name, str) else name
    return (8, struct.pack("=q6Q", number, *(list(arguments) + [0] * 6)[:6]))


def CONNECT(address):
    return (9, address)


def returned(answer):
    """(errnum, result) of a CALL."""
    return answer[0], struct.unpack("=q", answer[1])[0]


def looked(answer):
    """(mode, open_errnum, content) of a LOOK that was answered."""
    assert answer[0] == 0, f"errno {answer[0]}"
    fields = LOOK.unpack(answer[1])
    return fields[3], fields[6], fields[7]


def device(number):
    return os.major(number) << 32 | os.minor(number)


def entries(data):
    """{name: (mode, rdev)} of a LIST."""
    found = {}
    while data:
        rdev, mode, length = ENTRY.unpack_from(data)
        name = data[ENTRY.size:ENTRY.size + length].decode()
        assert len(name) == length and name not in found, f"{name!r}"
        found[name] = (mode, rdev)
        data = data[ENTRY.size + length:]
    return found


def words(data):
    """The texts in DATA, which each end with a NUL."""
    assert not data or data.endswith(b"\0"), f"{data!r}"
    return data.decode().split("\0")[:-1]


def fnv(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return f"{value:016x}"
