"""Scans: engines side by side over the same files, and the latest scans kept to be read on."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from penstock import CallerError, UpstreamError
from security_server.coverage import not_examined, why_partial
from security_server.engines.base import CORES, examine
from security_server.finding import findings_of, id_digits
from server_parts.complaints import wrong

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from security_server.engines.base import Engine, Outcome
    from security_server.finding import Finding
    from security_server.paths import Files, Root
    from security_server.seen import Seen
    from security_server.settings import ScanSettings

KEPT: Final = 8  # scans; a client reads on in its latest, and compares it with one before


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """A finished scan. ``status`` is partial when an engine has failed, or files of code were not examined; ``reason``
    says which."""

    scan_id: str
    path: str
    status: str
    reason: str
    findings: tuple[Finding, ...]
    id_digits: int
    files: Files
    engines: tuple[dict[str, Any], ...]
    not_examined: dict[str, dict[str, Any]]
    seconds: float


class Scans:
    """Runs scans below a root, one at a time, so that many calls do not start many processes."""

    def __init__(
        self,
        root: Root,
        engines: Mapping[str, Engine],
        settings: ScanSettings,
        seen: Seen,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.root = root
        self.engines = dict(engines)
        self._settings = settings
        self._seen = seen
        self._now = now
        self._kept: dict[str, Scan] = {}
        self._number = 0
        self._turn = asyncio.Lock()

    async def run(
        self,
        path: str,
        names: Sequence[str] | None = None,
        exclude: Sequence[str] = (),
        report: Callable[[int, int], Awaitable[None]] | None = None,
    ) -> Scan:
        """Scan a file or a folder with some of the engines, or with all that are installed. ``report`` is told how many
        files are done, of how many, each counted once for each engine."""
        start = self.root.find(path, example="services")
        chosen = self._chosen(names)
        async with self._turn:
            began = time.perf_counter()
            files = await asyncio.to_thread(
                self.root.files,
                start,
                max_files=self._settings.max_files,
                max_file_bytes=self._settings.max_file_bytes,
                exclude=(*self._settings.exclude, *exclude),
            )
            total = sum(engine.takes(file) for engine in chosen for file in files.files)
            examined = 0

            async def done(count: int) -> None:
                nonlocal examined
                examined += count
                if report is not None:
                    await report(examined, total)

            folder = start if start.is_dir() else start.parent
            turns = asyncio.Semaphore(CORES)
            common: Any = {"seconds": self._settings.engine_seconds, "folder": folder, "done": done, "turns": turns}
            outcomes = await asyncio.gather(*(examine(engine, files.files, **common) for engine in chosen))
            if all(outcome.status != "completed" and not outcome.raws for outcome in outcomes):
                # No findings of no engine would read as a clean bill of health.
                reasons = "; ".join(f"{outcome.engine}: {outcome.reason}" for outcome in outcomes)
                raise UpstreamError(f"scan: no engine could scan {path!r}. {reasons}", do="try other engines")
            return await asyncio.to_thread(
                self._keep, self.root.name_of(start), files, outcomes, time.perf_counter() - began
            )

    def get(self, scan_id: str | None) -> Scan:
        """Return a scan that is kept, or the latest."""
        if not self._kept:
            raise CallerError("scan_id: there is no scan yet", do='call scan first, for example {"path": "."}')
        if scan_id is None:
            return list(self._kept.values())[-1]
        if scan_id not in self._kept:
            raise CallerError(
                f"scan_id: expected one of {', '.join(self._kept)}, got {scan_id[:40]!a}",
                do="leave it out for the latest scan; only some are kept, so scan again",
            )
        return self._kept[scan_id]

    def _chosen(self, names: Sequence[str] | None) -> list[Engine]:
        if names is None:
            always = (one for one in self.engines.values() if one.package or one.version() is not None)
            return list(always)
        for name in names:
            if name not in self.engines:
                known = ", ".join(self.engines)
                raise wrong("engines", f"some of {known}", list(names), [next(iter(self.engines))])
        return [self.engines[name] for name in dict.fromkeys(names)]

    def _keep(self, path: str, files: Files, outcomes: Sequence[Outcome], seconds: float) -> Scan:
        self._number += 1
        by_engine = {one.engine: findings_of(one.engine, one.raws, self.root.folder) for one in outcomes}
        every = [finding for findings in by_engine.values() for finding in findings]
        every.sort(key=lambda one: (one.file, one.line, one.engine, one.rule))
        first = self._seen.first(self.root.folder, (one.fingerprint for one in every), self._now())
        left = not_examined(files.files, self.engines, outcomes)
        reason = why_partial(left, outcomes)
        scan = Scan(
            scan_id=f"scan-{self._number}",
            path=path,
            status="partial" if reason else "completed",
            reason=reason,
            findings=tuple(replace(one, first_seen=first[one.fingerprint]) for one in every),
            id_digits=id_digits(every),
            files=files,
            engines=tuple(outcome.entry(len(by_engine[outcome.engine]), self._name) for outcome in outcomes),
            not_examined=left,
            seconds=seconds,
        )
        self._kept[scan.scan_id] = scan
        while len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        return scan

    def _name(self, file: str) -> str:
        return self.root.name_of(self.root.folder / file) if self.root.has(file) else file
