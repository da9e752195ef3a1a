"""Answers about findings: the counts of all of them, those that fit the limits, and the call for more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock import ListWindow, count, fits
from security_server.truncation import TruncationConfig, truncate
from server_parts.answers import as_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from security_server.finding import Finding
    from security_server.scans import Scan
    from security_server.settings import MCPConfig
    from security_server.truncation import Strategy, TruncationResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A request for findings of a scan: which, and from where on."""

    arguments: dict[str, Any]
    offset: int
    limit: int
    strategy: Strategy
    details: bool = False

    def rows(self, findings: Iterable[Finding], digits: int) -> list[dict[str, Any]]:
        """Return findings as the answer has them."""
        if self.details:
            return [finding.details(digits) for finding in findings]
        return [finding.summary(digits, times=self.strategy != "priority") for finding in findings]


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Makes answers. ``max_tokens`` is Penstock's budget: what is above it would be held."""

    mcp: MCPConfig
    max_tokens: int

    def of_scan(self, scan: Scan, *, details: bool = False) -> str:
        """Write the result of a scan. It is never held: fewer findings are shown instead, and ``next`` gives the
        others."""
        query = Query(
            arguments={"scan_id": scan.scan_id},
            offset=0,
            limit=self.mcp.max_findings,
            strategy=self.mcp.truncate_strategy,
            details=details,
        )
        titles = {finding.rule: finding.title for finding in scan.findings}

        def made(part: TruncationResult) -> dict[str, Any]:
            answer = {
                **_counted(scan, part, titles),
                "duration": f"{scan.seconds:.1f}s",
                "scan_id": scan.scan_id,
            }
            answer |= {"path": scan.path, "files_scanned": len(scan.files.files), "engines": list(scan.engines)}
            if scan.not_examined:
                answer["not_examined"] = scan.not_examined
            if scan.files.skipped:
                answer["skipped"] = scan.files.skipped
            return answer | _truncated(part, query)

        return self._bounded(query.rows(scan.findings, scan.id_digits), query, made)

    def of_query(self, scan: Scan, findings: list[Finding], query: Query) -> str:
        """Write some findings of a scan. More than ``max_findings`` of them are written whole, for Penstock to hold."""
        every = query.rows(findings, scan.id_digits)
        titles = {finding.rule: finding.title for finding in findings}

        def made(part: TruncationResult) -> dict[str, Any]:
            window = ListWindow(items=part.findings, total=part.total_count, offset=query.offset, limit=query.limit)
            answer = {**_counted(scan, part, titles), "scan_id": scan.scan_id}
            return answer | {"pagination": window.metadata("snake")} | _truncated(part, query)

        if query.limit > self.mcp.max_findings:
            limits = TruncationConfig(max_findings=query.limit, max_output_bytes=None, truncate_strategy=query.strategy)
            whole = as_json(made(truncate(every, limits, offset=query.offset)))
            if not fits(_sent(whole), self.max_tokens):
                return whole
        return self._bounded(every, query, made)

    def _bounded(
        self, findings: list[dict[str, Any]], query: Query, made: Callable[[TruncationResult], dict[str, Any]]
    ) -> str:
        """Write as many findings as fit into the limits with all that stands around them; one at least. A limit that
        ends the list before ``max_findings`` does is named."""
        most, limited_by = query.limit, f"max_output_bytes: {self.mcp.max_output_bytes}"
        while True:
            limits = TruncationConfig(
                max_findings=most, max_output_bytes=self.mcp.max_output_bytes, truncate_strategy=query.strategy
            )
            part = truncate(findings, limits, offset=query.offset)
            answer = made(part)
            if part.shown_count < query.limit and "next" in answer:
                answer["truncation_info"]["limited_by"] = limited_by
            text = as_json(answer)
            of_bytes = of_tokens = self.mcp.max_output_bytes / len(text.encode())
            if not fits(_sent(text), self.max_tokens):
                of_tokens = self.max_tokens / (count(_sent(text)).upper + 1)
            share = min(of_bytes, of_tokens)
            if share >= 1 or part.shown_count <= 1:
                return text
            if of_tokens < of_bytes:
                limited_by = f"penstock.max_tokens: {self.max_tokens}"
            most = max(1, min(part.shown_count - 1, int(part.shown_count * share)))


def _counted(scan: Scan, part: TruncationResult, titles: Mapping[str, str]) -> dict[str, Any]:
    """Return the counts and the findings; what a rule is about is said once, where its name does not say it."""
    rules = {one["rule"]: titles[one["rule"]] for one in part.findings if "title" not in one}
    rules = {rule: title for rule, title in rules.items() if title != rule.lower().replace(" ", "-")}
    return {
        "status": scan.status,
        **({"status_reason": scan.reason} if scan.reason else {}),
        "total_count": part.total_count,
        "shown_count": part.shown_count,
        "truncated": part.truncated,
        **{f"{name.lower()}_count": number for name, number in part.by_severity.items()},
        "findings": list(part.findings),
        **({"rules": rules} if rules else {}),
    }


def _truncated(part: TruncationResult, query: Query) -> dict[str, Any]:
    """Return ``truncation_info`` when something is hidden, and ``next`` when some of that comes behind what is
    shown."""
    info = part.truncation_info()
    answer: dict[str, Any] = {} if info is None else {"truncation_info": info}
    end = query.offset + part.shown_count
    if end < part.total_count and part.shown_count:
        answer["next"] = {"tool": "get_findings", "arguments": {**query.arguments, "offset": end}}
    return answer


def _sent(text: str) -> str:
    """Return a text as Penstock counts it: as a block of an answer, with its quotation marks escaped."""
    return as_json({"type": "text", "text": text})
