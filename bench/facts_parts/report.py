"""Statements and their classes: exact, marked as an estimate, wrong, or not computed again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final, Literal

Class = Literal["exact", "marked", "wrong", "unchecked"]

ROUNDING: Final = 1e-9  # by which a sum of floats may differ, of its size


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One thing that was said, and what is true."""

    what: str
    said: Any
    truth: Any
    verdict: Class


@dataclass(slots=True)
class Report:
    """The statements about one payload."""

    statements: list[Statement] = field(default_factory=list)

    def say(self, what: str, said: Any, truth: Any, *, marked: bool = False) -> bool:
        """Judge one statement. One that is ``marked`` as an estimate is never wrong, but never exact either."""
        holds = _same(said, truth)
        verdict: Class = "marked" if marked else "exact" if holds else "wrong"
        self.statements.append(Statement(what=what, said=said, truth=truth, verdict=verdict))
        return holds

    def skip(self, what: str, said: Any = None) -> None:
        """Note a statement that is not computed again."""
        self.statements.append(Statement(what=what, said=said, truth=None, verdict="unchecked"))

    @property
    def wrong(self) -> list[Statement]:
        return [one for one in self.statements if one.verdict == "wrong"]

    @property
    def counts(self) -> Counter[str]:
        return Counter(one.verdict for one in self.statements)


def _same(said: Any, truth: Any) -> bool:
    if isinstance(said, float) or isinstance(truth, float):
        if not isinstance(said, int | float) or not isinstance(truth, int | float):
            return False
        return abs(said - truth) <= ROUNDING * max(1.0, abs(truth))
    return type(said) is type(truth) and bool(said == truth)
