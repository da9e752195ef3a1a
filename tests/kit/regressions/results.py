"""What the server of these tests answers: the results on which others fail, made anew for each run and always alike."""

from __future__ import annotations

import base64
import random
from typing import Any

Message = dict[str, Any]

ROWS = 1_500  # some 60,000 tokens
WORDS = ("ledger", "harbour", "naïve", "übergang", "茶", "\U0001f600\U0001f3fd", "quorum", '"quoted"', "back\\slash")


def rows(number: int = ROWS) -> list[Message]:
    """Records whose later ones have keys that no earlier one has, with every kind of value."""
    draw = random.Random(5)
    made: list[Message] = []
    for at in range(number):
        row: Message = {
            "id": at,
            "town": draw.choice(("Oslo", "Bergen", "Ålesund")),
            "paid": draw.random() < 0.5,
            "amount": draw.randint(1, 9_999),
            "note": " ".join(draw.choice(WORDS) for _ in range(5)),
        }
        if at > 150:
            row["later"] = None if at % 2 else [at, {"deep": True}]
        if at == number - 1:
            row["last"] = 12345678901234567890.0
        made.append(row)
    return made


def text(lines: int = 4_000) -> str:
    """Lines without a common length, with blank ones, and no newline at the end."""
    draw = random.Random(9)
    return "\n".join(" ".join(draw.choice(WORDS) for _ in range(draw.randint(0, 9))) for _ in range(lines))


def picture(size: int) -> str:
    return base64.b64encode(random.Random(3).randbytes(size)).decode()


def block(words: str) -> Message:
    return {"type": "text", "text": words}


def result(**members: Any) -> list[Message]:
    return [{"answer": {"result": members}}]


def tools() -> list[Message]:
    schema = {"type": "object", "properties": {"town": {"type": "string"}, "limit": {"type": "integer"}}}
    return [{"name": f"tool{number}", "description": "does it", "inputSchema": schema} for number in range(4)]
