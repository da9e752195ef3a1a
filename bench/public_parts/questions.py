"""Load the questions of the benchmark, and compare answers with gold answers by its three metrics."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_NUMBER = re.compile(r"(?<![\w.,-])-?\d[\d,]*(?:\.\d+)?(?![\w-])")
NEAR: Final = 1  # The benchmark accepts a number that differs by at most this much.


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question of the benchmark. The field names are those of its file, except for ``words``."""

    id: str
    answer_file: str
    tool: str
    arguments: dict[str, Any]
    words: str
    gold: str
    kind: str
    task: str
    metric: str

    def accepts(self, answer: str) -> bool:
        """Return True if the metric of the question accepts this answer."""
        return METRICS[self.metric](answer, self.gold)


def load(folder: Path) -> list[Asked]:
    """Return the questions in the order of the file."""
    lines = (folder / "questions.jsonl").read_text("utf-8").splitlines()
    return [_asked(json.loads(line)) for line in lines if line.strip()]


def _asked(line: dict[str, Any]) -> Asked:
    names = ("id", "answer_file", "tool", "arguments", "gold", "kind", "task", "metric")
    return Asked(words=line["question"], **{name: line[name] for name in names})


def is_same_text(answer: str, gold: str) -> bool:
    """Return True if both texts are equal, ignoring case and one final full stop."""
    return _bare(answer) == _bare(gold)


def is_same_set(answer: str, gold: str) -> bool:
    """Return True if both texts list the same values, separated by commas, ignoring order and case."""
    return _set_of(answer) == _set_of(gold)


def is_near(answer: str, gold: str) -> bool:
    """Return True if a number in the answer differs by at most one from the gold number."""
    wanted = float(gold)
    numbers = (float(one.replace(",", "")) for one in _NUMBER.findall(answer))
    return any(abs(number - wanted) <= NEAR for number in numbers)


METRICS: Final[dict[str, Callable[[str, str], bool]]] = {
    "accuracy_string": is_same_text,
    "unordered_list_str_match": is_same_set,
    "approx_number_match": is_near,
}


def _bare(text: str) -> str:
    return text.strip().removesuffix(".").strip().casefold()


def _set_of(text: str) -> set[str]:
    return {one.strip().casefold() for one in text.split(",")}
