"""``penstock inspect FILE|-``: what a file of data costs, how it is built, and what Penstock would make of it."""

from __future__ import annotations

import io
import os
import sys
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from penstock.cli.options import CONFIG
from penstock.cli.output import write_json
from penstock.cli.progress import reading
from penstock.cli.unpack import unpacked
from penstock.config.budget import budget_for
from penstock.config.sources import add_flags, from_flags
from penstock.core.fit import Budget, Call, Compact, Hold, Plan, fit_document
from penstock.core.forms.converted import converted
from penstock.core.forms.document import Document, Kind, read
from penstock.core.forms.plugins import add_later
from penstock.core.forms.recognise import read_form
from penstock.core.measure import Measure, measure
from penstock.core.tables.roles import fact_score, role_of, row_score
from penstock.core.tokens.count import Count, count
from penstock.core.tokens.profiles import PROFILES
from penstock.errors import CallerError
from penstock.query.parse.convert import Converter
from penstock.query.plugin_forms import add_plugins

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from penstock.core.forms.reading import Field, Reading, Table
    from penstock.core.tables.roles import Role, Score

HELP: Final = (
    "Show what a data file costs in tokens, what it is made of, and what Penstock would do with it as a tool's result. "
    "Files that are packed with gzip or zstd are unpacked first."
)
USAGE: Final = "penstock inspect FILE [options]"
EXAMPLE: Final = """\
  penstock inspect result.json
  penstock inspect big.log.gz --max-tokens 8000
  penstock inspect result.json --why
  some-command | penstock inspect - --json"""
SETTINGS: Final = ("max_tokens", "preview_tokens", "page_tokens", "max_depth", "strategy", "auto_truncate", "profile")
LARGE: Final = 50_000_000  # bytes; from here on a person waits long enough to want to see that something happens
EXACT: Final = 65_536  # bytes up to which the OpenAI profiles are counted exactly, where that extra is installed
STEP: Final = 1 << 22
DIGITS: Final = 4  # digits after the point of a score in JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnScore:
    """The role of a column and its scores. ``row`` is None if the column is never one of the sample rows."""

    column: str
    role: Role
    fact: Score
    row: Score | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectReport:
    """The findings of ``penstock inspect``."""

    name: str
    document: Document
    measure: Measure
    tokens: dict[str, Count]
    budget: Budget
    plan: Plan
    reading: Reading  # With --why, a result that passes and is YAML, for example, is read as data, not as text.

    @property
    def kind(self) -> str:
        """Return the kind of the file itself: YAML that was read as JSON is still YAML."""
        language = self.plan.document.language if isinstance(self.plan, Hold) else None
        return str(language or self.document.kind)

    @property
    def verdict(self) -> str:
        match self.plan:
            case Hold():
                return "hold"
            case Compact():
                return "compact"
            case _:
                return "pass"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the file to inspect, or - for standard input")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    parser.add_argument(
        "--why",
        action="store_true",
        help="print why columns are chosen, instead of the report: the role of each column, its score as a fact and as "
        "a column of sample rows, and the summands of both. The lowest score is shown first",
    )
    parser.add_argument("--tool", default="tool", metavar="NAME", help="inspect under the rule for this tool")
    settings = parser.add_argument_group("settings")
    settings.add_argument("--config", metavar="FILE", help=CONFIG)
    add_flags(settings, SETTINGS)


def run(args: argparse.Namespace) -> int:
    config = from_flags(args, file=args.config)
    budget = budget_for(config, args.tool)
    data = unpacked(args.file, _read(args.file, quiet=args.json))
    if not data.strip():
        if args.file != "-":
            raise CallerError(f"{args.file} is empty")
        raise CallerError("standard input is empty", do="pipe data into it: some-command | penstock inspect -")
    report = inspect(args.file, data, budget, args.tool, why=args.why)
    if args.json:
        write_json(as_dict(report, why=args.why))
    else:
        from penstock.cli.inspect_view import show, show_why  # noqa: PLC0415  (it imports this module)

        (show_why if args.why else show)(report)
    return 0


def inspect(name: str, data: bytes, budget: Budget, tool: str, *, why: bool = False) -> InspectReport:
    """Measure the data, and decide what Penstock would do with it as a tool's result. With ``why`` YAML and other
    languages are read as data even if the result passes."""
    document = read(data)
    if document.kind is Kind.BINARY and not document.base64:
        raise CallerError(f"{name} is binary ({document.media})", do="give a file of text or JSON")
    add_later(add_plugins)
    with closing(Converter(workers=1)) as convert:
        plan = fit_document(document, budget, Call(tool=tool), convert)
        figures = plan.measure if isinstance(plan, Hold) else measure(document, budget.profile)
        reading = figures.reading
        if why and not isinstance(plan, Hold):
            reading = read_form(converted(document, convert))
    # Loading an exact vocabulary takes longer than all the rest, and a large text is sampled anyway.
    exact = len(data) <= EXACT
    tokens = {profile: count(document.raw, profile, exact=exact) for profile in PROFILES}
    return InspectReport(
        name=name, document=document, measure=figures, tokens=tokens, budget=budget, plan=plan, reading=reading
    )


def as_dict(report: InspectReport, *, why: bool = False) -> dict[str, Any]:
    """Return the report as JSON members. ``verdict`` is pass, compact or hold. With ``why`` it has all scores."""
    figures, plan = report.measure, report.plan
    members: dict[str, Any] = {
        "file": report.name,
        "kind": report.kind,
        "bytes": figures.size,
        "tokens": {
            name: {"tokens": one.tokens, "upper": one.upper, "method": one.method}
            for name, one in report.tokens.items()
        },
        "form": figures.form,
        "what": figures.reading.words,
        "items": figures.items,
        "main": figures.main,
        "depth": figures.depth,
        "shape": figures.shape,
        "tables": [
            {"name": one.name, "rows": one.count, "path": one.path, "columns": [field.name for field in one.fields]}
            for one in figures.reading.tables
        ],
        "heaviest": [{"column": name, "characters": characters} for name, characters in heaviest(figures)],
        "max_tokens": report.budget.max_tokens,
        "verdict": report.verdict,
    }
    if isinstance(plan, Hold):
        members["preview"] = plan.preview.text
        members["suggestions"] = [one.as_dict() for one in plan.notice.suggestions]
    if why:
        members["why"] = {
            table.name: [_score_members(one) for one in scores_of(table)] for table in report.reading.tables
        }
    return members


def scores_of(table: Table) -> list[ColumnScore]:
    """Return the scores of all columns of a table, the best fact first."""

    def scored(field: Field) -> ColumnScore:
        rows = table.count
        return ColumnScore(
            column=field.name, role=role_of(field, rows), fact=fact_score(field, rows), row=row_score(field, rows)
        )

    return sorted(map(scored, table.fields), key=lambda one: one.fact.total)


def _score_members(one: ColumnScore) -> dict[str, Any]:
    return {
        "column": one.column,
        "role": one.role,
        "fact": _summands(one.fact),
        "row": None if one.row is None else _summands(one.row),
    }


def _summands(score: Score) -> dict[str, float]:
    members = {name: round(value, DIGITS) for name, value in score._asdict().items()}
    return {**members, "total": round(sum(members.values()), DIGITS)}


def heaviest(figures: Measure, most: int = 12) -> list[tuple[str, int]]:
    """Return the columns of the main table with the most text, in characters."""
    main = figures.reading.main
    columns = [(field.name, field.column.bulk) for field in main.fields] if main is not None else []
    return sorted((one for one in columns if one[1]), key=lambda one: -one[1])[:most]


def _read(name: str, *, quiet: bool) -> bytes:
    """Read a file or standard input. A large file shows a progress bar on a terminal."""
    try:
        if name == "-":
            return sys.stdin.buffer.read()
        with open(name, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > LARGE and not quiet and sys.stderr.isatty():
                with reading(name, size) as advance:
                    return _in_steps(file, advance)
            return file.read()
    except IsADirectoryError:
        raise CallerError(f"{name} is a directory", do="give a file, or - for standard input") from None
    except FileNotFoundError:
        raise CallerError(f"{name}: there is no such file", do="check the name, or give - for standard input") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise CallerError(f"{name} cannot be read: {reason}", do="check its permissions") from None


def _in_steps(file: BinaryIO, advance: Callable[[int], None]) -> bytes:
    buffer = io.BytesIO()
    while part := file.read(STEP):
        buffer.write(part)
        advance(len(part))
    return buffer.getvalue()
