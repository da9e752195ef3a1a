"""Results of tests, one on a line, as servers that run commands (mcp-shell, xcodebuild-mcp, cargo-mcp) return them:
pytest -v (with xdist too) and pytest's short summary, unittest -v, go test -v, cargo test, CTest, Google Test, TAP
(node, prove, bats), jest, vitest and mocha, Gradle, dotnet.

``items`` has a row for each result: ``line``, ``verdict`` as it is written, ``test``, ``seconds`` or ``milliseconds``
if a runner prints them, the ``directive`` of TAP, and for pytest the ``file``, in its summary with the ``message``.
Logs, reports of failures and summaries between and below the results are no rows, and are counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.core.forms.engine import Style, StyleParser, line_form

if TYPE_CHECKING:
    from penstock.core.forms.api import Batch, Sample
    from penstock.core.forms.engine import Numbered, Rows, Texts

MIN_RESULTS: Final = 5  # Fewer than 5 results may be quoted anywhere.
MAX_SPREAD: Final = 25  # A result has at most 25 lines on average, because logs and reports are between results.
MAX_MARKED_SPREAD: Final = 4  # A result that has only a mark has at most 4 lines: items of other lists have marks too.
MAX_UNTIMED: Final = 10  # At least 1 in 10 results with a mark has its time: a list of things that are done has none.

_FILE = r"(?P<file>[^\s:](?:[^\s:]++|:(?!:))*+)"  # It ends before the first two colons: a longer one is quadratic.
_PYTEST = rf"{_FILE}::(?P<test>\S.*?)"
_VERDICTS = "PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|XFAILED|XPASSED"
_VERDICT = f"(?P<verdict>{_VERDICTS})"
_SECONDS = r"(?P<seconds>[0-9]+(?:\.[0-9]+)?)"
_MARKS: Final = "✓✔✖✕✗✘×↓○﹣"
# By runner, what any result of it has in it, in lower case, and how it writes a result. ``$`` is the end of the line.
_WRITTEN: Final = {
    "pytest": (
        "::",
        rf"{_FILE}::(?P<test>\S(?:(?! (?:{_VERDICTS})(?: |$)).)*+) {_VERDICT}(?: \(.*\))?(?: +\[ *[0-9]+%\])?$",
    ),
    "pytest's summary": ("[", rf"{_VERDICT} {_PYTEST}(?: - (?P<message>.*))?$"),
    "pytest-xdist": ("[gw", rf"\[gw[0-9]+\](?: \[ *[0-9]+%\])? {_VERDICT} {_PYTEST} ?$"),
    "unittest": (
        ") ... ",
        r"(?P<test>\w+ \([\w.<>]+\)) \.\.\. "
        r"(?P<verdict>ok|FAIL|ERROR|skipped\b|expected failure|unexpected success).*$",
    ),
    "go test": ("--- ", rf"[ \t]*--- (?P<verdict>PASS|FAIL|SKIP): (?P<test>\S+) \({_SECONDS}s\)$"),
    "cargo test": (" ... ", r"test (?P<test>\S.*?) \.\.\. (?P<verdict>ok|FAILED|ignored)(?:, .*)?$"),
    "CTest": (
        " sec",
        rf"[ \t]*[0-9]+/[0-9]+ Test +#[0-9]+: (?P<test>\S+) \.*(?:[ *][ *]*)(?P<verdict>[A-Z][\w ]*?) +{_SECONDS} "
        r"sec\b.*$",
    ),
    "Google Test": ("[ ", r"\[ +(?P<verdict>OK|FAILED|SKIPPED) +\] (?P<test>\S.*?) \((?P<milliseconds>[0-9]+) ms\)$"),
    "TAP": ("ok ", r"[ \t]*(?P<verdict>ok|not ok) [0-9]+(?: -)? (?P<test>[^#\n]*[^#\s])[ \t]*(?P<directive>#.*)?$"),
    "Gradle": (" > ", r"(?P<test>\S.* > \S.*?) (?P<verdict>PASSED|FAILED|SKIPPED)$"),
    "dotnet test": ("s]", r"[ \t]*(?P<verdict>Passed|Failed|Skipped) (?P<test>\S.*?) \[[^\]\n]*[0-9] m?s\]$"),
    "marks": (
        _MARKS,
        rf"[ \t]*(?P<verdict>[{_MARKS}]) (?P<test>\S.*?)"
        r"(?:(?: \(| )(?P<milliseconds>[0-9]+(?:\.[0-9]+)?) ?ms\)?)?(?: # SKIP.*)?$",
    ),
}
# Without -v pytest lists only in its summary what did not pass, however much it writes before.
_SUMMED: Final = "pytest's summary"
_PROGRESS = re.compile(r"(?:\S+\.py )?[.FEsxX]+ +\[ *[0-9]+%\]")
_SUMMARY_BEGINS = re.compile(r"=+ short test summary info =+")
_REPEATED: Final = "✖ failing tests:"  # What a runner writes above results that it repeats.
_SUMMARY: Final = (
    r"(?:=+ .*\b)?[0-9]+ (?:passed|failed|errors?|skipped)\b.* in [0-9.]+s.*"
    r"|(?:FAILED|OK) \(.*\)$|Ran [0-9]+ tests? in .*"
    r"|test result: .*|[0-9]+% tests passed, .*|\[==========\] [0-9]+ tests? .*|Tests?:? +[0-9]+ .*"
    r"|# (?:tests|pass|fail|skipped) [0-9]+|(?:ok|FAIL)\t\S+\t[0-9.]+s.*"
)


@dataclass(slots=True, kw_only=True)
class TestRunParser(StyleParser):
    """Reads the results of one runner, without those that it repeats."""

    __test__ = False  # for those who collect tests by the names of classes

    first: int = 0  # line from which on results of pytest's summary are read
    repeated: float = float("inf")  # line from which on results are repeated

    @classmethod
    def fitting(cls, style: Style, pattern: re.Pattern[str], sample: Sample) -> Texts | None:
        if style.name == _SUMMED:
            return {} if any(map(_PROGRESS.match, sample.short[: 2 * MIN_RESULTS])) else None
        return StyleParser.fitting(style, pattern, sample)

    def part(self, lines: list[str], numbers: list[int], rows: Rows, others: Numbered) -> tuple[list[int], Rows, Batch]:
        numbers, rows, more = StyleParser.part(self, lines, numbers, rows, others)
        if self.style.name == _SUMMED and not self.first:
            self.first = next((number for number, line in others if _SUMMARY_BEGINS.fullmatch(line)), 0)
        first = self.first or (self.repeated if self.style.name == _SUMMED else 0)
        if _REPEATED in lines:
            self.repeated = min(self.repeated, self.seen + 1 + lines.index(_REPEATED))
        kept = [(at, row) for at, row in zip(numbers, rows, strict=True) if first <= at < self.repeated]
        self.unfit += len(rows) - len(kept)
        return [at for at, _ in kept], [row for _, row in kept], more


def _is_timed(columns: Texts) -> bool:
    times = columns.get("milliseconds", ())
    return sum(map(bool, times)) * MAX_UNTIMED >= len(columns["verdict"])


FORM: Final = line_form(
    "test_run",
    "results of tests",
    *(
        Style(
            name=runner,
            pattern=pattern.replace("$", r"(?=\n)"),
            noun="test results",
            numbers=("seconds", "milliseconds"),
            has=tuple(signs) if runner == "marks" else (signs,),
            least=1 if runner == _SUMMED else MIN_RESULTS,
            unfit=0,
            spread=10**9 if runner == _SUMMED else MAX_MARKED_SPREAD if runner == "marks" else MAX_SPREAD,
            fits=_is_timed if runner == "marks" else lambda _: True,
            summary=_SUMMARY,
            what="{rows} with marks" if runner == "marks" else f"{{rows}} of {runner}",
        )
        for runner, (signs, pattern) in _WRITTEN.items()
    ),
    parser=TestRunParser,
    reads_joined=True,
)
