"""An engine: a command that gets files, and a function that reads what it prints.

A missing, failing or slow engine is an ``Outcome`` too: its reason is told, and neither the others' findings are lost
nor what it has found until then. Files go to an engine in batches, so that this is much in a large project.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final, Literal

from penstock import UpstreamError
from security_server.process import run, time_limit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from security_server.finding import Raw

MOST_FILES: Final = 250  # in a batch; starting an engine takes as long as scanning a few files
MOST_ARGUMENTS: Final = 24_000  # characters; Windows takes 32,767 for a command
MOST_UNREAD: Final = 3  # names of files in an answer that an engine could not read; all are counted
MOST_NAME: Final = 100  # characters of such a name, from its end

Status = Literal["completed", "missing", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What an engine has printed: findings, and files that it could not make sense of."""

    raws: list[Raw]
    unread: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One engine. ``suffixes`` of the files that it takes, all when empty; ``piped``: their names go to its input."""

    name: str
    package: str
    command: tuple[str, ...]
    read: Callable[[Any], Read]
    suffixes: tuple[str, ...] = ()
    piped: bool = False

    def takes(self, file: Path) -> bool:
        """Whether a file is for this engine."""
        return not self.suffixes or file.suffix in self.suffixes


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How an engine did."""

    engine: str
    status: Status
    version: str = ""
    files: int = 0
    raws: tuple[Raw, ...] = ()
    unread: tuple[str, ...] = ()
    reason: str = ""

    def told(self, findings: int, name_of: Callable[[str], str]) -> dict[str, Any]:
        """As it stands in an answer."""
        told: dict[str, Any] = {"engine": self.engine, "status": self.status}
        if self.reason:
            told["reason"] = self.reason
        if self.status == "missing":
            return told
        told |= {"version": self.version, "files": self.files, "findings": findings}
        if self.unread:
            names = [name_of(file)[-MOST_NAME:] for file in self.unread[:MOST_UNREAD]]
            told["unread"] = {"count": len(self.unread), "files": names}
        return told


async def examine(engine: Engine, files: Sequence[Path], *, seconds: float) -> Outcome:
    """Run an engine over the files that it takes."""
    try:
        number = version(engine.package)
    except PackageNotFoundError:
        reason = f"not installed; pip install {engine.package}"
        return Outcome(engine=engine.name, status="missing", reason=reason)
    taken = [str(file) for file in files if engine.takes(file)]
    raws: list[Raw] = []
    unread: list[str] = []
    done, reason = 0, ""
    try:
        async with time_limit(seconds):  # for all batches together
            for batch in _batches(taken):
                arguments, data = ((), json.dumps(batch).encode()) if engine.piped else (batch, b"")
                printed = await run((*engine.command, *arguments), data)
                part = await asyncio.to_thread(lambda report: engine.read(json.loads(report)), printed)
                raws += part.raws
                unread += part.unread
                done += len(batch)
    except UpstreamError as error:
        reason = error.what
    except (ValueError, LookupError, TypeError, AttributeError):
        reason = f"its report cannot be read; version {number} may be too new or too old for this server"
    if reason and done:
        reason += f"; these are the findings of {done:,} of {len(taken):,} files"
    return Outcome(
        engine=engine.name,
        status="failed" if reason else "completed",
        version=number,
        files=done,
        raws=tuple(raws),
        unread=tuple(sorted(set(unread))),
        reason=reason,
    )


def _batches(files: list[str]) -> Iterator[list[str]]:
    """The files of each run; none when there is nothing to scan."""
    batch: list[str] = []
    size = 0
    for file in files:
        if batch and (size + len(file) > MOST_ARGUMENTS or len(batch) == MOST_FILES):
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += len(file) + 1
    if batch:
        yield batch
