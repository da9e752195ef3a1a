"""Measure what it costs to compare a result with the one that the same call gave before.

Each line has the CPU of an admission with an earlier result to compare with, beside that of the same admission without
one, in the same run; of both directions, from the original to its changed version and back, the worse. ``few`` changes
three parts, takes two out and adds three; ``some`` changes one part in fifty, takes one in a hundred out and adds some;
``all`` changes every part, which is the worst that a result can do. Parts are lines, or the items and members of the
first level of JSON that has many. Results come from ``bench/shapes``; the store is in memory.

    python bench/changes.py [--only log | --only every] [--megabytes 1.5] [--rounds 5]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

sys.path.insert(0, os.fspath(Path(__file__).resolve().parents[1]))

from bench.shapes import MB, SHAPES

from penstock import Call, Config, Gate, open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

LIMIT: Final = 2.0  # times an admission without an earlier result, if a few parts changed
SOME: Final = 50  # parts of which one is changed,
FEWER: Final = 100  # and one is taken out
FEW: Final = 3  # parts that are changed, and that are added
MANY: Final = 100  # parts of a level of JSON that is changed
CHOSEN: Final = (
    "pull-requests",
    "pods",
    "flat-records",
    "json-lines",
    "package-releases",
    "design-document",
    "service-log",
    "csv-numbers",
    "find-listing",
    "markdown",
)

_NOT_BLANK: Final = re.compile(r"\S")
_DIGIT: Final = re.compile("[0-9]")


def text_of(name: str, size: int) -> str:
    made = SHAPES[name].make(size)
    return made if isinstance(made, str) else "\n".join(made)


def changed(text: str, way: str) -> str:
    """Return a text with some parts changed: rows of JSON or of values one after the other, or lines."""
    values = list(_values(text))
    if not values:
        return _changed_lines(text, way)
    between = text[values[0].stop : values[1].start] if len(values) > 1 else ""
    style = next((one for one in _styles() if one(values[0].value) == text[values[0].start : values[0].stop]), None)
    if style is None:
        return _changed_lines(text, way)
    top = [one.value for one in values]
    _change_parts(_parts(top if len(top) > 1 else top[0]), way)
    return between.join(map(style, top))


@dataclass(frozen=True, slots=True)
class _Value:
    value: Any
    start: int
    stop: int


def _values(text: str) -> Iterator[_Value]:
    """Yield the JSON values that a text consists of; none if it has anything else."""
    decoder, at, made = json.JSONDecoder(), 0, []
    while (begin := _NOT_BLANK.search(text, at)) is not None:
        try:
            value, at = decoder.raw_decode(text, begin.start())
        except ValueError:
            return
        made.append(_Value(value, begin.start(), at))
    yield from made


def _styles() -> Iterator[Callable[[Any], str]]:
    """Yield the ways in which servers write JSON."""
    for indent in (None, 1, 2, 4):
        for separators in (None, (",", ":")):
            for is_ascii in (False, True):
                yield json.JSONEncoder(ensure_ascii=is_ascii, indent=indent, separators=separators).encode


def _parts(value: Any) -> list[tuple[Any, Any]]:
    """Return the parts of a value, each by its container and its key: those of the first level that has many."""
    level = _inside([value])
    while level and len(level) < MANY:
        below = _inside([container[key] for container, key in level])
        if not below:
            break
        level = below
    return level


def _inside(values: Iterable[Any]) -> list[tuple[Any, Any]]:
    return [
        (one, key)
        for one in values
        if isinstance(one, list | dict)
        for key in (one if isinstance(one, dict) else range(len(one)))
    ]


def _changed_numbers(total: int, way: str) -> tuple[range, range]:
    """Return which parts are changed, and which are taken out."""
    if way == "all":
        return range(total), range(0)
    if way == "some":
        return range(0, total, SOME), range(7, total, FEWER)
    third = max(1, total // (FEW + 1))
    return range(third, total, third)[:FEW], range(third // 2, total, 2 * third)[:2]


def _changed_lines(text: str, way: str) -> str:
    lines = text.split("\n")
    change, take = _changed_numbers(len(lines), way)
    for at in change:
        lines[at] = _other(lines[at])
    if way != "all":
        lines[-3:-3] = map(_other, lines[9:12])
        for at in reversed(take):
            del lines[at]
    return "\n".join(lines)


def _change_parts(parts: list[tuple[Any, Any]], way: str) -> None:
    change, take = _changed_numbers(len(parts), way)
    for at in change:
        container, key = parts[at]
        container[key] = _change(container[key])
    if way == "all":
        return
    new = [(container, key, _renew(container[key])) for container, key in parts[:FEW]]
    for at in reversed(take):
        container, key = parts[at]
        del container[key]
    for container, key, one in new:
        if isinstance(container, dict):
            container[f"{key}-new"] = one
        else:
            container.append(one)


def _other(text: str) -> str:
    """Return a text of the same length with another last digit, or else another last letter, so that it stays what it
    is: a hash, a time, a name. A line that only closes a tag is left as it is."""
    if text.lstrip().startswith("</"):
        return text
    at = max((match.start() for match in _DIGIT.finditer(text)), default=-1)
    if at >= 0:
        return f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}"
    at = next((at for at in range(len(text) - 1, -1, -1) if text[at].isalpha()), -1)
    return text if at < 0 else text[:at] + ("x" if text[at] != "x" else "y") + text[at + 1 :]


def _change(part: Any) -> Any:
    """Return a part with its last value changed, which may lie deep in it."""
    if isinstance(part, str):
        return _other(part) or "x"
    if isinstance(part, bool | None):
        return not part
    if not isinstance(part, list | dict):
        return part + 1
    if not part:
        return [1] if isinstance(part, list) else {"x": 1}
    last = next(reversed(part)) if isinstance(part, dict) else -1
    part[last] = _change(part[last])
    return part


def _renew(part: Any) -> Any:
    """Return a part with other texts and numbers."""
    if isinstance(part, dict):
        return {key: _renew(one) for key, one in part.items()}
    if isinstance(part, list):
        return [_renew(one) for one in part]
    return f"{part}-new" if isinstance(part, str) else part + 10**9 if type(part) is int else part


def measured(versions: tuple[str, str], rounds: int) -> tuple[float, float, str]:
    """Return the least CPU ms of an admission without an earlier result and with one, in the worse direction, and what
    the notice then says."""
    raws = [json.dumps({"content": [{"type": "text", "text": one}]}, ensure_ascii=False).encode() for one in versions]
    fresh = count()
    alone: tuple[list[float], list[float]] = ([], [])
    compared: tuple[list[float], list[float]] = ([], [])
    words = ["", ""]
    with open_store("memory:") as store:
        gate = Gate(store, Config())

        def admit(at: int, number: int) -> tuple[float, bytes]:
            start = time.process_time()
            answer = gate.admit(Call(tool="x", owner="o", arguments={"n": number}), raws[at])
            return (time.process_time() - start) * 1_000, answer

        admit(0, -1)
        for at in (1, 0) * rounds:
            alone[at].append(admit(at, next(fresh))[0])
            taken, answer = admit(at, -1)
            compared[at].append(taken)
            line = json.loads(answer)["content"][0]["text"].partition("\n")[0]
            words[at] = json.loads(line)["changes"].partition(": ")[2]
    worse = max((0, 1), key=lambda at: min(compared[at]) / min(alone[at]))
    return min(alone[worse]), min(compared[worse]), words[worse]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--megabytes", type=float, default=1.5)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(f"{'shape':<24}{'changed':<9}{'MB':>6}{'alone ms':>10}{'with ms':>10}{'ratio':>7}  limit {LIMIT:g}")
    over, lines = 0, 0
    for name in CHOSEN if not options.only else SHAPES:
        if options.only not in ("", "every") and not re.search(options.only, name):
            continue
        text = text_of(name, int(options.megabytes * MB))
        for way in ("same", "few", "some", "all"):
            alone, compared, words = measured((text, text if way == "same" else changed(text, way)), options.rounds)
            ratio = compared / alone
            over, lines = over + (ratio > LIMIT), lines + 1
            print(
                f"{name:<24}{way:<9}{len(text) / MB:6.2f}{alone:10.1f}{compared:10.1f}{ratio:7.2f}  "
                f"{'OVER' if ratio > LIMIT else 'ok':<6}{words[:110]}",
                flush=True,
            )
    print(f"{over} of {lines} lines above {LIMIT:g}")


if __name__ == "__main__":
    main()
