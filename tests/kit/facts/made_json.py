"""JSON of every form, from a seed: each with its rows and the cells of its columns."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from random import Random
from typing import Any

STATES = ("open", "pending", "solved", "on hold")
WORDS: tuple[str, ...] = (
    "amber",
    "birch",
    "cedar",
    "dune",
    "ember",
    "fern",
    "garnet",
    "hazel",
    "iris",
    "juniper",
    "kestrel",
    "lark",
)
WORDS += ("maple", "nettle", "oak", "pine")


@dataclass(frozen=True, kw_only=True)
class Made:
    """A payload and what is true of it."""

    text: str
    form: str
    count: int
    columns: dict[str, list[Any]] = field(default_factory=dict)


def phrase(random: Random, words: int = 8) -> str:
    return " ".join(random.choices(WORDS, k=words))


def ticket(random: Random, number: int) -> dict[str, Any]:
    return {
        "id": 7_000 + number,
        "status": random.choice(STATES),
        "score": random.choice([None, 1, 2, 3, 5]),
        "weight": round(random.uniform(-2, 9), 3),
        "open": random.random() < 0.3,
        "user": {"name": random.choice(WORDS), "team": random.choice(WORDS[:4])},
        "tags": random.sample(WORDS, random.randrange(4)),
        "created_at": f"2026-0{random.randint(1, 9)}-{random.randint(10, 28)}T0{random.randrange(10)}:00:00Z",
        "subject": phrase(random),
    }


def columns_of(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    names = ("id", "status", "score", "weight", "open", "tags", "created_at", "subject")
    return {name: [row[name] for row in rows] for name in names} | {
        "user.name": [row["user"]["name"] for row in rows],
        "user.team": [row["user"]["team"] for row in rows],
    }


def tickets(seed: int, count: int = 240) -> list[dict[str, Any]]:
    random = Random(seed)
    return [ticket(random, number) for number in range(count)]


def records(seed: int) -> Made:
    rows = tickets(seed)
    return Made(text=json.dumps({"total": 999, "tickets": rows}), form="records", count=240, columns=columns_of(rows))


def records_by_key(seed: int) -> Made:
    rows = tickets(seed)
    text = json.dumps({f"ticket-{row['id']}": row for row in rows})
    keys = [f"ticket-{row['id']}" for row in rows]
    return Made(text=text, form="records", count=240, columns={"key": keys, **columns_of(rows)})


def sibling_arrays(seed: int) -> Made:
    rows = tickets(seed)
    groups = [{"project": f"p{at}", "tickets": rows[at * 60 : at * 60 + 60]} for at in range(4)]
    projects = [f"p{at // 60}" for at in range(240)]
    columns = {"groups.project": projects, **columns_of(rows)}
    return Made(text=json.dumps({"groups": groups}), form="records", count=240, columns=columns)


def json_lines(seed: int) -> Made:
    rows = tickets(seed)
    return Made(text="\n".join(map(json.dumps, rows)), form="records", count=240, columns=columns_of(rows))


def concatenated(seed: int) -> Made:
    rows = tickets(seed)
    text = "\n".join(json.dumps(row, indent=2) for row in rows)
    return Made(text=text, form="records", count=240, columns=columns_of(rows))


def in_a_fence(seed: int) -> Made:
    rows = tickets(seed)
    text = f"Here are the tickets.\n\n```json\n{json.dumps(rows, indent=1)}\n```\nThat is all.\n"
    return Made(text=text, form="records", count=240, columns=columns_of(rows))


def a_tree(seed: int) -> Made:
    random = Random(seed)
    nodes: list[dict[str, Any]] = []

    def node(depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {"name": phrase(random, 3), "kind": random.choice(STATES), "size": random.randrange(99)}
        nodes.append(made)
        if depth < 5:
            made["children"] = [node(depth + 1) for _ in range(random.randrange(4 if depth else 5))]
        return made

    roots = [node(0) for _ in range(12)]
    columns = {name: [one[name] for one in nodes] for name in ("kind", "size")}
    return Made(text=json.dumps({"roots": roots}), form="tree", count=len(nodes), columns=columns)


def series_with_a_spike(seed: int) -> Made:
    random = Random(seed)
    values = [round(random.uniform(10, 20), 2) for _ in range(2_500)]
    values[random.randrange(2_500)] = 987.65
    return Made(
        text=json.dumps({"unit": "ms", "values": values}), form="values", count=2_500, columns={"value": values}
    )


def columnar(seed: int) -> Made:
    rows = tickets(seed)
    names = ["id", "status", "weight", "subject"]
    text = json.dumps({"columns": names, "rows": [[row[name] for name in names] for row in rows]})
    return Made(text=text, form="columnar", count=240, columns={name: [row[name] for row in rows] for name in names})


def a_grid(seed: int) -> Made:
    rows = tickets(seed)
    names = ["id", "status", "weight", "subject"]
    text = json.dumps({"range": "A1:D241", "values": [names, *([row[name] for name in names] for row in rows)]})
    return Made(text=text, form="columnar", count=240, columns={name: [row[name] for row in rows] for name in names})


def side_by_side(seed: int) -> Made:
    rows = tickets(seed, 700)
    columns = {name: [row[name] for row in rows] for name in ("id", "status", "weight")}
    return Made(text=json.dumps(columns), form="columnar", count=700, columns=columns)


def search_matches(seed: int) -> Made:
    random = Random(seed)
    files = [f"src/{a}/{b}.py" for a in WORDS[:4] for b in WORDS[4:9]]
    rows = [{"path": random.choice(files), "line": random.randint(1, 900), "text": phrase(random)} for _ in range(400)]
    columns = {name: [row[name] for row in rows] for name in ("path", "line", "text")}
    return Made(text=json.dumps({"matches": rows}), form="records", count=400, columns=columns)


def findings(seed: int) -> Made:
    random = Random(seed)
    files = [f"{a}/{b}.go" for a in WORDS[:3] for b in WORDS[4:8]]
    rows = [
        {
            "file": random.choice(files),
            "line": random.randint(1, 500),
            "severity": random.choice(["HIGH", "LOW", "MEDIUM"]),
            "rule_id": f"G{random.randint(100, 108)}",
            "message": phrase(random),
        }
        for _ in range(250)
    ]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return Made(text=json.dumps({"results": rows}), form="records", count=250, columns=columns)


JSON_FORMS = (
    records,
    records_by_key,
    sibling_arrays,
    json_lines,
    concatenated,
    in_a_fence,
    a_tree,
    series_with_a_spike,
    columnar,
    a_grid,
    side_by_side,
    search_matches,
    findings,
)
