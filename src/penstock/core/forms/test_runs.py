"""Results of tests, one on a line: pytest -v (with xdist too) and pytest's short summary, unittest -v, go test -v,
cargo test, CTest, Google Test, TAP (node, prove, bats), jest, vitest and mocha, Gradle, dotnet.

``items`` has a row for each result: ``line``, ``test``, ``verdict`` as it is written, ``seconds`` where a runner tells
them, and for pytest the ``file``, in its summary with the ``message``. Logs, reports of failures and summaries stand
between and below the results; they are no rows, and are counted. Where a runner lists once more what failed, it writes
that otherwise, or below a heading.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.text_form import LONGEST_LINE, Excerpt, LineParser, TextForm, Words, facts
from penstock.core.text import counted, plain, tally

if TYPE_CHECKING:
    from penstock.core.forms.text_form import Batch, Columns, Options, Sample, Tables

LEAST: Final = 5  # results; fewer may be quoted anywhere
SPREAD: Final = 25  # lines for one result at most, on average: logs and reports stand between
MARKED_SPREAD: Final = 4  # the same where a result is told by a mark, as items of other lists are
TIMED: Final = 10  # and one result in so many has its time: a list of things that are done has none
MOST_FAILED: Final = 6  # results shown that did not pass
MOST_FILES: Final = 8
MOST_SUMMARIES: Final = 3  # lines that sum up, the last ones
LONGEST_SUMMARY: Final = 200  # characters

_FILE = (
    r"(?P<file>[^\s:](?:[^\s:]++|:(?!:))*+)"  # It ends before the first two colons: a longer one takes quadratic work.
)
_PYTEST = rf"{_FILE}::(?P<test>\S.*?)"
_VERDICTS = "PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|XFAILED|XPASSED"
_VERDICT = f"(?P<verdict>{_VERDICTS})"
_SECONDS = r"(?P<seconds>[0-9]+(?:\.[0-9]+)?)"
# By runner, what any result of it has in it, in lower case (most texts are ruled out by that at once), and how it
# writes a result.
_WRITTEN: Final = {
    "pytest": (
        "::",
        rf"{_FILE}::(?P<test>\S(?:(?! (?:{_VERDICTS})(?: |$)).)*+) {_VERDICT}(?: \(.*\))?(?: +\[ *[0-9]+%\])?$",
    ),
    "pytest's summary": ("[", rf"{_VERDICT} {_PYTEST}(?: - (?P<message>.*))?$"),
    "pytest-xdist": ("[gw", rf"\[gw[0-9]+\](?: \[ *[0-9]+%\])? {_VERDICT} {_PYTEST} ?$"),
    "unittest": (
        ") ... ",
        r"(?P<test>\w+ \([\w.<>]+\)) \.\.\. (?P<verdict>ok|FAIL|ERROR|skipped\b|expected failure|unexpected success)",
    ),
    "go test": ("--- ", rf"\s*--- (?P<verdict>PASS|FAIL|SKIP): (?P<test>\S+) \({_SECONDS}s\)$"),
    "cargo test": (" ... ", r"test (?P<test>\S.*?) \.\.\. (?P<verdict>ok|FAILED|ignored)(?:, .*)?$"),
    "CTest": (
        " sec",
        rf"\s*[0-9]+/[0-9]+ Test +#[0-9]+: (?P<test>\S+) \.*(?P<verdict>[ *][ *]*[A-Z][\w ]*?) +{_SECONDS} sec\b",
    ),
    "Google Test": ("[ ", r"\[ +(?P<verdict>OK|FAILED|SKIPPED) +\] (?P<test>\S.*?) \((?P<milliseconds>[0-9]+) ms\)$"),
    "TAP": ("ok ", r"\s*(?P<verdict>ok|not ok) [0-9]+(?: -)? (?P<test>[^#]*[^#\s])\s*(?P<directive>#.*)?$"),
    "Gradle": (" > ", r"(?P<test>\S.* > \S.*?) (?P<verdict>PASSED|FAILED|SKIPPED)$"),
    "dotnet test": ("s]", r"\s*(?P<verdict>Passed|Failed|Skipped) (?P<test>\S.*?) \[[^\]]*[0-9] m?s\]$"),
    "marks": (
        "✓|✔|✖|✕|✗|✘|×|↓|○|﹣",
        r"\s*(?P<verdict>[✓✔✖✕✗✘×↓○﹣]) (?P<test>\S.*?)"
        r"(?:(?: \(| )(?P<milliseconds>[0-9]+(?:\.[0-9]+)?) ?ms\)?)?(?: # SKIP.*)?$",
    ),
}
RUNNERS: Final = {name: re.compile(pattern) for name, (_, pattern) in _WRITTEN.items()}
# Without -v pytest lists only in its summary what did not pass, however much it writes before.
_SUMMED: Final = "pytest's summary"
_PROGRESS = re.compile(r"(?:\S+\.py )?[.FEsxX]+ +\[ *[0-9]+%\]")
_SUMMARY_BEGINS = re.compile(r"=+ short test summary info =+")
_FAILED: Final = frozenset(("FAILED", "FAIL", "ERROR", "not ok", "Failed", "***Failed", "✖", "✕", "✗", "✘", "×"))
_REPEATED: Final = frozenset(("✖ failing tests:",))  # what a runner writes above results that it repeats
_SUMMARY = re.compile(
    r"(?:=+ .*\b)?[0-9]+ (?:passed|failed|errors?|skipped)\b.* in [0-9.]+s.*"
    r"|(?:FAILED|OK) \(.*\)$|Ran [0-9]+ tests? in .*"
    r"|test result: .*|[0-9]+% tests passed, .*|\[==========\] [0-9]+ tests? .*|Tests?:? +[0-9]+ .*"
    r"|# (?:tests|pass|fail|skipped) [0-9]+|(?:ok|FAIL)\t\S+\t[0-9.]+s.*"
)


def recognise(sample: Sample) -> Options | None:
    """Return the runner that wrote the results, if enough lines are results."""
    lines = sample.short
    for name, pattern in RUNNERS.items():
        if not any(sign in sample.folded for sign in _WRITTEN[name][0].split("|")):
            continue
        if name == _SUMMED:
            if any(map(_PROGRESS.match, lines[: 2 * LEAST])):
                return {"runner": name, "timed": False}
            continue
        matches = [match for line in lines if (match := pattern.match(line)) is not None]
        if len(matches) >= LEAST and len(matches) * _spread(name) >= len(lines):
            timed = sum(any(match.groupdict().get(unit) for unit in ("seconds", "milliseconds")) for match in matches)
            if name != "marks" or timed * TIMED >= len(matches):
                return {"runner": name, "timed": timed > 0}
    return None


def _spread(runner: str) -> int:
    return MARKED_SPREAD if runner == "marks" else SPREAD


@dataclass(slots=True, kw_only=True)
class TestRunParser(LineParser):
    __test__ = False  # for those who collect tests by the names of classes

    nouns: dict[str, str] = field(default_factory=lambda: {"items": "results"})
    blank: int = 0
    failed: list[tuple[int, str]] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)  # by file
    summaries: list[str] = field(default_factory=list)
    is_summary: bool = False  # of pytest, which has begun
    is_over: bool = False  # what follows repeats results that failed

    def read(self, lines: list[str]) -> Batch:
        match = RUNNERS[self.options["runner"]].match
        end = next((at for at, line in enumerate(lines) if line in _REPEATED or self.is_over), len(lines))
        self.is_over = end < len(lines)
        start = self._start(lines)
        matches = [match(line, 0, LONGEST_LINE) if start <= at < end else None for at, line in enumerate(lines)]
        results = [(number, one) for number, one in enumerate(matches, self.seen + 1) if one is not None]
        others = [line for line, one in zip(lines, matches, strict=True) if one is None]
        self.blank += sum(not line.strip() for line in others)
        self.summaries = [*self.summaries, *filter(_SUMMARY.match, others)][-MOST_SUMMARIES:]
        return {"items": self._columns(results)} if results else {}

    def holds(self) -> bool:
        is_dense = self.count * _spread(self.options["runner"]) >= self.seen - self.blank
        return self.count > 0 and (self.options["runner"] == _SUMMED or (self.count >= LEAST and is_dense))

    def _start(self, lines: list[str]) -> int:
        """Return the first line that may be a result."""
        if self.options["runner"] != _SUMMED or self.is_summary:
            return 0
        begins = (at for at, line in enumerate(lines) if _SUMMARY_BEGINS.fullmatch(line))
        start = next(begins, len(lines))
        self.is_summary = start < len(lines)
        return start

    def _columns(self, results: list[tuple[int, re.Match[str]]]) -> Columns:
        self.count += len(results)
        parts = [match.groupdict() for _, match in results]
        verdicts = [_verdict(part) for part in parts]
        for (number, match), part, verdict in zip(results, parts, verdicts, strict=True):
            if verdict in _FAILED:
                self.failures[part.get("file") or ""] += 1
                if len(self.failed) < MOST_FAILED:
                    self.failed.append((number, match.string))
        columns: Columns = {"line": [number for number, _ in results], "verdict": verdicts}
        columns |= {name: [part[name] for part in parts] for name in ("test", "file", "message") if name in parts[0]}
        if self.options["timed"]:
            columns["seconds"] = [_seconds(part) for part in parts]
        return columns

    def words(self, tables: Tables) -> Words:
        [table] = tables
        rest = self.seen - self.blank - self.count
        lines = [(True, f"its own summary: {plain(line.strip(), LONGEST_SUMMARY)}") for line in self.summaries]
        by_file = f"failed by file: {tally(self.failures.most_common(), MOST_FILES)}"
        lines += [(bool(self.failures) and "" not in self.failures, by_file)]
        lines += [(rest > 0, f"lines that are no results, and in no table: {rest:,}")]
        runner = "with marks" if self.options["runner"] == "marks" else f"of {self.options['runner']}"
        failed = self.failures.total()
        title = f"the first {len(self.failed)} of {failed:,} that failed" if failed > MOST_FAILED else "all that failed"
        what = f"{counted(table.count, 'test result')} {runner}"
        return Words(what=what, facts=facts(*lines), excerpts=Excerpt.of(title, self.failed))


def _verdict(part: dict[str, Any]) -> str:
    """Return the verdict as it is written; in TAP a test may be skipped, or failed as it was expected to."""
    directive = (part.get("directive") or "").lstrip("# ").upper()
    for word in ("SKIP", "TODO"):
        if directive.startswith(word):
            return f"{part['verdict']} # {word}"
    return str(part["verdict"]).strip()


def _seconds(part: dict[str, Any]) -> float | None:
    if part.get("seconds") is not None:
        return float(part["seconds"])
    milliseconds = part.get("milliseconds")
    return None if milliseconds is None else float(milliseconds) / 1_000


FORM: Final = TextForm(name="test_run", title="results of tests", recognise=recognise, make=TestRunParser)
