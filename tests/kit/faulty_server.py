"""A small MCP server that behaves, until one of its tools is called that does not. Standard library only.

``faulty_server.py [BEGINNING [ARGUMENT]]``: some misbehave from the start.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Message = dict[str, Any]

FOREVER = 600  # seconds; whoever waits so long was left behind
SLEEPER = f"import time; time.sleep({FOREVER})"


def write(raw: bytes) -> None:
    rest = memoryview(raw)
    while rest:
        rest = rest[os.write(1, rest) :]


def say(message: Message) -> None:
    write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def reply(request: Message, text: str) -> None:
    say({"id": request["id"], "result": {"content": [{"type": "text", "text": text}]}})


def told(request: Message) -> Any:
    return request["params"].get("arguments", {})


# Tools that behave


def echo(request: Message) -> None:
    reply(request, told(request)["text"])


def size(request: Message) -> None:
    reply(request, str(len(told(request)["text"])))


def records(request: Message) -> None:
    rows = [
        {"id": at, "state": ("open", "closed")[at % 3 == 0], "note": f"note {at} é茶"}
        for at in range(told(request)["rows"])
    ]
    reply(request, json.dumps(rows, ensure_ascii=False))


def letters(request: Message) -> None:
    reply(request, "word " * (told(request)["bytes"] // 5))


def about(request: Message) -> None:
    own = {
        "pid": os.getpid(),
        "group": os.getpgrp(),
        "environment": {key.decode("latin-1"): value.decode("latin-1") for key, value in os.environb.items()},
        "arguments": sys.argv[1:],
        "folder": os.getcwd(),
    }
    reply(request, json.dumps(own))


def whisper(request: Message) -> None:
    os.write(2, told(request)["text"].encode())
    reply(request, "said")


# Answers


def twice(request: Message) -> None:
    reply(request, "first")
    reply(request, "second")


def unknown(request: Message) -> None:
    reply({"id": "never asked"}, "to nobody")
    reply(request, "mine")


def keep(request: Message) -> None:
    """Answered only when it is cancelled, which is too late."""
    KEPT.append(request)


KEPT: list[Message] = []


def noise(request: Message) -> None:
    write(told(request)["text"].encode("latin-1") + b"\n")
    reply(request, "after the noise")


def half(request: Message) -> None:
    result = {"content": [{"type": "text", "text": told(request).get("text", "")}]}
    write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode()[:-9])
    os._exit(told(request).get("code", 4))


def no_newline(request: Message) -> None:
    write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": {"content": []}}).encode())
    os._exit(0)


def flood(request: Message) -> None:
    for _ in range(told(request)["megabytes"]):
        os.write(2, (b"x" * 99 + b"\n") * 10_000)
    reply(request, "flooded")


def babble(request: Message) -> None:
    """Lines that are no messages, many of them."""
    write(b"no message at all, said again and again, and never of use to anybody\n" * told(request)["lines"])
    reply(request, "after the babble")


# Ends


def leave(request: Message) -> None:
    os._exit(told(request)["code"])


def crash(request: Message) -> None:
    os.kill(os.getpid(), told(request)["signal"])


def close_stdout(_: Message) -> None:
    os.close(1)


def close_stdin(request: Message) -> None:
    os.close(0)
    reply(request, "closed")
    time.sleep(FOREVER)


def stop_reading(request: Message) -> None:
    reply(request, "reading no more")
    time.sleep(FOREVER)


# Children


def start(request: Message) -> None:
    """Start a process that outlives this one: in the same group or one of its own, with our output or without."""
    child = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", SLEEPER],
        stdin=subprocess.DEVNULL,
        stdout=None if told(request)["holds_output"] else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=told(request)["leaves"],
    )
    child.returncode = 0  # nobody here waits for it
    reply(request, str(child.pid))


TOOLS: dict[str, Callable[[Message], None]] = {
    one.__name__: one
    for one in (
        *(echo, size, records, letters, about, whisper),
        *(twice, unknown, keep, noise, half, no_newline, flood, babble),
        *(leave, crash, close_stdout, close_stdin, stop_reading, start),
    )
}


def serve(line: bytes) -> None:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        say({"id": None, "error": {"code": -32700, "message": "not JSON"}})
        return
    for request in message if isinstance(message, list) else [message]:
        if isinstance(request, dict):
            handle(request)


def handle(request: Message) -> None:
    match request.get("method"):
        case "initialize":
            info = {"name": "odd", "version": "1"}
            can: Message = {"tools": {}}
            say(
                {
                    "id": request["id"],
                    "result": {"protocolVersion": "2025-11-25", "capabilities": can, "serverInfo": info},
                }
            )
        case "tools/list":
            tools = [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]
            say({"id": request["id"], "result": {"tools": tools}})
        case "tools/call" if request["params"]["name"] in TOOLS:
            TOOLS[request["params"]["name"]](request)
        case "notifications/cancelled":
            for kept in KEPT:
                if kept["id"] == request["params"]["requestId"]:
                    reply(kept, "too late")
        case "ping":
            say({"id": request["id"], "result": {}})
        case _ if "id" in request and "method" in request:
            say({"id": request["id"], "error": {"code": -32601, "message": f"no {request['method']}"}})


def begin(how: str, argument: str = "") -> None:
    match how:
        case "exit":
            os._exit(int(argument))
        case "stubborn":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        case "polite":
            signal.signal(signal.SIGTERM, lambda *_: os._exit(21))
            signal.signal(signal.SIGINT, lambda *_: os._exit(22))
        case "noise":
            write(b'Welcome to the odd server!\n\n\xff\xfe\x00 binary \x80\n[1, 2\n"a string"\n17\nnull\n{}\n')
        case "reads after":  # the first question is in its input long before it is ended
            sys.stdin.buffer.readline()
            os._exit(int(argument))


def main() -> None:
    begin(*sys.argv[1:3] or ["as it should"])
    for line in sys.stdin.buffer:
        if line.strip():
            serve(line)
    while sys.argv[1:2] == ["stubborn"]:
        time.sleep(FOREVER)


if __name__ == "__main__":
    main()
