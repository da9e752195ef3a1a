"""What a fuzz target is. A case is a Python literal, so that it can be kept in a file whatever made it."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from random import Random

CORPUS: Final = Path(__file__).with_name("corpus")

Case = dict[str, Any]


class Target(Protocol):
    """Makes cases and checks them."""

    def make(self, random: Random) -> Case:
        """Draw a case. The same state of ``random`` gives the same case."""

    def check(self, case: Case) -> str:
        """Run a case, and return in one word what became of it. Raises whatever it finds wrong."""

    def close(self) -> None:
        """End what the target has started."""


def kept_cases(name: str) -> list[Path]:
    """Return the files of a target's past findings."""
    return sorted((CORPUS / name).glob("*.txt"))


def read_case(path: Path) -> Case:
    """Read a case from a file; lines that begin with ``#`` say what it found."""
    case = ast.literal_eval(path.read_text("ascii"))
    assert isinstance(case, dict)
    return case


def written(case: Case) -> str:
    """Return a case as the text of a file."""
    return "{\n" + "".join(f"    {name!r}: {value!a},\n" for name, value in case.items()) + "}\n"
