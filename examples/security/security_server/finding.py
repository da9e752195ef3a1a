"""One finding in one form, whichever engine has made it.

A fingerprint stays the same while lines are added above the finding, while a secret is replaced by another one, and
whichever part of the folder is scanned. It is made of the engine, the rule, the file, and the line without what stands
in quotation marks or behind a ``=`` or ``:``; so passwords cannot be tried against it.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Severity = Literal["CRITICAL", "HIGH", "MEDIUM", "LOW"]
SEVERITIES: Final[tuple[Severity, ...]] = ("CRITICAL", "HIGH", "MEDIUM", "LOW")

MARK: Final = 12  # hexadecimal digits of a fingerprint: two of a million findings are alike once in 500 projects
ID: Final = 8  # of them in an answer, or more where two findings of a scan would have the same
MOST_MESSAGE: Final = 300  # characters; an engine's message may repeat a name from the scanned file
_QUOTED: Final = re.compile(r"""(['"]).*?(?:\1|$)""")
_VALUE: Final = re.compile(r"[=:].*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """A finding as its engine reports it, with our severity. ``file`` is the path that the engine read."""

    file: str
    line: int
    rule: str
    title: str
    message: str
    severity: Severity
    confidence: str | None = None
    cwe: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A finding. ``first_seen`` is when a scan found it for the first time: newest and oldest go by it."""

    fingerprint: str
    severity: Severity
    engine: str
    rule: str
    title: str
    message: str
    file: str
    line: int
    confidence: str | None
    cwe: int | None
    first_seen: str = ""

    def summary(self, digits: int, *, times: bool = False) -> dict[str, Any]:
        """Return what a list needs: an id to ask for the rest, how bad it is, which rule it breaks, and where."""
        fields = {
            "id": self.fingerprint[:digits],
            "severity": self.severity,
            "rule": self.rule,
            "file": self.file,
            "line": self.line,
        }
        return {**fields, "first_seen": self.first_seen} if times else fields

    def details(self, digits: int) -> dict[str, Any]:
        """Return all that is known of it."""
        more = {
            "fingerprint": self.fingerprint,
            "engine": self.engine,
            "title": self.title,
            "message": self.message,
            "confidence": self.confidence,
            "cwe": self.cwe,
        }
        known = {name: value for name, value in more.items() if value is not None}
        return self.summary(digits, times=True) | known


def id_digits(findings: Iterable[Finding]) -> int:
    """Return how many digits of their fingerprints tell these findings apart, as a version control shortens its own."""
    every = {finding.fingerprint for finding in findings}
    return next((size for size in range(ID, MARK) if len({one[:size] for one in every}) == len(every)), MARK)


def findings_of(engine: str, raws: Iterable[Raw], root: Path) -> list[Finding]:
    """Return the findings of one engine in the order of their places."""
    sources = _Sources(root)
    seen: Counter[tuple[str, str, str]] = Counter()
    made = []
    for raw in sorted(raws, key=lambda raw: (raw.file, raw.line, raw.rule)):
        name, lines = sources.of(raw.file)
        context = _context(lines[raw.line - 1] if 0 < raw.line <= len(lines) else "")
        key = (raw.rule, name, context)
        seen[key] += 1  # the same on two lines: the first, the second
        mark = hashlib.sha256("\0".join((engine, *key, str(seen[key]))).encode()).hexdigest()[:MARK]
        made.append(
            Finding(
                fingerprint=mark,
                severity=raw.severity,
                engine=engine,
                rule=raw.rule,
                title=raw.title,
                message="".join(char if char.isprintable() else " " for char in raw.message[:MOST_MESSAGE]),
                file=name,
                line=raw.line,
                confidence=raw.confidence,
                cwe=raw.cwe,
            )
        )
    return made


def _context(line: str) -> str:
    return "".join(_VALUE.sub("", _QUOTED.sub("", line)).split())


class _Sources:
    """The files that findings are in, each read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, tuple[str, list[str]]] = {}

    def of(self, path: str) -> tuple[str, list[str]]:
        """Return a file's name below the root, and its lines."""
        if path not in self._known:
            file = self._root / path
            try:
                text = file.read_text(encoding="utf-8", errors="replace")
            except OSError:  # deleted since the engine has read it
                text = ""
            self._known[path] = (file.relative_to(self._root).as_posix(), text.split("\n"))
        return self._known[path]
