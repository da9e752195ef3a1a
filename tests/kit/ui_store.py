"""A store as a day of work leaves it: results of several tools, held and read by a real gate. For tests, screenshots
and benchmarks of the page; all data is made here."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any, Final

from penstock.config import Config
from penstock.core.fit import Call
from penstock.gate import Gate
from penstock.gate.owners import Owner
from penstock.stores.sizes import SizeKey, Sizes, day_of
from tests.kit.answers import head_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.stores import Store

MARKUP: Final = "<script>document.title='owned'</script><img src=x onerror=alert(1)>"
ESCAPES: Final = "\x1b]0;owned\x07\x1b[31mred\x1b[0m \u202etxt.exe"
HOSTILE: Final = MARKUP + ESCAPES
STATES: Final = ("open", "in progress", "waiting", "closed")
LABELS: Final = ("bug", "performance", "docs", "security", "question", "ui")
PEOPLE: Final = ("amara", "bjarne", "chidi", "dana", "emeka", "fatima", "goran")
WORDS: Final = [
    "gate",
    "valve",
    "pressure",
    "turbine",
    "sluice",
    "basin",
    "outlet",
    "spillway",
    "sensor",
    "inspection",
    "maintenance",
    "relay",
    "pump",
    "flow",
    "level",
]


def issues(count: int, seed: int = 3) -> list[dict[str, Any]]:
    """Tickets of a project, in the shape that trackers give them."""
    chance = random.Random(seed)
    return [
        {
            "number": 4_000 + number,
            "title": " ".join(chance.sample(WORDS, 4)).capitalize(),
            "state": chance.choices(STATES, (5, 3, 1, 8))[0],
            "user": {"login": chance.choice(PEOPLE)},
            "labels": [{"name": name} for name in chance.sample(LABELS, chance.randrange(3))],
            "comments": chance.randrange(30),
            "created_at": f"2026-{1 + number * 10 // count:02d}-{1 + number % 28:02d}T{number % 24:02d}:15:00Z",
            "body": " ".join(chance.choices(WORDS, k=chance.randrange(20, 60))),
        }
        for number in range(count)
    ]


def hostile() -> list[dict[str, Any]]:
    """Rows whose keys and values are markup, orders to a terminal and a change of direction."""
    return [{"id": number, "note": HOSTILE, HOSTILE: number} for number in range(900)]


def log(count: int, seed: int = 5) -> str:
    chance = random.Random(seed)
    lines = []
    for number in range(count):
        level = chance.choices(("INFO", "WARN", "ERROR"), (20, 3, 1))[0]
        seconds = number // 3
        stamp = f"2026-11-16T{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}Z"
        words = " ".join(chance.choices(WORDS, k=6))
        lines.append(f"{stamp} {level} {chance.choice(WORDS)}: {words} took={chance.randrange(900)}ms")
    return "\n".join(lines) + "\n"


def measurements(count: int, note: str = "") -> str:
    """A long table, each row as its number tells: row 250,000 can be known by looking at it."""
    rows = (
        {
            "id": number,
            "station": f"S{number * 7_919 % 97:02d}",
            "flow": number * 31 % 1_000 / 10,
            "ok": number % 9 > 0,
            **({"note": note} if note else {}),
        }
        for number in range(1, count + 1)
    )
    return json.dumps(list(rows), separators=(",", ":"))


def held(gate: Gate, tool: str, value: Any, *, server: str = "tracker", arguments: dict[str, Any] | None = None) -> str:
    """Have a result held, as it comes from a server. Returns its handle."""
    text = value if isinstance(value, str) else json.dumps(value)
    result = json.dumps({"content": [{"type": "text", "text": text}]}).encode()
    owner = Owner(name="local:" + "5e" * 16, run="today")
    call = Call(tool=tool, arguments=arguments or {}, owner=owner.name)
    answer = gate.decide(call, result, owner=owner, server=f"{'ab' * 16}/{server}", server_name=server).answer
    handle = head_of(answer)["cache_id"]
    assert isinstance(handle, str)
    return handle


def read(gate: Gate, handle: str, **arguments: Any) -> None:
    """Read on as a model does."""
    gate.fetch(Owner(name="local:" + "5e" * 16, run="today"), {"cache_id": handle, **arguments})


def fill(store: Store, now: Callable[[], float], *, rows: int = 2_000) -> dict[str, str]:
    """Fill a store, and return the handles by what they are."""
    gate = Gate(store, Config(max_tokens=8_000, ttl=86_400), now=now)
    made = {
        "rows": held(gate, "query_measurements", measurements(rows), server="plant", arguments={"since": "2026-11-01"}),
        "log": held(gate, "read_log", log(4_000), server="plant", arguments={"unit": "turbine-2", "lines": 4_000}),
        "hostile": held(gate, "fetch_page<b>", hostile(), arguments={"url": HOSTILE}),
        "text": held(gate, "read_file", "\n".join(f"{n}: {HOSTILE}" for n in range(600)), server="files"),
        "issues": held(gate, "search_issues", issues(1_240), arguments={"repo": "dam/control", "state": "all"}),
    }
    read(gate, made["issues"], action="get_page")
    by_state = "SELECT state, count(*) AS n FROM items GROUP BY state ORDER BY n DESC"
    read(gate, made["issues"], action="sql", sql=by_state)
    read(gate, made["issues"], action="sql", sql="SELECT author FROM items")
    read(gate, made["issues"], action="get_page", page=9)
    read(gate, made["issues"], action="search", pattern="spillway")
    read(gate, made["issues"], action="get_page", page=10)
    read(gate, made["issues"], action="get_page", page=24)
    read(gate, made["log"], action="search", pattern="ERROR")
    read(gate, made["log"], action="get", start_line=1_200, lines=120)
    gate.close()
    store.add_sizes(dict(days(now())))
    for tool, one in TOTALS.items():
        store.add_counts(tool, **one)
    return made


TOTALS: Final = {
    "search_issues": {"calls": 912, "held": 214, "tokens_saved": 6_420_000},
    "query_measurements": {"calls": 301, "held": 288, "tokens_saved": 9_870_000},
    "read_log": {"calls": 455, "held": 120, "tokens_saved": 3_310_000},
    "read_file": {"calls": 2_204, "held": 61, "tokens_saved": 812_000},
    "list_directory": {"calls": 1_877, "held": 4, "tokens_saved": 33_000},
    "get_issue": {"calls": 640, "held": 0, "tokens_saved": 0},
}
SERVERS: Final = {
    "search_issues": "tracker",
    "get_issue": "tracker",
    "query_measurements": "plant",
    "read_log": "plant",
    "read_file": "files",
    "list_directory": "files",
}


def days(now: float) -> Iterator[tuple[SizeKey, Sizes]]:
    """Sizes of a month: less at weekends."""
    chance = random.Random(11)
    today = day_of(now)
    for day in range(today - 29, today + 1):
        part = (0.15 if (day + 4) % 7 in (0, 6) else 1.0) * chance.uniform(0.5, 1.5) / 22
        for tool, one in TOTALS.items():
            calls, kept, saved = (round(one[name] * part) for name in ("calls", "held", "tokens_saved"))
            passed = calls - kept
            small = passed * 2 // 3
            found = (
                (2_000, Sizes(calls=small, tokens_in=900 * small, tokens_out=900 * small)),
                (6_000, Sizes(calls=passed - small, tokens_in=4_000 * passed, tokens_out=4_000 * passed)),
                (40_000, Sizes(calls=kept, held=kept, tokens_in=saved + 1_500 * kept, tokens_out=1_500 * kept)),
            )
            yield from ((SizeKey(day, SERVERS[tool], tool, up_to), sizes) for up_to, sizes in found)
