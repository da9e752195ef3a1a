"""A folder of texts: the documents, code and notes of a team that sells ferry tickets.

Made of numbers alone, so that it is the same on every machine.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from tests.kit.examples.samples.files import write_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WEEKS: Final = 40  # of notes; enough for a question to have several pages

AREAS: Final = ("authentication", "booking", "payments", "timetable", "boarding", "refunds", "pricing", "notices")
PARTS: Final = {
    "authentication": ("the login form", "the session token", "user passwords", "the second factor"),
    "booking": ("the seat map", "a group booking", "the waiting list", "the car deck"),
    "payments": ("the card terminal", "a failed payment", "the receipt", "the bank's callback"),
    "timetable": ("the winter timetable", "a cancelled crossing", "the tide table", "the late ferry"),
    "boarding": ("the boarding gate", "the ticket scanner", "the foot passengers", "the ramp"),
    "refunds": ("a refund request", "the refund deadline", "a partial refund", "the voucher"),
    "pricing": ("the child fare", "the season ticket", "the island discount", "the price table"),
    "notices": ("the storm warning", "the text message", "the notice board", "the newsletter"),
}
DOES: Final = ("checks", "delays", "replaces", "records", "rejects", "confirms", "retries", "hides")
WHY: Final = (
    "because two crossings were sold twice in May",
    "so that the harbour office can see it the same day",
    "until the user has confirmed the address",
    "when the network at the pier is down",
    "as agreed with the crew in the spring meeting",
    "although the old system did it the other way round",
)


def make_sample(folder: Path, weeks: int = WEEKS) -> None:
    """Write the sample to a folder."""
    write_files(folder, _files(weeks))


def _files(weeks: int) -> Iterator[tuple[str, str]]:
    chance = random.Random(7)
    links = "\n".join(f"- [{area.capitalize()}](docs/{area}.md)" for area in AREAS)
    yield "README.md", f"# Ferry tickets\n\nThe office sells tickets for three islands.\n\n{links}\n"
    for number, area in enumerate(AREAS):
        other = AREAS[(number + 1) % len(AREAS)]
        yield f"docs/{area}.md", _document(chance, area, other)
        yield f"src/{area}.py", _module(chance, area, other)
    for week in range(1, weeks + 1):
        yield f"notes/week-{week:02}.md", _note(chance, week)


def _document(chance: random.Random, area: str, other: str) -> str:
    parts = [f"# {area.capitalize()}\n\nSee [{other}]({other}.md), and the code in [{area}.py](../src/{area}.py).\n"]
    parts += [
        f"\n## {part.capitalize()}\n\n" + "\n\n".join(_paragraph(chance, area) for _ in range(3)) + "\n"
        for part in PARTS[area]
    ]
    return "".join(parts)


def _module(chance: random.Random, area: str, other: str) -> str:
    parts = [f'"""The {area} of the ferry office."""\n\nfrom {other} import record\n']
    for part in PARTS[area]:
        name = part.removeprefix("the ").removeprefix("a ").replace(" ", "_").replace("'s", "")
        verb = chance.choice(DOES)
        parts.append(
            f"\n\ndef {verb}_{name}(user: str, crossing: int) -> bool:\n"
            f'    """{_sentence(chance, area)}"""\n'
            f"    if crossing < {chance.randrange(2, 90)}:\n        record(user, crossing)\n        return False\n"
            f'    return user != "{name}" and crossing % {chance.randrange(2, 9)} == 0\n'
        )
    return "".join(parts)


def _note(chance: random.Random, week: int) -> str:
    areas = chance.sample(AREAS, 3)
    text = "".join(f"\n## {area.capitalize()}\n\n{_paragraph(chance, area)} More in [[{area}]].\n" for area in areas)
    return f"# Week {week}\n\nAfter [[week-{week - 1:02}]].\n{text}"


def _paragraph(chance: random.Random, area: str) -> str:
    return " ".join(_sentence(chance, area) for _ in range(chance.randrange(3, 7)))


def _sentence(chance: random.Random, area: str) -> str:
    one, other = chance.sample(PARTS[area], 2)
    return f"For {area}, {one} {chance.choice(DOES)} {other} {chance.choice(WHY)}."
