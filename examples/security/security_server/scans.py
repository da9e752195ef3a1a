"""Scans: engines side by side over the same files, and the latest scans kept to be read on."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock import CallerError, UpstreamError
from security_server.engines.base import examine
from security_server.finding import findings_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from security_server.engines.base import Engine, Outcome
    from security_server.finding import Finding
    from security_server.paths import Files, Root
    from security_server.settings import ScanSettings

KEPT: Final = 8  # scans; a client reads on in its latest, and compares it with one before


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """A finished scan. ``status`` is partial when an engine has failed or is missing."""

    scan_id: str
    path: str
    status: str
    findings: tuple[Finding, ...]
    files: Files
    engines: tuple[dict[str, Any], ...]
    seconds: float


class Scans:
    """Runs scans below a root, one at a time, so that many calls do not start many processes."""

    def __init__(self, root: Root, engines: Mapping[str, Engine], settings: ScanSettings) -> None:
        self.root = root
        self.engines = dict(engines)
        self._settings = settings
        self._kept: dict[str, Scan] = {}
        self._number = 0
        self._turn = asyncio.Lock()

    async def run(self, path: str, names: Sequence[str]) -> Scan:
        """Scan a file or a folder with some of the engines."""
        start = self.root.locate(path, example="services")
        async with self._turn:
            began = time.perf_counter()
            limits = {"max_files": self._settings.max_files, "max_file_bytes": self._settings.max_file_bytes}
            files = await asyncio.to_thread(self.root.files, start, **limits)
            asked = [self.engines[name] for name in dict.fromkeys(names)]
            seconds = self._settings.engine_seconds
            outcomes = await asyncio.gather(*(examine(engine, files.files, seconds=seconds) for engine in asked))
            if all(outcome.status != "completed" and not outcome.raws for outcome in outcomes):
                # No findings of nobody would read as a clean bill of health.
                reasons = "; ".join(f"{outcome.engine}: {outcome.reason}" for outcome in outcomes)
                raise UpstreamError(f"scan: no engine could scan {path!r}. {reasons}", do="try other engines")
            found = await asyncio.to_thread(self._findings, outcomes)
            return self._keep(self.root.name_of(start), files, outcomes, found, time.perf_counter() - began)

    def get(self, scan_id: str | None) -> Scan:
        """A scan that is kept, or the latest."""
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

    def _findings(self, outcomes: Sequence[Outcome]) -> dict[str, list[Finding]]:
        return {outcome.engine: findings_of(outcome.engine, outcome.raws, self.root.folder) for outcome in outcomes}

    def _keep(
        self, path: str, files: Files, outcomes: Sequence[Outcome], found: dict[str, list[Finding]], seconds: float
    ) -> Scan:
        self._number += 1
        every = [finding for findings in found.values() for finding in findings]
        scan = Scan(
            scan_id=f"scan-{self._number}",
            path=path,
            status="completed" if all(outcome.status == "completed" for outcome in outcomes) else "partial",
            findings=tuple(sorted(every, key=lambda one: (one.file, one.line, one.engine, one.rule))),
            files=files,
            engines=tuple(outcome.told(len(found[outcome.engine]), self._name) for outcome in outcomes),
            seconds=seconds,
        )
        self._kept[scan.scan_id] = scan
        while len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        return scan

    def _name(self, file: str) -> str:
        return self.root.name_of(self.root.folder / file)
