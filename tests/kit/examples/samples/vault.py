"""A vault: the notes of a person who runs projects, meets people and cooks.

Made of numbers alone, so that it is the same on every machine: its files, their text and their times.
"""

from __future__ import annotations

import json
import os
import random
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOTES: Final = 2_000  # enough for every answer to be too long; made in about a second
LONG_NOTE: Final = "Reference/Field guide.md"
ACTIVE_NOTE: Final = "Projects/Harbour/Overview.md"
START: Final = date(2024, 1, 1)

PROJECTS: Final = ("Harbour", "Lantern", "Orchard", "Quarry", "Saltmarsh", "Tramway", "Viaduct", "Windmill")
PEOPLE: Final = ("Ada Winter", "Bruno Costa", "Chen Wei", "Dara Okafor", "Elif Kaya", "Freja Lund", "Goran Petrov")
TOPICS: Final = ("budget", "drainage", "permits", "lighting", "planting", "safety", "schedule", "suppliers", "surveys")
STATUSES: Final = ("open", "active", "waiting", "done")
KINDS: Final = ("Meetings", "Daily", "Projects", "Recipes", "Reference")
SUBJECTS: Final = ("The contractor", "Our neighbour", "The council", "A volunteer", "The survey", "The second draft")
VERBS: Final = ("confirmed", "questioned", "postponed", "measured", "rewrote", "approved", "lost", "found again")
THINGS: Final = ("the drawings", "a new pump", "the north wall", "three invoices", "the soil report", "the old map")
REASONS: Final = (
    "because the rain has not stopped for a week",
    "after a long call about the schedule",
    "so that the permits can be asked for in spring",
    "although no one had read the minutes",
    "and wrote it down for the next meeting",
)


def make_sample(folder: Path, notes: int = NOTES) -> None:
    """Write the sample to a folder: every file is a minute older than the one before it."""
    moment = datetime(2026, 6, 1, 8, tzinfo=UTC).timestamp()
    for path, data in _files(notes):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        os.utime(file, (moment, moment))
        moment -= 60


def _files(notes: int) -> Iterator[tuple[str, bytes]]:
    dice = random.Random(20_240)
    yield ACTIVE_NOTE, _overview().encode()
    yield LONG_NOTE, _field_guide(dice).encode()
    harbour = "---\ntags: [reference]\nstatus: open\n---\n# 港口笔记\n\n" + "潮水在清晨退去,码头上很安静。" * 40
    yield "Reference/港口笔记.md", harbour.encode()
    yield "Clippings/tide tables.html", _clipping().encode()
    yield "Attachments/plan.png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(64)
    yield ".obsidian/workspace.json", json.dumps(_workspace()).encode()
    for number in range(notes - 3):
        yield _note(dice, number)


def _note(dice: random.Random, number: int) -> tuple[str, bytes]:
    kind, topic, project = KINDS[number % 5], dice.choice(TOPICS), dice.choice(PROJECTS)
    day = START + timedelta(days=number // 10)
    match kind:
        case "Daily":
            path, title = f"Daily/{day:%Y/%m}/{day} {number}.md", f"Day {day}"
        case "Meetings":
            path, title = f"Meetings/{day:%Y}/{day} {topic} {number}.md", f"Meeting about {topic}"
        case "Recipes":
            path, title = f"Recipes/Soup {number}.md", f"Soup number {number}"
        case _:
            path, title = f"{kind}/{project}/{topic.capitalize()} {number}.md", f"{project}: {topic}"
    tags = {"Daily": "daily", "Meetings": f"meeting/{topic}", "Recipes": "recipe"}
    tag = tags.get(kind, f"project/{project.lower()}")
    status, priority = dice.choice(STATUSES), dice.randrange(1, 6)
    front = (
        f"---\ntitle: '{title}'\ntags: [{tag}, {topic}]\nstatus: {status}\npriority: {priority}\n"
        f"created: {day}\ndue: {day + timedelta(days=dice.randrange(5, 90))}\nowner: {dice.choice(PEOPLE)}\n---\n"
    )
    paragraphs = (_paragraph(dice) for _ in range(dice.randrange(2, 5)))
    text = f"# {title}\n\n" + "\n\n".join(paragraphs)
    link = f"\n\nSee [[{dice.choice(PROJECTS)}]] and #{dice.choice(TOPICS)}.\n"
    return path, (front + text + link + (_tasks(number, topic, day) if kind == "Meetings" else "")).encode()


def _tasks(number: int, topic: str, day: date) -> str:
    """Write what a meeting has left to do: one task that is done, and one with a part inside it."""
    due = day + timedelta(days=7 + number % 30)
    return (
        f"\n## Actions\n\n- [x] send the minutes ✅ {day}\n- [ ] write to the council about {topic} [due:: {due}]\n"
        f"\t- [{' x'[number % 2]}] find last year's letter\n"
    )


def _paragraph(dice: random.Random) -> str:
    return " ".join(
        f"{dice.choice(SUBJECTS)} {dice.choice(VERBS)} {dice.choice(THINGS)} {dice.choice(REASONS)}."
        for _ in range(dice.randrange(2, 5))
    )


def _overview() -> str:
    return (
        "---\ntitle: Harbour overview\naliases: [The harbour]\ntags: [project/harbour]\nstatus: active\npriority: 1\n"
        "created: 2024-01-01\ndue: 2026-12-31\nowner: Ada Winter\n---\n# Harbour overview\n\n"
        "The quay is repaired in three stages: survey, drainage, planting. Stage two waits for the permits.\n"
    )


def _field_guide(dice: random.Random) -> str:
    """Write a note of more than a million characters, as web clippings and exports grow."""
    parts = ["---\ntitle: Field guide\ntags: [reference]\nstatus: done\n---\n# Field guide\n"]
    parts += [
        f"\n## Site {chapter}\n\n" + "\n\n".join(_paragraph(dice) for _ in range(4)) + "\n"
        for chapter in range(1, 1_301)
    ]
    return "".join(parts)


def _clipping() -> str:
    rows = "".join(f"<tr><td>{hour:02d}:00</td><td>{(hour * 7) % 5}.{hour % 10} m</td></tr>" for hour in range(24))
    return (
        "<!doctype html><html><head><title>Tide tables</title><style>td{color:red}</style></head><body><nav>menu</nav>"
        "<h1>Tide tables</h1><p>Heights over <b>chart datum</b>, from the <a href='https://example.org/tides'>harbour"
        f" office</a>.</p><table><tr><th>Time</th><th>Height</th></tr>{rows}</table>"
        "<script>alert(1)</script></body></html>"
    )


def _workspace() -> dict[str, object]:
    leaf = {"id": "a1", "type": "leaf", "state": {"type": "markdown", "state": {"file": ACTIVE_NOTE}}}
    other = {"id": "b2", "type": "leaf", "state": {"type": "markdown", "state": {"file": LONG_NOTE}}}
    main = {"id": "m", "type": "split", "children": [{"id": "t", "type": "tabs", "children": [other, leaf]}]}
    return {"main": main, "active": "a1", "lastOpenFiles": [LONG_NOTE]}
