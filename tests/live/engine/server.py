# SPDX-License-Identifier: LGPL-2.1-or-later
"""A scripted engine: sends the answers of a test, byte for byte, and records the requests.

A script is a function that gets the request's head and a connection, and answers whether it knew what to do. What it does
not know is answered as an engine would, well enough to get that far: ping, image, create, inspect, start, remove.
"""
import json, os, re, socket, threading

ID = "0123456789abcdef" * 4


def reply(body=b"", status="200 OK", headers=()):
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()
    head = [f"HTTP/1.1 {status}", "Api-Version: 1.41", "Content-Type: application/json", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


class Request:
    def __init__(self, head, body):
        self.head, self.body = head, body
        self.method, self.path = head.split(" ")[:2]

    def json(self):
        return json.loads(self.body)


class Server:
    """`with Server(where, script) as server`; without a script it is an engine whose containers end at once, without output."""
    def __init__(self, where, script=None):
        self.where, self.script, self.asked, self.document = where, script, [], {}
        self.listener = socket.socket(socket.AF_UNIX)

    def __enter__(self):
        if os.path.exists(self.where):
            os.unlink(self.where)
        self.listener.bind(self.where)
        self.listener.listen(16)
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *unused):
        # Wakes the thread that waits for a connection; otherwise it would use the next socket with that number.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        os.unlink(self.where)

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def read(self, stream):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = stream.readline()
            if not line:
                return None
            head += line
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        return Request(head.decode(), stream.read(int(length.group(1))) if length else b"")

    def talk(self, connection):
        with connection, connection.makefile("rb") as stream:
            try:
                while True:
                    request = self.read(stream)
                    if request is None:
                        return
                    self.asked.append(f"{request.method} {request.path}")
                    if self.script is None or not self.script(request, connection, self):
                        connection.sendall(self.usual(request))
            except OSError:
                return

    def usual(self, request):
        if request.path.startswith("/_ping"):
            return reply(b"OK")
        if "/images/" in request.path:
            return reply({"Id": "sha256:0"})
        if "/containers/create" in request.path:
            self.document = request.json()
            return reply({"Id": ID, "Warnings": []}, "201 Created")
        if "/containers/json" in request.path:
            return reply([])
        if request.path.endswith("/json"):
            return reply(self.inspected())
        return reply(status="204 No Content")

    def inspected(self, **changes):
        config = dict(self.document)
        started = any("/start" in asked for asked in self.asked)
        state = {"Status": "exited" if started else "created", "Running": False, "Pid": 0, "ExitCode": 0, "OOMKilled": False}
        return {"Id": ID, "State": state, "HostConfig": config.pop("HostConfig", {}), "Config": config, "Mounts": [], **changes}
