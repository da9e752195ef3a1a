"""The tools that a client can call: scan, get_findings, generate_sbom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from fastmcp import Context  # noqa: TC002  # FastMCP reads the annotations of tools
from fastmcp.tools.base import ToolResult  # noqa: TC002
from pydantic import BeforeValidator, Field

from security_server import sbom
from security_server.finding import Severity
from security_server.results import Query, Results
from security_server.truncation import Strategy
from server_parts.answers import as_json, texts
from server_parts.complaints import complaining

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastmcp import FastMCP

    from security_server.finding import Finding
    from security_server.scans import Scan, Scans
    from security_server.settings import Settings


def _listed(value: object) -> object:
    """Take one word for a list of it, as models write it."""
    return [value] if isinstance(value, str) else value


def _severities(value: object) -> object:
    """Take severities in any case, and one for a list of it."""
    listed = _listed(value)
    return [one.upper() if isinstance(one, str) else one for one in listed] if isinstance(listed, list) else listed


Target = Annotated[
    str, Field(max_length=1_000, description="File or folder in the allowed folder.", examples=["services"])
]
Engines = Annotated[
    Annotated[list[str], Field(min_length=1)] | None,
    BeforeValidator(_listed),
    Field(description="Which engines; all installed ones when left out.", examples=[["bandit", "detect-secrets"]]),
]
Exclude = Annotated[
    Annotated[list[str], Field(max_length=50)] | None,
    BeforeValidator(_listed),
    Field(description="Globs, as in .gitignore, of files to leave out.", examples=[["vendor/**"]]),
]
Details = Annotated[
    bool,
    Field(
        description="All of each finding, for three times the cost; of one, get_findings has it by `id`.",
        examples=[True],
    ),
]
ScanId = Annotated[
    str | None, Field(max_length=100, description="A scan; the latest when left out.", examples=["scan-1"])
]
Severities = Annotated[
    Annotated[list[Severity], Field(min_length=1)] | None,
    BeforeValidator(_severities),
    Field(description="Only these severities.", examples=[["CRITICAL", "HIGH"]]),
]
OneEngine = Annotated[
    str | None, Field(max_length=100, description="Only findings of this engine.", examples=["bandit"])
]
Rule = Annotated[str | None, Field(max_length=100, description="Only this rule.", examples=["B602"])]
Below = Annotated[
    str | None,
    Field(max_length=1_000, description="Only findings in this file or folder.", examples=["services/billing"]),
]
Id = Annotated[
    str | None,
    Field(
        pattern="^[0-9a-f]{8,12}$",
        description="Only this finding, with all details: its id, or its fingerprint.",
        examples=["5f0c6a7b"],
    ),
]
Order = Annotated[
    Strategy | None, Field(description="Which come first; as configured when left out.", examples=["newest"])
]
Offset = Annotated[int, Field(ge=0, description="Findings to skip: as `next` says.", examples=[50])]
Limit = Annotated[
    int | None,
    Field(ge=1, le=100_000, description="Most findings to return; as configured when left out.", examples=[20]),
]
Source = Annotated[
    Literal["requirements", "environment"],
    Field(description="A requirements file, or what is installed beside this server.", examples=["requirements"]),
]
Requirements = Annotated[
    str, Field(max_length=1_000, description="The requirements file.", examples=["requirements.txt"])
]

READS: Final = {"readOnlyHint": True, "openWorldHint": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The objects that the tools share."""

    scans: Scans
    results: Results
    settings: Settings


def add_tools(mcp: FastMCP[Any], parts: Parts) -> None:
    """Add them to a server."""
    scans, results, settings = parts.scans, parts.results, parts.settings

    @mcp.tool(annotations=READS)
    async def scan(
        ctx: Context,
        *,
        path: Target = ".",
        engines: Engines = None,
        exclude: Exclude = None,
        details: Details = False,
    ) -> ToolResult:
        """Scan source code for vulnerabilities and secrets. The files are only read, never run; secrets are masked.

        The counts are of all findings; `findings` are the first by the configured strategy. When `truncated` is true,
        `truncation_info` counts what is hidden and `next` is the call for more. `status` is "partial" when an engine
        failed (`engines` says why) or when code was not examined (`not_examined` says which). What .gitignore names is
        left out. Example: {"path": "services", "engines": ["bandit", "detect-secrets"]}
        """

        async def report(done: int, total: int) -> None:
            await ctx.report_progress(done, total, "files examined, once for each engine")

        with complaining():
            return texts(results.of_scan(await scans.run(path, engines, exclude or (), report), details=details))

    @mcp.tool(annotations=READS)
    def get_findings(
        *,
        scan_id: ScanId = None,
        severity: Severities = None,
        engine: OneEngine = None,
        rule: Rule = None,
        path: Below = None,
        id: Id = None,  # noqa: A002  (as the answers call it)
        strategy: Order = None,
        offset: Offset = 0,
        limit: Limit = None,
        details: Details = False,
    ) -> ToolResult:
        """Read the findings of a scan: some severities, an engine, a rule, a file or a folder, or all of them.

        The counts are of all findings that match. `next` is the call for more. To count or group, ask for all with a
        high limit: they are held, and fetch_cached_response answers jq and SQL over them.
        Example: {"severity": ["CRITICAL"], "path": "services/billing"}
        """
        filters = {"severity": severity, "engine": engine, "rule": rule, "path": path, "id": id}
        with complaining():
            kept = scans.get(scan_id)
        arguments = {
            "scan_id": kept.scan_id,
            **filters,
            "strategy": strategy,
            "limit": limit,
            "details": details or None,
        }
        query = Query(
            arguments={name: value for name, value in arguments.items() if value is not None},
            offset=offset,
            limit=limit or settings.mcp.max_findings,
            strategy=strategy or settings.mcp.truncate_strategy,
            details=details or id is not None,
        )
        return texts(results.of_query(kept, list(_matching(kept, filters)), query))

    @mcp.tool(annotations=READS)
    async def generate_sbom(source: Source = "requirements", path: Requirements = "requirements.txt") -> ToolResult:
        """Make a CycloneDX bill of materials (SBOM): of a requirements file, or of this server's environment.

        It is complete. A large one is held: read `.sbom.components` with fetch_cached_response, or ask it with jq or
        SQL. Example: {"source": "requirements", "path": "requirements.txt"}
        """
        with complaining():
            if source == "environment":
                return texts(as_json(await sbom.of_environment(seconds=settings.scan.engine_seconds)))
            made = await sbom.of_requirements(scans.root, path, seconds=settings.scan.engine_seconds)
            return texts(as_json(made))


def _matching(scan: Scan, filters: dict[str, Any]) -> Iterator[Finding]:
    below = filters["path"]
    folder = None if below is None else below.strip("/").removeprefix("./")
    for finding in scan.findings:
        if filters["severity"] is not None and finding.severity not in filters["severity"]:
            continue
        if filters["id"] is not None and not finding.fingerprint.startswith(filters["id"]):
            continue
        if filters["engine"] not in (None, finding.engine) or filters["rule"] not in (None, finding.rule):
            continue
        if folder in (None, "", ".") or finding.file == folder or finding.file.startswith(f"{folder}/"):
            yield finding
