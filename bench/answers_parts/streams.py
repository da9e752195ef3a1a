"""Results that are many JSON values one after the other, or many content blocks."""

from __future__ import annotations

from collections import Counter
from typing import Any

from bench.answers_parts.question import (
    Result,
    ask,
    count_of,
    greatest_of,
    most_of,
    range_end,
    result_of,
    sql,
    stands,
    total_of,
)
from bench.shapes.sampler import Sampler, compact, pretty


@result_of("JSON lines")
def audit_events() -> Result:
    """An audit trail, one event a line."""
    draw = Sampler(4301)
    actions = ("login", "export", "delete", "rotate_key")
    events: list[dict[str, Any]] = [
        {
            "ts": draw.stamp(at, 300),
            "actor": draw.choices(("priya", "noor", "ci-bot", "sven"), (2, 3, 9, 1))[0],
            "action": draw.choices(actions, (60, 25, 9, 3))[0],
            "ok": draw.random() < 0.97,
            "ip": draw.address(),
            "took_ms": int(draw.expovariate(1 / 90)) + 2,
            "detail": draw.sentence(4, 9),
        }
        for at in range(1_400)
    ]
    by_action = Counter(str(one["action"]) for one in events)
    denied = sum(not one["ok"] for one in events)
    deleters = Counter(str(one["actor"]) for one in events if one["action"] == "delete")
    slow = max(events, key=lambda one: one["took_ms"])
    return Result(
        content="\n".join(map(compact, events)) + "\n",
        questions=(
            count_of(
                "How many deletions were there?",
                sql("SELECT count(*) FROM items WHERE action = 'delete'"),
                "action",
                "delete",
                by_action["delete"],
            ),
            count_of(
                "How many events did not succeed?",
                sql("SELECT count(*) FROM items WHERE ok = false"),
                "ok",
                "false",
                denied,
            ),
            ask(
                "Who deletes most?",
                sql("SELECT actor, count(*) FROM items WHERE action = 'delete' GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
                deleters.most_common(1)[0],
                first=[stands("delete", *deleters.most_common(1)[0])],
            ),
            range_end("When was the last event?", sql("SELECT max(ts) FROM items"), "ts", events[-1]["ts"]),
            greatest_of(
                "When did the slowest event happen?",
                sql("SELECT ts, took_ms FROM items ORDER BY took_ms DESC LIMIT 1"),
                "took_ms",
                slow["ts"],
                slow["took_ms"],
            ),
        ),
    )


@result_of("JSON lines")
def concatenated_checks() -> Result:
    """Values that a command line tool prints one after the other, over several lines each."""
    draw = Sampler(4302)
    checks: list[dict[str, Any]] = [
        {
            "check": draw.name(2, "_"),
            "host": f"web-{draw.randrange(30):02}",
            "state": draw.choices(("OK", "WARN", "CRIT"), (20, 3, 1))[0],
            "output": draw.sentence(),
        }
        for _ in range(700)
    ]
    states = Counter(one["state"] for one in checks)
    hosts = Counter(one["host"] for one in checks if one["state"] == "CRIT")
    return Result(
        content="\n".join(map(pretty, checks)) + "\n",
        questions=(
            count_of(
                "How many checks are critical?",
                sql("SELECT count(*) FROM items WHERE state = 'CRIT'"),
                "state",
                "CRIT",
                states["CRIT"],
            ),
            ask(
                "How many critical checks has the worst host?",
                sql("SELECT host, count(*) FROM items WHERE state = 'CRIT' GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
                [max(hosts.values())],
            ),
        ),
    )


@result_of("many blocks")
def one_block_each() -> Result:
    """A server that gives every memory in a content block of its own."""
    draw = Sampler(4303)
    kinds = ("person", "project", "place")
    memories: list[dict[str, Any]] = [
        {
            "id": at,
            "kind": draw.choices(kinds, (2, 5, 1))[0],
            "title": draw.words(4),
            "score": round(draw.random(), 3),
            "text": draw.paragraph(3),
        }
        for at in range(420)
    ]
    by_kind = Counter(str(one["kind"]) for one in memories)
    best = max(memories, key=lambda one: one["score"])
    return Result(
        content=[compact(one) for one in memories],
        questions=(
            count_of(
                "How many memories are about places?",
                sql("SELECT count(*) FROM items WHERE kind = 'place'"),
                "kind",
                "place",
                by_kind["place"],
            ),
            most_of(
                "What are most memories about?",
                sql("SELECT kind, count(*) FROM items GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
                "kind",
                *by_kind.most_common(1)[0],
            ),
            greatest_of(
                "Which memory has the best score?",
                sql("SELECT id, score, title FROM items ORDER BY score DESC LIMIT 1"),
                "score",
                best["id"],
                best["score"],
            ),
            total_of("How many memories were found?", sql("SELECT count(*) FROM items"), "record", len(memories)),
        ),
    )
