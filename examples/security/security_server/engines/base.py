"""An engine: a command that gets files or a folder, and a function that reads what it prints.

A missing, failing or slow engine is an ``Outcome`` too: its reason is told, and neither the others' findings are lost
nor what it has found until then. Files go to an engine in batches, so that this is much in a large project.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final, Literal

from penstock import UpstreamError
from security_server.process import run, time_limit

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence
    from pathlib import Path

    from security_server.finding import Raw

MOST_FILES: Final = 250  # in a batch; starting an engine takes as long as scanning a few files
CORES: Final = max(2, os.cpu_count() or 1)  # as many batches run at once, of all engines of a scan together
MOST_ARGUMENTS: Final = 24_000  # characters; Windows takes 32,767 for a command
MOST_UNREAD: Final = 3  # names of files in an answer that an engine could not read; all are counted
MOST_NAME: Final = 100  # characters of such a name, from its end

Status = Literal["completed", "missing", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """The report of an engine: findings, and files that it could not make sense of."""

    raws: list[Raw]
    unread: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One engine. ``suffixes`` are of the files that it takes, all when empty; ``piped``: their names go to its input.

    With ``on_folder`` it gets the scanned folder in place of ``{path}``, works in it, and reports what it likes: only
    what is in the files of the scan counts. ``package`` is a package of Python; without one the command is a program.
    """

    name: str
    command: tuple[str, ...]
    read: Callable[[Any], Read]
    package: str = ""
    install: str = ""
    suffixes: tuple[str, ...] = ()
    finds: Literal["weaknesses", "secrets"] = "weaknesses"
    piped: bool = False
    on_folder: bool = False
    exit_codes: tuple[int, ...] = (0,)
    environment: tuple[str, ...] = ()

    def takes(self, file: Path) -> bool:
        """Return True if a file is for this engine."""
        return not self.suffixes or file.suffix in self.suffixes

    def version(self) -> str | None:
        """Return the version that is installed, "" where only the engine itself knows it; None when it is missing."""
        if not self.package:
            return None if shutil.which(self.command[0]) is None else ""
        try:
            return version(self.package)
        except PackageNotFoundError:
            return None

    def missing(self) -> str:
        """Return the words for an engine that is not installed."""
        return f"not installed; {self.install or f'pip install {self.package}'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of one engine's run."""

    engine: str
    status: Status
    version: str = ""
    files: int | None = 0
    raws: tuple[Raw, ...] = ()
    unread: tuple[str, ...] = ()
    reason: str = ""

    def entry(self, findings: int, name_of: Callable[[str], str]) -> dict[str, Any]:
        """Return the outcome as it stands in an answer."""
        entry: dict[str, Any] = {"engine": self.engine, "status": self.status}
        if self.reason:
            entry["reason"] = self.reason
        if self.status == "missing":
            return entry
        entry |= {"version": self.version} if self.version else {}
        entry |= {"findings": findings} if self.files is None else {"files": self.files, "findings": findings}
        if self.unread:
            names = [name_of(file)[-MOST_NAME:] for file in self.unread[:MOST_UNREAD]]
            entry["unread"] = {"count": len(self.unread), "files": names}
        return entry


async def examine(
    engine: Engine,
    files: Sequence[Path],
    *,
    seconds: float,
    folder: Path | None = None,
    done: Callable[[int], Awaitable[None]] | None = None,
    turns: asyncio.Semaphore | None = None,
) -> Outcome:
    """Run an engine over the files that it takes, some batches at a time: engines with the same ``turns`` share the
    cores, and the slowest has all of them in the end. ``done`` is called with the number of files after each batch. A
    batch that fails is the last of its line; what the others find is kept."""
    number = engine.version()
    if number is None:
        return Outcome(engine=engine.name, status="missing", reason=engine.missing())
    taken = [str(file) for file in files if engine.takes(file)]
    raws: list[Raw] = []
    unread: list[str] = []
    examined, reason = 0, ""
    batches = iter([taken] if engine.on_folder and taken else _batches(taken))
    turns = turns or asyncio.Semaphore(CORES)

    async def examine_batches() -> None:
        nonlocal examined, reason
        try:
            for batch in batches:
                async with turns:
                    part = await _run(engine, batch, folder)
                raws.extend(part.raws)
                unread.extend(part.unread)
                examined += len(batch)
                if done is not None:
                    await done(len(batch))
        except UpstreamError as error:
            reason = error.what
        except (ValueError, LookupError, TypeError, AttributeError):
            which = f"version {number}" if number else "this version of it"
            reason = f"its report cannot be read; {which} may be too new or too old for this server"

    try:
        # No gather: cancelled when one of them has ended, it raises an error that FastMCP does not know for its own.
        async with time_limit(seconds), asyncio.TaskGroup() as lines:  # for all batches together
            for _ in range(CORES):
                lines.create_task(examine_batches())
    except UpstreamError as error:
        reason = error.what
    if reason and examined:
        reason += f"; these are the findings of {examined:,} of {len(taken):,} files"
    return Outcome(
        engine=engine.name,
        status="failed" if reason else "completed",
        version=number,
        files=examined,
        raws=tuple(raws),
        unread=tuple(sorted(set(unread))),
        reason=reason,
    )


async def _run(engine: Engine, batch: list[str], folder: Path | None) -> Read:
    if engine.on_folder and folder is not None:
        command = tuple(word.replace("{path}", str(folder)) for word in engine.command)
        printed = await run(command, folder=folder, good=engine.exit_codes, also=engine.environment)
    else:
        arguments, data = ((), json.dumps(batch).encode()) if engine.piped else (batch, b"")
        printed = await run((*engine.command, *arguments), data, good=engine.exit_codes)
    part = await asyncio.to_thread(lambda: engine.read(json.loads(printed)))
    if not engine.on_folder or folder is None:
        return part
    wanted = set(batch)
    placed = (replace(raw, file=os.path.join(folder, raw.file)) for raw in part.raws)
    return Read(raws=[raw for raw in placed if os.path.normpath(raw.file) in wanted], unread=part.unread)


def _batches(files: list[str]) -> Iterator[list[str]]:
    """Yield the files of each run; none when there is nothing to scan."""
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
