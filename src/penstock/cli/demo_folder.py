"""The folder that ``penstock demo`` serves: a made-up shop with sources, logs and orders, the same every time."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SERVICES: Final = ("basket", "billing", "catalog", "courier", "gateway", "ledger", "mail", "search", "stock", "users")
PARTS: Final = ("api", "cache", "events", "model", "queue", "report", "rules", "session", "tasks", "views")
CITIES: Final = ("Bergen", "Ghent", "Kraków", "Lisbon", "Nantes", "Porto", "Turin", "Uppsala", "Utrecht")
GOODS: Final = ("desk lamp", "garden chair", "ink bottle", "kettle", "rain jacket", "sketch book", "teapot", "wool rug")
STATES: Final = ("paid", "paid", "paid", "shipped", "shipped", "open", "returned")
REMARKS: Final = ("", "", "", "gift wrap", "leave with the neighbour", "call before delivery", "second attempt")
LEVELS: Final = ("INFO", "INFO", "INFO", "INFO", "DEBUG", "DEBUG", "WARNING", "ERROR")
FIRST_DAY: Final = date(2026, 3, 1)
DAYS: Final = 60
ORDERS_A_DAY: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoFolder:
    """The files and bytes that were written."""

    files: int
    size: int


def make(folder: Path) -> DemoFolder:
    """Write the folder."""
    draw = random.Random(1)  # noqa: S311  # not a secret: the folder must be the same every time
    files = size = 0
    for name, text in _texts(draw):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = text.encode()
        path.write_bytes(data)
        files, size = files + 1, size + len(data)
    return DemoFolder(files=files, size=size)


def _texts(draw: random.Random) -> Iterator[tuple[str, str]]:
    for service in SERVICES:
        for part in PARTS:
            for number in range(12):
                yield f"services/{service}/{part}/{part}_{number:02}.py", _source(draw, service, part)
            for number in range(3):
                yield f"services/{service}/{part}/tests/test_{part}_{number}.py", _source(draw, service, f"test_{part}")
    for number in range(DAYS):
        day = (FIRST_DAY + timedelta(days=number)).isoformat()
        for service in SERVICES:
            yield f"logs/{day}/{service}.log", _log(draw, day, service)
        orders = [_order(draw, 10_000 + number * ORDERS_A_DAY + at, day) for at in range(ORDERS_A_DAY)]
        yield f"data/orders/{day}.json", json.dumps(orders, ensure_ascii=False, indent=1)


def _source(draw: random.Random, service: str, part: str) -> str:
    lines = [f'"""{part.title()} of the {service} service."""', "", f"from {service} import settings", ""]
    for number in range(draw.randint(2, 6)):
        word = draw.choice(GOODS).replace(" ", "_")
        lines += ["", f"def {part}_{word}_{number}(amount: int) -> int:", f"    return amount * {draw.randint(2, 99)}"]
    return "\n".join(lines) + "\n"


def _log(draw: random.Random, day: str, service: str) -> str:
    return "".join(
        f"{day}T{at // 2:02}:{draw.randrange(60):02}:00Z {draw.choice(LEVELS)} {service} "
        f"request {draw.randrange(10**6):06} took {draw.randint(2, 900)} ms\n"
        for at in range(48)
    )


def _order(draw: random.Random, number: int, day: str) -> dict[str, Any]:
    return {
        "order": number,
        "day": day,
        "city": draw.choice(CITIES),
        "product": draw.choice(GOODS),
        "quantity": draw.randint(1, 9),
        "price": draw.randint(300, 12_000) / 100,
        "status": draw.choice(STATES),
        "remark": draw.choice(REMARKS),
    }
