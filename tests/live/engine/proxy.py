# SPDX-License-Identifier: LGPL-2.1-or-later
"""A socket between us and a real engine that forwards everything, except what a lie changes.

CHANGE gets the document of a container that is to be made and changes it. With COVER the proxy also answers questions about
the container as if the document had come through unchanged: it has the engine make an honest twin, which is never started,
and tells of that one, but for its state. A function in the place of COVER changes the true answer.
"""
import contextlib, json

from engines import Connection
from server import Server


class Proxy(Server):
    def __init__(self, where, engine, change, cover=False):
        super().__init__(where, self.pass_on)
        self.engine, self.change, self.cover, self.twin, self.prefix = engine, change, cover, None, None

    def __exit__(self, *unused):
        super().__exit__()
        if self.twin is not None:
            self.engine.call("DELETE", f"/containers/{self.twin}?force=true&v=true")

    def pass_on(self, request, connection, _):
        body = request.body
        if request.path.split("?")[0].endswith("/containers/create"):
            document = json.loads(body)
            if self.cover is True:
                # By the same version: Docker fills in other values for an older one.
                self.prefix = request.path.partition("/containers/create")[0]
                self.make_twin(json.loads(body))
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

    def make_twin(self, document):
        """Without the labels, by which a run's containers are found."""
        document.pop("labels", document.pop("Labels", None))
        document.pop("name", None)
        status, body = self.engine.call("POST", "/containers/create", json.dumps(document), prefix=self.prefix)
        assert status == 201, body
        self.twin = json.loads(body)["Id"]

    def covered(self, text):
        told = json.loads(text)
        if not isinstance(told, dict):
            return text
        if callable(self.cover):
            self.cover(told)
        elif self.twin is not None:
            twin = json.loads(self.engine.call("GET", f"/containers/{self.twin}/json", prefix=self.prefix)[1])
            twin.update(Id=told["Id"], Name=told["Name"], State=told["State"])
            twin["Config"]["Labels"] = told["Config"]["Labels"]
            told = twin
        return json.dumps(told).encode()
