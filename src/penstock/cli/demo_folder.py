"""The folder that ``penstock demo`` serves: the sources and orders of a made-up shop, the same every time."""

from __future__ import annotations

import json
import random
from datetime import date, timedelta
from itertools import product
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SERVICES: Final = ("basket", "billing", "catalog", "courier", "gateway", "ledger", "mail", "search", "stock", "users")
PARTS: Final = ("api", "cache", "events", "model", "queue", "report", "rules", "session", "tasks", "views")
MODULES: Final = 20  # Python files in each part of a service
CITIES: Final = ("Bergen", "Ghent", "Kraków", "Lisbon", "Nantes", "Porto", "Turin", "Uppsala", "Utrecht")
GOODS: Final = ("desk lamp", "garden chair", "ink bottle", "kettle", "rain jacket", "sketch book", "teapot", "wool rug")
STATES: Final = ("paid", "paid", "paid", "shipped", "shipped", "open", "returned")
REMARKS: Final = ("", "", "", "gift wrap", "leave with the neighbour", "call before delivery", "second attempt")
FIRST_DAY: Final = date(2026, 3, 1)
DAYS: Final = 60
ORDERS_A_DAY: Final = 50
FIRST_ORDER: Final = 10_000


def make(folder: Path) -> int:
    """Write the folder, and return the number of its files."""
    files = 0
    for name, text in _files():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        files += 1
    return files


def _files() -> Iterator[tuple[str, str]]:
    for service, part, number in product(SERVICES, PARTS, range(MODULES)):
        yield f"services/{service}/{part}/{part}_{number:02}.py", f'"""{part.title()} of the {service} service."""\n'
    draw = random.Random(1)  # noqa: S311  # not a secret: the folder must be the same every time
    for at in range(DAYS):
        day = (FIRST_DAY + timedelta(days=at)).isoformat()
        first = FIRST_ORDER + at * ORDERS_A_DAY
        orders = [_order(draw, number, day) for number in range(first, first + ORDERS_A_DAY)]
        yield f"data/orders/{day}.json", json.dumps(orders, ensure_ascii=False, indent=1)


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
