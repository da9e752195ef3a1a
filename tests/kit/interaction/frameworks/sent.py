"""Record the tools that a framework sends to a model's API, in the form in which ``tools/list`` has them.

A program starts ``Api`` in place of the real API, runs its framework against it, and prints the recorded tools with
``tell``. The API answers each request with an error, because only the request matters.
"""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


class Api:
    """A local HTTP server that records what is posted to it."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        api = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                api.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                answer = b'{"error": {"message": "recorded", "code": 400, "status": "INVALID_ARGUMENT"}}'
                self.send_response(400)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self) -> Api:
        Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()

    async def record(self, request: Any) -> list[dict[str, Any]]:
        """Await a request, which the API refuses, and return the tools that it had."""
        before = len(self.bodies)
        try:
            await request
        except Exception:
            if len(self.bodies) == before:  # it failed before it was sent
                raise
        return [made for tool in self.bodies[before]["tools"] for made in _listed(tool)]


def tell(sent: dict[str, list[dict[str, Any]]]) -> None:
    """Print the tools of each way in which the framework was used."""
    print(json.dumps(sent))


def _listed(tool: dict[str, Any]) -> list[dict[str, Any]]:
    if "functionDeclarations" in tool:
        return [_of_gemini(one) for one in tool["functionDeclarations"]]
    one = tool.get("function", tool)
    schema, strict = one["parameters"], bool(one.get("strict"))
    return [{"name": one["name"], "description": one["description"], "inputSchema": schema, "strict": strict}]


def _of_gemini(one: dict[str, Any]) -> dict[str, Any]:
    written = one.get("parameters_json_schema", one.get("parametersJsonSchema"))
    schema = _lower(one["parameters"]) if written is None else written
    return {"name": one["name"], "description": one["description"], "inputSchema": schema, "strict": False}


def _lower(schema: Any) -> Any:
    """Return a schema with its types in lower case: Gemini's own schemas have STRING for string."""
    if isinstance(schema, list):
        return [_lower(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: value.lower() if key == "type" and isinstance(value, str) else _lower(value)
        for key, value in schema.items()
    }
