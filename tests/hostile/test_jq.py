"""Forty hostile jq programs. Each ends in a short error or a short answer; the next question is answered; we are as
large as before. How long each took is not asserted: the limits end it, or this test would not."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import psutil
import pytest

from penstock.errors import CallerError
from penstock.query.jq.filter import run_filter
from penstock.query.sandbox.sandbox import JobLimits, Sandbox
from tests.kit.harm import as_large_as_before, short_error
from tests.kit.held_results import held_value

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = held_value([{"name": "Ann", "n": 1}, {"name": "$(rm -rf /)", "n": 2}] * 50)
GROWTH = 48_000_000  # bytes that we may grow by: the largest output allowed, and what Python keeps of it

PATIENT = JobLimits(seconds=60, output=8_000_000)  # for what is answered, however much else the machine does
HASTY = replace(PATIENT, seconds=0.15)
STOPPED = "was stopped"  # by time, memory or output: which comes first depends on the machine
REFUSED = r"^jq(: | modules|$)|^the jq program "

ENDLESS = [
    "def f: f; f",
    "def f: 1 + f; f",
    "def f: [f]; f",
    "repeat(1)",
    "last(repeat(1))",
    "[repeat(1)]",
    "until(false; .)",
    "[range(1e12)]",
    "reduce range(1e12) as $i (0; . + $i)",
    'reduce range(1e9) as $i ("x"; . + .)',
    '"a" * 1e9',
    'repeat("x" * 1e6)',
    "def e: [., .] | e; e",
    "reduce range(60) as $i (.; [., .]) | tojson",
    "reduce range(40) as $i (.; [., .]) | tojson | tojson | length",
    "[[range(9)] as $a | [range(12) | $a] | combinations] | length",
    "setpath([500000000]; 1)",
    '"\\(while(true; .))"',
    "limit(1e12; repeat(.))",
]
MISTAKEN = [
    ".[",
    "}{",
    '"unclosed',
    ".) | (.",
    ". as $x",
    "nope(1)",
    "$__prog_args",
    "error",
    'error("x" * 100000)',
    "input",
    'getpath(["a", 0, "b"])',
    'import "/etc/passwd" as $p; $p',
    'include "evil"; .',
    '"os" | modulemeta',
    "1, halt",
    '"x" * 100000 | halt_error',
    ". | " * 10_000 + ".",
    ".\x00, .",
]
HARMLESS = [
    ("$ENV, env", b"{}\n{}"),
    ("$ENV.PATH, env.HOME, ($ENV | keys)", b"null\nnull\n[]"),
    ("[inputs], input_filename, get_search_list", b"[]\nnull\n[]"),
    ("$__loc__", b'{"file":"<top-level>","line":1}'),
    ("debug | stderr | length", b"100"),
    ('.[1] | @sh "rm \\(.name)"', b"\"rm '$(rm -rf /)'\""),
]
UNDECIDED = [
    '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!" | test("^(a+)+$")',  # the limit of the library's regular expressions
    "[.. | .. | .. | .. | .. | ..] | map([.. | .. | ..]) | [.[] | ..] | tojson | tojson | @base64 | @base64",
    "reduce range(20000) as $i (0; [.])",  # deep nesting: an answer, or the end of the stack
]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=1, limits=PATIENT) as pool:
        run_filter(".", SOURCE, pool)
        yield pool


@pytest.fixture(autouse=True)
def unharmed(sandbox: Sandbox) -> Iterator[None]:
    """After whatever happens, the next question is answered, and we have not grown."""
    with as_large_as_before(GROWTH):
        yield
        assert run_filter("length", SOURCE, sandbox).lines == b"100"


@pytest.fixture
def hasty(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """The same, for a question that may take all of its time. After it the next one has more."""
    monkeypatch.setattr(sandbox, "limits", HASTY)
    return sandbox


def test_there_are_forty_of_them() -> None:
    assert len(ENDLESS) + len(MISTAKEN) + len(HARMLESS) + len(UNDECIDED) >= 40


@pytest.mark.parametrize("program", ENDLESS)
def test_what_has_no_end_is_stopped_and_its_worker_replaced(hasty: Sandbox, program: str) -> None:
    (worker,) = hasty.idle
    assert STOPPED in short_error(lambda: run_filter(program, SOURCE, hasty))
    assert list(hasty.idle) == []
    assert not psutil.pid_exists(worker)


@pytest.mark.parametrize("program", MISTAKEN, ids=lambda program: program[:30].replace("\x00", "NUL"))
def test_what_is_wrong_is_refused_and_its_worker_kept(sandbox: Sandbox, program: str) -> None:
    workers = sandbox.idle
    assert re.search(REFUSED, short_error(lambda: run_filter(program, SOURCE, sandbox)))
    assert sandbox.idle == workers


@pytest.mark.parametrize(("program", "answer"), HARMLESS)
def test_what_asks_for_secrets_gets_none(sandbox: Sandbox, program: str, answer: bytes) -> None:
    assert run_filter(program, SOURCE, sandbox).lines == answer


@pytest.mark.parametrize("program", UNDECIDED)
def test_what_may_end_either_way_ends(hasty: Sandbox, program: str) -> None:
    try:
        answer = run_filter(program, SOURCE, hasty)
    except CallerError as error:
        assert len(str(error).encode()) < 1_000  # noqa: PT017  # it may, but need not, be raised
    else:
        assert len(answer.lines) <= hasty.limits.output
