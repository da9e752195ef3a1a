"""Tables in JSON: records of many widths, columns beside rows, series, several tables, one record a line or a block."""

from __future__ import annotations

import math
from typing import Any, Final

from bench.shapes.registry import KB, MB, shape
from bench.shapes.sampler import NAMES, Sampler, compact, grow, grow_lines, pretty, spaced

STATES: Final = ("open", "open", "open", "closed", "stale")
BLOCKS: Final = 300  # content blocks of one result; a server that sends one block for every record


def order(draw: Sampler, number: int) -> dict[str, Any]:
    return {
        "id": 100_000 + number,
        "customer": draw.person(),
        "email": f"{draw.name(2, '.')}@mail.example",
        "status": draw.choice(STATES),
        "total": round(draw.random() * 900, 2),
        "currency": draw.choice(["EUR", "USD", "JPY"]),
        "created_at": draw.stamp(number),
        "items": draw.randrange(1, 12),
        "paid": draw.random() < 0.8,
        "note": draw.maybe(draw.sentence(), 0.3),
    }


@shape("json", 100 * KB, 1 * MB, 5 * MB)
def flat_records(size: int) -> str:
    """Make an array of like records without nesting, as a database answers."""
    draw = Sampler(21)
    return spaced(grow(size, lambda number: order(draw, number), spaced))


@shape("json", 300 * KB, 3 * MB)
def wide_records(size: int) -> str:
    """Make records of 80 to 200 columns, a third of them null or missing."""
    draw = Sampler(22)
    columns = [f"{draw.identifier()}_{number}" for number in range(200)]

    def cell(name: str) -> Any:
        return draw.choice([None, draw.random() < 0.5, draw.randrange(10**6), round(draw.random(), 6), f"{name[:9]} x"])

    def record(number: int) -> dict[str, Any]:
        present = sorted(draw.sample(range(200), draw.randint(80, 200)))
        return {"id": number, **{columns[column]: cell(columns[column]) for column in present}}

    return compact(grow(size, record))


@shape("json", 500 * KB, 3 * MB)
def columns_and_rows(size: int) -> str:
    """Make a query's answer with its columns named once: ``{"columns": [...], "rows": [[...], ...]}``."""
    draw = Sampler(23)
    first = order(draw, 0)
    rows = grow(size, lambda number: list(order(draw, number).values()))
    columns = [{"name": name, "type": type(value).__name__} for name, value in first.items()]
    return compact({"columns": columns, "rows": rows, "row_count": len(rows), "elapsed_ms": 184, "truncated": False})


@shape("json", 300 * KB, 3 * MB)
def time_series(size: int) -> str:
    """Make metrics, each with its labels and its values as ``[[time, value], ...]``."""
    draw = Sampler(24)

    def series(number: int) -> dict[str, Any]:
        labels = {
            "__name__": draw.identifier(),
            "instance": f"{draw.address()}:9100",
            "job": draw.choice(NAMES),
            "mode": draw.choice(["idle", "user", "system"]),
        }
        start = 1_767_600_000
        values = [[start + 15 * step, f"{abs(math.sin(step / 40 + number)):.9g}"] for step in range(240)]
        return {"metric": labels, "values": values}

    return compact({"status": "success", "data": {"resultType": "matrix", "result": grow(size, series)}})


@shape("json", 400 * KB, 2 * MB)
def several_tables(size: int) -> str:
    """Make an object with eleven tables of different columns and lengths, as a database is exported."""
    draw = Sampler(25)

    def table(name: str, share: float) -> list[dict[str, Any]]:
        columns = [f"{name}_{draw.identifier()}" for _ in range(draw.randint(3, 9))]

        def row(number: int) -> dict[str, Any]:
            cells: dict[str, Any] = {column: draw.choice([draw.words(2), draw.randrange(9_999)]) for column in columns}
            return {f"{name}_id": number + 1, **cells}

        return grow(int(size * share), row)

    shares = [0.3, 0.2, 0.15, 0.1, 0.08, 0.06, 0.05, 0.03, 0.02, 0.006, 0.004]
    return compact({name: table(name, share) for name, share in zip(NAMES, shares, strict=False)})


@shape("json", 300 * KB, 3 * MB)
def json_lines(size: int) -> str:
    """Make a service's log with one JSON object on each line."""
    draw = Sampler(26)

    def entry(number: int) -> str:
        level = draw.choices(["debug", "info", "warn", "error"], [30, 60, 7, 3])[0]
        extra = {"error": draw.sentence(), "stack": "\n".join(f"  at {draw.path('ts')}:{n}" for n in range(5))}
        request = {"method": "GET", "path": f"/{draw.name(2, '/')}", "ms": draw.randrange(900)}
        return compact(
            {
                "time": draw.moment(number, 1.0).isoformat(),
                "level": level,
                "service": draw.choice(NAMES),
                "trace_id": draw.hex(32),
                "msg": draw.sentence(),
                **({"http": request} if draw.random() < 0.5 else {}),
                **(extra if level == "error" else {}),
            }
        )

    return grow_lines(size, entry)


@shape("json", 300 * KB, 2 * MB)
def concatenated_json(size: int) -> str:
    """Make a stream of pretty-printed values, one after the other, each with a single key that says what it is."""
    draw = Sampler(27)

    def value(number: int) -> str:
        trace = [{"module": draw.name(), "version": draw.version(), "function": draw.identifier()} for _ in range(3)]
        choices: list[dict[str, Any]] = [
            {"progress": {"message": draw.sentence()}},
            {"finding": {"id": f"F-{number}", "fixed_version": draw.version(), "trace": trace}},
            {"advisory": {"id": f"A-{number}", "details": draw.paragraph(4), "modified": draw.stamp(number)}},
        ]
        return pretty(draw.choice(choices))

    return grow_lines(size, value)


@shape("json", 300 * KB, 3 * MB)
def many_blocks(size: int) -> list[str]:
    """Make 300 content blocks with one JSON object each."""
    draw = Sampler(28)

    def block(number: int) -> str:
        head = {"id": draw.uuid(), "title": draw.sentence(), "url": f"https://wiki.example/{draw.name(3)}"}
        lines = grow(size // BLOCKS - 500, lambda row: order(draw, 100 * number + row), pretty)
        return pretty({**head, "orders": lines})

    return [block(number) for number in range(BLOCKS)]
