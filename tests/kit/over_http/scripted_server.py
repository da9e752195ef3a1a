"""A server on standard input and output that does what its client says: steps, one after the other.

    {"say": MESSAGE}      write it; "$id" and "$token" in it are the call's own
    {"text": TEXT}        answer the call with a text
    {"letters": NUMBER}   answer the call with a text of so many bytes
    {"raw": TEXT}         write it as it is
    {"words": NUMBER}     write so many words
    {"until": PATH}       wait for a file
    {"exit": CODE}

The tool ``heard`` answers with all messages that came so far, ``about`` with the process. Standard library only.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

Message = dict[str, Any]
HEARD: list[Message] = []


def write(raw: bytes) -> None:
    rest = memoryview(raw)
    while rest:
        rest = rest[os.write(1, rest) :]


def say(message: Message) -> None:
    write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def filled(told: Any, request: Message) -> Any:
    if told == "$id":
        return request["id"]
    if told == "$token":
        return request["params"]["_meta"]["progressToken"]
    if isinstance(told, dict):
        return {name: filled(one, request) for name, one in told.items()}
    return [filled(one, request) for one in told] if isinstance(told, list) else told


def text(request: Message, told: str) -> None:
    say({"id": request["id"], "result": {"content": [{"type": "text", "text": told}]}})


def do(request: Message, steps: list[Message]) -> None:
    for step in steps:
        match step:
            case {"say": message}:
                say(filled(message, request))
            case {"text": told}:
                text(request, told)
            case {"raw": told}:
                write(told.encode())
            case {"words": number}:
                write(b"word " * number)
            case {"letters": number}:
                text(request, "word " * (number // 5))
            case {"until": path}:
                while not os.path.exists(path):
                    time.sleep(0.005)
            case {"exit": code}:
                os._exit(code)


def call(request: Message) -> None:
    arguments = request["params"].get("arguments", {})
    match request["params"]["name"]:
        case "heard":
            text(request, json.dumps(HEARD))
        case "about":
            text(request, json.dumps({"pid": os.getpid(), "arguments": sys.argv[1:], "folder": os.getcwd()}))
        case _:
            do(request, arguments["steps"])


def main() -> None:
    for line in sys.stdin.buffer:
        message = json.loads(line)
        for one in message if isinstance(message, list) else [message]:
            HEARD.append(one)
            match one.get("method"):
                case "initialize" if one["params"].get("protocolVersion") == "refused":
                    say({"id": one["id"], "error": {"code": -32602, "message": "not this version"}})
                case "initialize":
                    info = {"name": "puppet", "version": "1"}
                    told = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
                    say({"id": one["id"], "result": told})
                case "tools/call":
                    call(one)
                case str(method) if "id" in one and method != "subscriptions/listen":
                    say({"id": one["id"], "error": {"code": -32601, "message": f"no {method}"}})


if __name__ == "__main__":
    main()
