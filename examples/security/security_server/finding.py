"""One finding in one form, whichever engine has made it.

A fingerprint stays the same while lines are added above the finding, while a secret is replaced by another one, and
whichever part of the folder is scanned. It is made of the engine, the rule, the file, and the line without what stands
in quotation marks or behind a ``=`` or ``:``; so nobody can try passwords against it.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Severity = Literal["CRITICAL", "HIGH", "MEDIUM", "LOW"]
SEVERITIES: Final[tuple[Severity, ...]] = ("CRITICAL", "HIGH", "MEDIUM", "LOW")

MOST_MESSAGE: Final = 300  # characters; an engine's message may repeat a name from the scanned file
_QUOTED: Final = re.compile(r"""(['"]).*?(?:\1|$)""")
_VALUE: Final = re.compile(r"[=:].*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """What an engine has said, with our severity. ``file`` is the path that the engine was given."""

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
    """A finding as it is told. ``changed_at`` is when its file was last changed: newest and oldest go by it."""

    fingerprint: str
    severity: Severity
    engine: str
    rule: str
    title: str
    message: str
    file: str
    line: int
    changed_at: str
    confidence: str | None
    cwe: int | None

    def told(self) -> dict[str, Any]:
        """As it stands in an answer; what an engine does not know is left out."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in fields.items() if value is not None}


def findings_of(engine: str, raws: Iterable[Raw], root: Path) -> list[Finding]:
    """The findings of one engine in the order of their places."""
    sources = _Sources(root)
    seen: Counter[tuple[str, str, str]] = Counter()
    made = []
    for raw in sorted(raws, key=lambda raw: (raw.file, raw.line, raw.rule)):
        name, changed_at, lines = sources.of(raw.file)
        context = _context(lines[raw.line - 1] if 0 < raw.line <= len(lines) else "")
        key = (raw.rule, name, context)
        seen[key] += 1  # the same on two lines: the first, the second
        mark = hashlib.sha256("\0".join((engine, *key, str(seen[key]))).encode()).hexdigest()[:16]
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
                changed_at=changed_at,
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
        self._known: dict[str, tuple[str, str, list[str]]] = {}

    def of(self, path: str) -> tuple[str, str, list[str]]:
        """A file's name below the root, its time, and its lines."""
        if path not in self._known:
            file = self._root / path
            try:
                text, moment = file.read_text(encoding="utf-8", errors="replace"), file.stat().st_mtime
            except OSError:  # deleted since the engine has read it
                text, moment = "", 0
            changed_at = datetime.fromtimestamp(int(moment), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            self._known[path] = (file.relative_to(self._root).as_posix(), changed_at, text.split("\n"))
        return self._known[path]
