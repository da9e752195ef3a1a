"""The entries of an Editor.log: what the console window shows, told apart from what the editor says to itself.

An entry is a message with the calls that led to it, in one paragraph, often followed by ``(Filename: … Line: …)`` in
the next; or one line of the compiler. Which kind it is stands in the calls: ``UnityEngine.Debug:LogWarning (object)``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from penstock import CallerError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Kind = Literal["error", "exception", "assert", "warning", "log"]
LARGEST: Final = 67_108_864  # bytes that are read, from the end: logs of editors that stay open for weeks are larger

LONGEST: Final = 4_000  # characters of a call; what is longer is data, and costs time to look at

# ``Class:Method (types)``, ``Class.Method () (at File.cs:1)`` as exceptions have them, or ``  at Class.Method ()``
_FRAME: Final = re.compile(
    r"\s+at \S.*|(?=[^\s(]*:[A-Za-z_<.])[^\s(]+ \(.*\)\s*|(?=[^\s(]*\.)[^\s(]+ \(.*\) \(at .*\)\s*"
)
_PLACE: Final = re.compile(r"\(Filename: (.*?) Line: (-?\d+)\)\s*")
_AT: Final = re.compile(r"\(at (.+?):(\d+)\)")
_COMPILER: Final = re.compile(r"(\S.*?)\((\d+),\d+\): (error|warning) (\w+: .*)")
_DEBUG: Final = re.compile(r"UnityEngine\.Debug:(LogError|LogWarning|LogException|LogAssertion|Log)(?:Format)? \(")
_KINDS: Final[dict[str, Kind]] = {
    "LogError": "error", "LogException": "exception", "LogAssertion": "assert", "LogWarning": "warning", "Log": "log",
}  # fmt: skip
_EXCEPTION: Final = re.compile(r"[\w.`]*Exception\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry. ``line`` is where its message begins in the log, ``file`` where it comes from."""

    line: int
    kind: Kind
    message: str
    stack: str = ""
    file: str = ""
    file_line: int = 0

    def row(self, *, with_stack: bool) -> dict[str, Any]:
        """Return the entry as it stands in an answer."""
        row: dict[str, Any] = {"line": self.line, "type": self.kind, "message": self.message}
        if self.file:
            row |= {"file": self.file, "fileLine": self.file_line}
        if with_stack and self.stack:
            row["stackTrace"] = self.stack
        return row


@dataclass(frozen=True, slots=True, kw_only=True)
class Console:
    """The entries of a log. ``skipped`` bytes at its beginning were not read, and lines count from there."""

    entries: tuple[Entry, ...]
    skipped: int


def read_log(path: Path) -> Console:
    """Read the entries of a log file."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            skipped = max(0, size - LARGEST)
            file.seek(skipped)
            if skipped:
                skipped += len(file.readline())  # what is left of a line
            data = file.read()
    except OSError as error:
        raise CallerError(
            f"the log {path.name} cannot be read: {error.strerror}",
            do="start the editor once, or start this server with --log FILE",
        ) from None
    return Console(entries=tuple(entries(data.decode("utf-8", "replace"))), skipped=skipped)


def entries(text: str) -> Iterator[Entry]:
    """Yield the entries of a log, in its order."""
    before: tuple[int, list[str]] | None = None  # a paragraph that may be the message of the calls in the next one
    made: Entry | None = None  # an entry that may still get its place
    for number, lines in _paragraphs(text):
        place = _PLACE.fullmatch(lines[0])
        if place is not None and made is None and before is not None:
            made = _unexplained(*before)
        if made is not None:
            yield made if place is None or made.file else _placed(made, place)
            made = None
        if place is not None:
            before = None
        elif (compiled := _COMPILER.fullmatch(lines[0])) is not None:
            yield _compiled(number, compiled)
            before = None
        else:
            first = next((index for index, line in enumerate(lines) if _is_call(line)), None)
            if first is None:
                before = (number, lines)
            elif first > 0 or before is not None:
                start, message = (number, lines[:first]) if first or before is None else before
                made, before = _explained(start, message, lines[first:]), None
    if made is not None:
        yield made


def _paragraphs(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines between blank ones, with the number of the first; places and the compiler's lines stand alone."""
    lines: list[str] = []
    number = 0
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        alone = _PLACE.fullmatch(line) or _COMPILER.fullmatch(line)
        if lines and (alone or not line.strip()):
            yield number - len(lines), lines
            lines = []
        if alone:
            yield number, [line]
        elif line.strip():
            lines.append(line)
    if lines:
        yield number - len(lines) + 1, lines


def _is_call(line: str) -> bool:
    return len(line) <= LONGEST and _FRAME.fullmatch(line) is not None


def _compiled(line: int, match: re.Match[str]) -> Entry:
    kind: Kind = "error" if match[3] == "error" else "warning"
    return Entry(line=line, kind=kind, message=match[4], file=match[1], file_line=int(match[2]))


def _explained(line: int, message: list[str], calls: list[str]) -> Entry:
    logged = next((match for call in calls if (match := _DEBUG.match(call))), None)
    kind = _KINDS[logged[1]] if logged else _guessed(message[0])
    outside = (match for call in calls if (match := _AT.search(call)) and not call.startswith("UnityEngine."))
    place = next(outside, None)
    return Entry(
        line=line,
        kind=kind,
        message="\n".join(message).rstrip(),
        stack="\n".join(calls),
        file=place[1] if place else "",
        file_line=int(place[2]) if place else 0,
    )


def _unexplained(line: int, message: list[str]) -> Entry:
    """Return an entry for a message without calls: the engine's own."""
    return Entry(line=line, kind=_guessed(message[0]), message="\n".join(message).rstrip())


def _placed(entry: Entry, place: re.Match[str]) -> Entry:
    return replace(entry, file=place[1], file_line=max(0, int(place[2])))


def _guessed(message: str) -> Kind:
    if _EXCEPTION.match(message):
        return "exception"
    small = message.lower()
    if small.startswith("assertion failed"):
        return "assert"
    return "error" if "error" in small or "fail" in small else "warning" if "warning" in small else "log"
