"""A socket between us and a real engine that passes everything on, but for what a lie changes on the way.

CHANGE gets the document of a container that is to be made and changes it. With COVER the proxy also answers questions about
the container as if the document had come through unchanged, as far as Docker's answer is the document itself; a function in
its place changes the answer.
"""
import contextlib, http.client, json, os, socket

from engines import Connection
from server import Server


class Proxy(Server):
    def __init__(self, where, engine, change, cover=False):
        super().__init__(where, self.pass_on)
        self.engine, self.change, self.cover, self.asked_for = engine, change, cover, None

    def pass_on(self, request, connection, _):
        body = request.body
        if request.path.split("?")[0].endswith("/containers/create"):
            document = json.loads(body)
            self.asked_for = json.loads(body)
            self.change(document)
            body = json.dumps(document).encode()
        answer = Connection(self.engine.socket, 60)
        with contextlib.closing(answer):
            answer.request(request.method, request.path, body, {"Content-Type": "application/json"})
            reply = answer.getresponse()
            text = reply.read()
            if self.cover and request.path.endswith("/json") and "/containers/" in request.path and reply.status == 200:
                text = self.covered(text)
            head = [f"HTTP/1.1 {reply.status} {reply.reason or 'OK'}"]
            head += [f"{name}: {value}" for name, value in reply.getheaders()
                     if name.lower() not in ("content-length", "transfer-encoding", "connection")]
            if reply.status not in (204, 304):
                head.append(f"Content-Length: {len(text)}")
            connection.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + (text if reply.status not in (204, 304) else b""))
        return True

    def covered(self, text):
        told = json.loads(text)
        if self.asked_for is None or not isinstance(told, dict):
            return text
        if callable(self.cover):
            self.cover(told)
            return json.dumps(told).encode()
        config = dict(self.asked_for)
        told["HostConfig"].update(config.pop("HostConfig"))
        told["Config"].update(config)
        return json.dumps(told).encode()
