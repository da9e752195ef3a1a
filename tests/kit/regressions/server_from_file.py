"""An MCP server that answers as a file tells it to. Standard library only: ``server_from_file.py FILE``.

The file is JSON: by method, or by ``tools/call NAME``, the steps of an answer. ``{"say": message}`` is sent as it is,
``{"hear": true}`` waits for the client's next message, ``{"answer": {"result": ...}}`` gets the id of the request, and
``"$heard"`` in it stands for what was heard. What is not in the file is refused as unknown.
"""

from __future__ import annotations

import json
import sys
from typing import Any

Message = dict[str, Any]


def say(message: Message) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def hear() -> Message:
    message: Message = json.loads(sys.stdin.readline())
    return message


def answer(request: Message, steps: list[Message]) -> None:
    heard: list[Message] = []
    for step in steps:
        if "say" in step:
            say(step["say"])
        elif "hear" in step:
            heard.append(hear())
        else:
            told = json.dumps(step["answer"], ensure_ascii=False)
            if heard:
                told = told.replace("$heard", json.dumps(json.dumps(heard))[1:-1])
            say({"id": request["id"], **json.loads(told)})


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        answers: dict[str, list[Message]] = json.load(file)
    unknown = [{"answer": {"error": {"code": -32601, "message": "Method not found"}}}]
    for line in sys.stdin:
        request: Message = json.loads(line)
        if "id" not in request or "method" not in request:
            continue
        params = request.get("params") or {}
        method = request["method"]
        for name in (f"{method} {params.get('name')}", f"{method} {params.get('cursor')}", method):
            if name in answers:
                answer(request, answers[name])
                break
        else:
            answer(request, unknown)


if __name__ == "__main__":
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    main()
