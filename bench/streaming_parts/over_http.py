"""The ends of bench/streaming.py over HTTP: a client, and a server that answers with JSON or with an event."""

from __future__ import annotations

import http.client
import json
import queue
import socket
import subprocess
import threading
import time
from typing import Any

HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
PATIENCE = 120  # seconds for one result

# Behind the functions of the server over stdio, whose main part it takes the place of.
SERVER = r"""
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        key, method = asked.get("id"), asked.get("method")
        if key is None:
            self.whole(202, b"")
        elif method == "initialize":
            info = {"name": "bench", "version": "1"}
            result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
            self.whole(200, json.dumps({"jsonrpc": "2.0", "id": key, "result": result}).encode())
        elif asked["params"].get("name") == "made":
            self.event(key)
        elif asked["params"].get("name") == mode:
            self.whole(200, self.head(key), ready, b'"}],', data, b'"isError":false}}')
        else:
            self.whole(200, self.head(key), b'ok"}],"isError":false}}')

    do_GET = do_DELETE = lambda self: self.whole(405, b"")

    def head(self, key):
        return b'{"jsonrpc":"2.0","id":%b,"result":{"content":[{"type":"text","text":"' % json.dumps(key).encode()

    def whole(self, status, *body):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(sum(map(len, body))))
        self.end_headers()
        for part in body:
            self.wfile.write(part)

    def event(self, key):
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(b"data: " + self.head(key))
        for part in parts(int(sys.argv[1])):
            self.wfile.write(part)
        self.wfile.write(b'"}],"isError":false}}\n\n')

    def log_message(self, *_):
        pass

ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
"""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class HttpClient:
    """Speaks to a process that listens on a port, each call on a connection of its own."""

    def __init__(self, command: list[str], port: int, path: str = "/mcp") -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        self._port, self._path = port, path
        self._session: dict[str, str] = {}
        self._key = 0
        self._done: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._wait_for_port()
        info = {"name": "bench", "version": "1"}
        self._post("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}, 0)
        self._post("notifications/initialized", {}, None)
        for _ in range(5):
            self.wait(self.call("tiny"))

    def call(self, tool: str) -> int:
        self._key += 1
        key = self._key
        params = {"name": tool, "arguments": {}}
        threading.Thread(target=self._post, args=("tools/call", params, key), daemon=True).start()
        return key

    def wait(self, key: int) -> int:
        """Wait for the response of this id, or for any other one; return the id of the one that came."""
        while True:
            found = self._done.get(timeout=PATIENCE)
            if key in (found, 0):
                return found

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(20)

    def _post(self, method: str, params: dict[str, Any], key: int | None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params, **({} if key is None else {"id": key})}
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE)
        connection.request("POST", self._path, json.dumps(message), {**HEADERS, **self._session})
        response = connection.getresponse()
        while response.read(1 << 20):
            pass
        if method == "initialize" and (session := response.headers.get("mcp-session-id")):
            self._session = {"mcp-session-id": session}
        connection.close()
        if key:
            self._done.put(key)

    def _wait_for_port(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", self._port)).close()
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise TimeoutError
