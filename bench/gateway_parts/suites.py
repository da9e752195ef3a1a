"""The suites of the client, as lines with limits. Each target's run is paired with one of direct just before it:
what else the machine does then slows both, and a ratio of two such runs says more than either figure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bench.gateway_parts.runs import Figures, run
from bench.gateway_parts.table import Cell, Limit, Line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bench.gateway_parts.kit import Kit
    from bench.gateway_parts.targets import Target

MB = 1.048_576  # the client counts memory in MiB, and results in MB
MEMORY = Limit(bound=5, of="figure", unit="x the result")
STALL = Limit(bound=100, of="figure", unit=" ms")
# Seconds for one large result. The slowest peer that answers 50 MB at all needed 20 on a busy machine; those that do
# not answer had not done so after 150 either, and must not hold up all others.
WAIT = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of the client's: in the line ``what`` (of ``mb``, where there are several)."""

    title: str
    suite: str
    value: Callable[[Figures], float]
    what: str = ""
    mb: float | None = None
    limit: Limit | None = None
    compared: bool = True
    digits: int = 1

    def find(self, lines: Sequence[Figures]) -> Figures:
        for line in lines:
            if line["what"] == (self.what or self.suite) and self.mb in (None, line.get("mb")):
                return line
        failed = [line for line in lines if "failed" in line and self.suite in line["what"].split(",")]
        return failed[0] if failed else {"failed": "no figure"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How one table is measured. Peers get fewer rounds: they are slow, and far from any limit."""

    title: str
    figures: Sequence[Figure]
    options: Sequence[str]
    rounds: int
    peer_rounds: int
    seconds: float
    remark: str = ""


def field(name: str, scale: float = 1) -> Callable[[Figures], float]:
    return lambda line: float(line[name]) * scale


SPEED = (
    Figure(title="`initialize` answered, ms", suite="startup", value=field("init_ms_med"), limit=Limit(bound=1.5)),
    Figure(title="first tool call answered, ms", suite="startup", value=field("first_call_ms_med")),
    Figure(
        title="idle memory, MB",
        suite="startup",
        value=field("rss_mb", MB),
        limit=Limit(bound=30, of="figure", unit=" MB"),
        compared=False,
    ),
    Figure(title="tiny call, p50, ms", suite="tiny", value=field("p50_ms"), limit=Limit(bound=3), digits=3),
    Figure(title="tiny call, p99, ms", suite="tiny", value=field("p99_ms"), digits=3),
    Figure(
        title="32 in flight, calls/s",
        suite="flight",
        what="flight32",
        value=field("calls_per_s"),
        limit=Limit(bound=0.5, least=True),
        digits=0,
    ),
)


def speed(chosen: Sequence[str], *, quick: bool) -> Plan:
    return Plan(
        title="Start and small calls",
        figures=[figure for figure in SPEED if figure.suite in chosen],
        options=("--repeats", "2", "--calls", "300"),
        rounds=2 if quick else 7,
        peer_rounds=1 if quick else 2,
        seconds=120,
    )


def big(size: int, *, quick: bool) -> Plan:
    of = Figure(title="", suite="big", mb=size, value=field("s_med"), limit=Limit(bound=6), digits=3)
    figures = (
        replace(of, title=f"{size} MB, first call, s", value=field("s_first")),
        replace(of, title=f"{size} MB, median call, s"),
        replace(of, title="peak memory in all / result", value=field("peak_mb", MB / size), limit=MEMORY, digits=1),
        replace(
            of,
            title="peak memory above idle / result",
            value=lambda line: (line["peak_mb"] - line["base_mb"]) * MB / size,
            limit=MEMORY,
            digits=1,
        ),
        replace(
            of,
            title="tokens that reach the client",
            value=lambda line: float(line["text_tokens"] + line["sc_tokens"]),
            limit=None,
            digits=0,
        ),
    )
    return Plan(
        title=f"A result of {size} MB",
        figures=[replace(figure, compared="memory" not in figure.title) for figure in figures],
        options=("--sizes", str(size), "--bigrepeats", "3", "--timeout", str(WAIT)),
        # Two rounds of 10 MB gave 8x in one run and 11x in the next, on a busy machine.
        rounds=1 if quick else 5,
        peer_rounds=1,
        seconds=5 * WAIT,
    )


def mixed(size: int, *, quick: bool) -> Plan:
    longest = Figure(
        title=f"longest tiny call during {size} MB, ms", suite="mixed", value=field("tiny_max_ms"), limit=STALL
    )
    return Plan(
        title=f"Tiny calls while a result of {size} MB is handled",
        figures=(
            longest,
            replace(longest, title="large call meanwhile, s", value=field("big_s"), limit=None, digits=3),
        ),
        options=("--sizes", str(size), "--timeout", str(WAIT)),
        rounds=1 if quick else 5,
        peer_rounds=1,
        seconds=4 * WAIT,
        remark="where the large result comes through whole, the tiny call also waits until the client has parsed it",
    )


def measure(kit: Kit, plan: Plan, targets: Mapping[str, Target]) -> list[Line]:
    """Run the plan: direct, then a target, round by round."""
    suite = ",".join(dict.fromkeys(figure.suite for figure in plan.figures))

    def once(target: Target) -> list[Figures]:
        return run(kit, target, suite, *plan.options, seconds=plan.seconds)

    pairs = {
        name: [(once(targets["direct"]), once(target)) for _ in range(plan.peer_rounds if target.peer else plan.rounds)]
        for name, target in targets.items()
        if name != "direct"
    }
    alone = [lines for rounds in pairs.values() for lines, _ in rounds] or [once(targets["direct"])]
    return [
        Line(
            what=figure.title,
            cells={
                "direct": _cell(figure, [(lines, lines) for lines in alone], compared=False),
                **{name: _cell(figure, rounds, compared=figure.compared) for name, rounds in pairs.items()},
            },
            limit=figure.limit,
            digits=figure.digits,
        )
        for figure in plan.figures
    ]


def _cell(figure: Figure, rounds: Sequence[tuple[list[Figures], list[Figures]]], *, compared: bool) -> Cell:
    found = [(figure.find(base), figure.find(lines)) for base, lines in rounds]
    patience = f"no answer in {WAIT} s" if figure.mb or figure.suite == "mixed" else "no answer in time"
    for pair in found:
        for line in pair:
            if "failed" in line:
                return Cell(failed=line["failed"].replace("TimeoutError: ", patience))
    figures = [figure.value(line) for _, line in found]
    bases = [figure.value(base) for base, _ in found] if compared else []
    return Cell(figures=figures, ratios=[ours / base for ours, base in zip(figures, bases, strict=False) if base])
