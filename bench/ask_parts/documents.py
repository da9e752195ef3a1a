"""Thirty documents from seeds: ten kinds of tools, three of each, with the questions that a model asks of them."""

from __future__ import annotations

import csv
import io
import json
import statistics
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any, Final

from bench.ask_parts.question import Document, Rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SEEDS: Final = (1, 2, 3)
_CITIES: Final = ("Oslo", "Bergen", "Berlin", "Lyon", "Porto", "Gdansk")
_PEOPLE: Final = ("ann", "bob", "cid", "dora", "eve", "finn")


def documents() -> Iterator[Document]:
    """Yield all documents, always the same ones."""
    for make in _MAKERS:
        for seed in SEEDS:
            yield make(f"{make.__name__.strip('_')}-{seed}", Random(seed))  # made-up data


def _document(name: str, value: Any) -> Document:
    return Document(name=name, text=json.dumps(value))


def _issues(name: str, random: Random) -> Document:
    rows: Rows = [
        {
            "number": 100 + n,
            "state": random.choice(["OPEN", "CLOSED"]),
            "user": {"login": random.choice(_PEOPLE), "id": n % 6},
            "labels": random.sample(["bug", "docs", "ui", "api"], random.randint(0, 3)),
            "comments": random.randint(0, 30),
            "created_at": f"2026-0{random.randint(1, 9)}-{random.randint(1, 28):02d}T{random.randint(10, 18)}:15:00Z",
            "title": f"Issue {n}",
        }
        for n in range(random.randint(40, 90))
    ]
    made = _document(name, {"issues": rows, "total": len(rows)})
    count = Counter(row["state"] for row in rows)
    made.ask("SELECT count(*) FROM items WHERE state = 'open'", count["OPEN"], "case")
    made.ask('SELECT count(*) FROM items WHERE state <> "closed"', count["OPEN"], "case and quotes")
    made.ask("SELECT count(*) FROM items WHERE labels = 'bug'", sum("bug" in row["labels"] for row in rows), "list")
    made.ask(
        "SELECT count(*) FROM items WHERE user.login = 'ann'",
        sum(row["user"]["login"] == "ann" for row in rows),
        "name",
    )
    made.ask("SELECT count(DISTINCT login) FROM items", len({row["user"]["login"] for row in rows}), "last part")
    day = rows[3]["created_at"][:10]
    that_day = sum(row["created_at"].startswith(day) for row in rows)
    made.ask(f"SELECT count(*) FROM items WHERE created_at = '{day}'", that_day, "date")
    until = sum(row["created_at"][:10] <= day for row in rows)
    made.ask(f"SELECT count(*) FROM items WHERE created_at <= '{day}'", until, "date")
    made.ask("SELECT title FROM items WHERE number = '105'", "Issue 5", "text for number")
    made.ask('[.issues[] | select(.state == "open")] | length', count["OPEN"], "case", "jq")
    made.ask('[.issues[] | select(.number == "105")] | length', 1, "text for number", "jq")
    made.ask(
        '[.issues[] | select(.labels == "bug")] | length', sum("bug" in row["labels"] for row in rows), "list", "jq"
    )
    return made


def _products(name: str, random: Random) -> Document:
    prices = [random.randint(100, 300_000) / 100 for _ in range(60)]
    rows: Rows = [
        {
            "sku": f"P-{n:03d}",
            "price": f"${price:,.2f}",
            "stock": random.randint(0, 40),
            "brand": random.choice(["Acme Inc", "Initech"]),
        }
        for n, price in enumerate(prices)
    ]
    made = _document(name, rows)
    made.ask("SELECT avg(price) FROM items", statistics.fmean(prices), "currency")
    made.ask("SELECT count(*) FROM items WHERE price > 500", sum(price > 500 for price in prices), "currency")
    made.ask("SELECT sku FROM items ORDER BY price DESC LIMIT 1", f"P-{prices.index(max(prices)):03d}", "currency")
    made.ask("SELECT max(price) FROM items", max(prices), "currency", also=f"${max(prices):,.2f}")
    total = sum(price * row["stock"] for price, row in zip(prices, rows, strict=True))
    made.ask("SELECT sum(price * stock) FROM items", total, "currency")
    made.ask("SELECT CAST(sum(CAST(price AS REAL)) AS INTEGER) FROM items", int(round(sum(prices), 2)), "currency")
    made.ask("SELECT count(*) FROM items WHERE brand = 'Acme'", sum(row["brand"] == "Acme Inc" for row in rows), "part")
    return made


def _readings(name: str, random: Random) -> Document:
    rows: Rows = [
        {
            "id": str(n + 1),
            "value": str(random.randint(1, 150)),
            "rating": f"{random.randint(10, 50) / 10:.1f}",
            "ok": n % 3 > 0,
        }
        for n in range(80)
    ]
    made = _document(name, rows)
    made.ask(
        "SELECT count(*) FROM items WHERE value > 60", sum(int(row["value"]) > 60 for row in rows), "number in text"
    )
    made.ask("SELECT max(value) FROM items", max(int(row["value"]) for row in rows), "number in text")
    made.ask("SELECT id FROM items ORDER BY id DESC LIMIT 1", "80", "number in text")
    made.ask(
        "SELECT count(*) FROM items WHERE rating >= '4.5'", sum(float(row["rating"]) >= 4.5 for row in rows), "text"
    )
    made.ask("SELECT value FROM items WHERE id = 7", rows[6]["value"], "number in text")
    made.ask("SELECT count(*) FROM items WHERE coalesce(value, 0) > 100", sum(int(row["value"]) > 100 for row in rows))
    made.ask("SELECT count(*) FROM items WHERE ok = 'true'", sum(row["ok"] for row in rows), "text for truth")
    made.ask("SELECT median(value) FROM items", statistics.median(int(row["value"]) for row in rows))
    return made


def _pokemon(name: str, random: Random) -> Document:
    kinds = ["Fire", "Water", "Grass", "Ice"]
    rows: Rows = [
        {
            "name": f"Mon {n}",
            "type": random.sample(kinds, random.randint(1, 2)),
            "moves": [{"name": random.choice(["cut", "fly"])}],
        }
        for n in range(50)
    ]
    made = _document(name, {"pokemon": rows})
    fire = sum("Fire" in row["type"] for row in rows)
    made.ask("SELECT count(*) FROM items WHERE type = 'Fire'", fire, "list")
    made.ask("SELECT count(*) FROM items WHERE type = 'fire'", fire, "list and case")
    made.ask("SELECT count(*) FROM items WHERE type IN ('Fire')", fire, "list")
    made.ask(
        "SELECT count(*) FROM items WHERE moves = 'fly'", sum(row["moves"][0]["name"] == "fly" for row in rows), "list"
    )
    made.ask('[.pokemon[] | select(.type == "Fire")] | length', fire, "list", "jq")
    return made


def _events(name: str, random: Random) -> Document:
    start = 1_767_225_600  # 2026-01-01
    rows: Rows = [
        {"event": random.choice(["login", "logout"]), "at": start + 86_400 * random.randint(0, 60), "bytes": 2**53 + n}
        for n in range(70)
    ]
    made = _document(name, rows)
    bound = start + 31 * 86_400
    made.ask("SELECT count(*) FROM items WHERE at >= '2026-02-01'", sum(row["at"] >= bound for row in rows), "epoch")
    made.ask(f"SELECT count(*) FROM items WHERE bytes > {2**53 + 40}", 29)
    made.ask("SELECT count(*) FROM items WHERE event = 'Login'", sum(row["event"] == "login" for row in rows), "case")
    made.ask("SELECT count(*) FROM items WHERE event ILIKE 'LOG%'", 70, "dialect")
    return made


def _ids(name: str, random: Random) -> Document:
    base = 2**63 + random.randint(1, 9_999)
    rows: Rows = [{"hash": base + n, "zip": f"0{random.randint(1000, 1020)}", "n": n} for n in range(60)]
    made = _document(name, rows)
    made.ask(f"SELECT n FROM items WHERE hash = {base + 41}", 41, "wide")
    made.ask(f"SELECT count(*) FROM items WHERE hash > {base + 41}", 18, "wide")
    wanted = rows[5]["zip"]
    made.ask(f"SELECT count(*) FROM items WHERE zip = '{wanted}'", sum(row["zip"] == wanted for row in rows))
    made.ask(f"SELECT count(*) FROM items WHERE zip = {int(wanted)}", sum(row["zip"] == wanted for row in rows), "zero")
    return made


def _csv_sales(name: str, random: Random) -> Document:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["day", "city", "amount", "share"])
    rows = [
        (
            f"2026-03-{n % 28 + 1:02d}",
            random.choice(_CITIES),
            f"{random.randint(5, 9_000)}.{random.randint(10, 99)}",
            f"{n % 90}%",
        )
        for n in range(90)
    ]
    writer.writerows(rows)
    made = Document(name=name, text=out.getvalue())
    made.ask("SELECT sum(amount) FROM items", sum(float(row[2]) for row in rows))
    made.ask(
        "SELECT count(*) FROM items WHERE amount > '1000'", sum(float(row[2]) > 1000 for row in rows), "text for number"
    )
    made.ask("SELECT count(*) FROM items WHERE city = 'oslo'", sum(row[1] == "Oslo" for row in rows), "case")
    made.ask("SELECT avg(share) FROM items", statistics.fmean(int(row[3][:-1]) for row in rows), "unit")
    made.ask("SELECT count(*) FROM items WHERE strftime('%m', day) = 3", 90, "text for number")
    return made


def _logs(name: str, random: Random) -> Document:
    rows = [
        (
            f"2026-09-{n // 10 + 1:02d}T10:{n % 60:02d}:00Z",
            random.choice(["INFO", "WARN", "ERROR"]),
            random.choice(_PEOPLE),
        )
        for n in range(120)
    ]
    made = Document(
        name=name, text="".join(f"{at} {level} {who}: call {n} done\n" for n, (at, level, who) in enumerate(rows))
    )
    errors = sum(level == "ERROR" for _, level, _ in rows)
    made.ask("SELECT count(*) FROM items WHERE level = 'error'", errors, "case")
    made.ask("SELECT count(*) FROM items WHERE time = '2026-09-03'", 10, "date")
    made.ask("SELECT count(*) FROM items WHERE time BETWEEN '2026-09-02' AND '2026-09-04'", 30, "date")
    made.ask(
        "SELECT count(*) FROM items WHERE time < '2026-09-02 10:15:00'",
        sum(at < "2026-09-02T10:15:00Z" for at, *_ in rows),
        "T",
    )
    made.ask('[.[] | select(.level == "error")] | length', errors, "case", "jq")
    return made


def _metrics(name: str, random: Random) -> Document:
    scores: list[Any] = [random.randint(1, 9) if n % 5 else "N/A" for n in range(75)]
    rows: Rows = [
        {"host": f"h{n}", "score": score, "latency": f"{n * 10} ms", "tags": {"env": "Prod" if n % 2 else "Test"}}
        for n, score in enumerate(scores)
    ]
    made = _document(name, {"hosts": rows})
    numbers = [score for score in scores if score != "N/A"]
    made.ask("SELECT avg(score) FROM items", statistics.fmean(numbers), "text among numbers")
    made.ask("SELECT count(*) FROM items WHERE score > 5", sum(score > 5 for score in numbers), "text among numbers")
    made.ask("SELECT count(*) FROM items WHERE latency > 200", sum(n * 10 > 200 for n in range(75)), "unit")
    made.ask("SELECT count(*) FROM items WHERE tags.env = 'prod'", 37, "name and case")
    made.ask("SELECT host FROM items ORDER BY latency DESC LIMIT 1", "h74", "unit")
    return made


def _people(name: str, random: Random) -> Document:
    rows: Rows = [
        {
            "profile": {
                "name": {"first": random.choice(_PEOPLE), "last": f"L{n}"},
                "address": {"city": random.choice(_CITIES)},
            },
            "salary": f"{random.randint(30, 99)} {random.randint(100, 999)},{random.randint(10, 99)} €",
            "joined": f"2025-{random.randint(1, 12):02d}-{random.randint(1, 28):02d}",
            "left": None,
        }
        for n in range(55)
    ]
    made = _document(name, {"data": {"people": rows}})
    cities = Counter(row["profile"]["address"]["city"] for row in rows)
    made.ask("SELECT count(*) FROM items WHERE profile.address.city = 'Oslo'", cities["Oslo"], "name")
    made.ask("SELECT count(*) FROM items p WHERE p.profile.address.city = 'oslo'", cities["Oslo"], "name and case")
    made.ask("SELECT count(DISTINCT city) FROM items", len(cities), "last part")
    pay = [float(row["salary"].removesuffix(" €").replace(" ", "").replace(",", ".")) for row in rows]
    made.ask("SELECT max(salary) FROM items", max(pay), "currency", also=rows[pay.index(max(pay))]["salary"])
    made.ask("SELECT avg(salary) FROM items", statistics.fmean(pay), "currency")
    first = sum(row["joined"].startswith("2025-01") for row in rows)
    made.ask("SELECT count(*) FROM items WHERE joined = '2025-01'", first, "date")
    made.ask("SELECT count(*) FROM items WHERE strftime('%Y', joined) = 2025", 55, "text for number")
    made.ask("SELECT count(*) FROM items WHERE left = NULL", 55, "null")
    return made


_MAKERS: Final[tuple[Callable[[str, Random], Document], ...]] = (
    *(_issues, _products, _readings, _pokemon, _events),
    *(_ids, _csv_sales, _logs, _metrics, _people),
)
