"""A filter gives what jq gives, with every digit that the program leaves alone, or says in jq's words what is wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from penstock.errors import CallerError, StoreError
from penstock.query.jq.filter import run_filter
from penstock.query.results import FilterResult
from penstock.query.sandbox.sandbox import JobLimits, Sandbox
from penstock.query.source import Keeping, Source
from tests.kit.held_results import held, held_value
from tests.kit.strategies import json_bytes


def test_outputs_are_json_texts_one_a_line(sandbox: Sandbox) -> None:
    source = held_value({"items": [{"name": "Ann", "n": 1}, {"name": "Bob\n", "n": None}]})
    found = run_filter(".items[] | .name, [.n]", source, sandbox)
    assert found == FilterResult(lines=b'"Ann"\n[1]\n"Bob\\n"\n[null]', count=4)
    assert found.outputs == [b'"Ann"', b"[1]", b'"Bob\\n"', b"[null]"]
    assert json.loads(found.json) == ["Ann", [1], "Bob\n", [None]]
    assert run_filter(".items | length", source, sandbox).json == b"2"
    assert run_filter("empty", source, sandbox) == FilterResult(lines=b"", count=0)
    assert run_filter("empty", source, sandbox).json == b"[]"
    assert run_filter("empty", source, sandbox).outputs == []


@settings(max_examples=30, deadline=None)
@given(json_bytes())
def test_what_a_program_leaves_alone_stays_what_it_was(sandbox: Sandbox, data: bytes) -> None:
    assert json.loads(run_filter(".", held(data), sandbox).json) == json.loads(data)


def test_numbers_that_nothing_is_done_to_keep_their_digits(sandbox: Sandbox) -> None:
    source = held("[9007199254740993, 123456789012345678901234567890, 1.0, 0.30000000000000000001, 1e999]")
    expected = b"9007199254740993\n123456789012345678901234567890\n1.0\n0.30000000000000000001\n1E+999"
    assert run_filter(".[]", source, sandbox).lines == expected
    assert run_filter(".[0] + 0", source, sandbox).lines == b"9007199254740992"


@pytest.mark.parametrize("batch", [1, 70, 1_000_000])
def test_a_large_array_is_fed_in_batches(sandbox: Sandbox, batch: int) -> None:
    rows = [{"id": number, "odd": number % 2 == 1} for number in range(100)]
    source = held_value({"rows": rows, "title": "t"})
    assert run_filter(".rows[] | select(.odd) | .id", source, sandbox, batch=batch).count == 50
    assert json.loads(run_filter(".rows | map(select(.odd))", source, sandbox, batch=batch).json) == rows[1::2]
    assert run_filter("[.rows[] | select(.odd) | .id] | add, length", source, sandbox, batch=batch).lines == b"2500\n50"
    assert run_filter("[.rows[] | select(.id > 1000)]", source, sandbox, batch=batch).lines == b"[]"
    assert run_filter(".title", source, sandbox, batch=batch).lines == b'"t"'


def test_a_path_that_is_in_doubt_is_left_to_jq(sandbox: Sandbox) -> None:
    twice = held('{"a": [1, 2, 3, 4], "a": [5, 6], "b": {"x": 1}, "c": [[1], [2]]}')
    assert run_filter(".a[]", twice, sandbox, batch=1).lines == b"5\n6"
    assert run_filter(".b[]", twice, sandbox, batch=1).lines == b"1"
    assert run_filter(".c[1][]", twice, sandbox, batch=1).lines == b"2"
    assert run_filter(".nowhere[]?", twice, sandbox, batch=1).count == 0
    with pytest.raises(CallerError, match="Cannot iterate over null"):
        run_filter(".nowhere[]", twice, sandbox, batch=1)
    assert run_filter("map(.)", held("[" + " " * 100 + "]"), sandbox, batch=1).lines == b"[]"


def test_json_lines_and_texts_are_arrays(sandbox: Sandbox) -> None:
    lines = held('{"n":1}\n{"n":2}\n\n{"n":3}')
    assert run_filter("map(.n) | add", lines, sandbox).lines == b"6"
    assert run_filter(".[] | .n", lines, sandbox, batch=8).lines == b"1\n2\n3"
    text = held("first\nan ERROR here\nlast ERROR")
    assert run_filter('[.[] | test("ERROR")]', text, sandbox).lines == b"[false,true,true]"
    assert run_filter('.[] | select(startswith("l"))', text, sandbox, batch=4).lines == b'"last ERROR"'


@pytest.mark.parametrize(
    ("program", "what"),
    [
        (".[", "jq: syntax error, unexpected end of file at line 1, column 2"),
        (".a |\n  nope(.b)", "jq: nope/1 is not defined at line 2, column 3"),
        (".name", 'jq: Cannot index array with string ("name")'),
        (".[0] | .a.b", 'jq: Cannot index number with string ("b")'),
        ('error("x" * 5000)', "jq: xxx"),
        ("error(null)", "jq: null"),
        ("1, halt", "jq: halt cannot be used here"),
        ('"no rows" | halt_error', "jq: halt_error: no rows"),
        ("{a: 1} | halt_error(3)", 'jq: halt_error: {"a":1}'),
        ("input", "jq: there is no further input"),
        (".) | (.", "jq: syntax error"),
        (". as $x", "jq: syntax error"),
        ("", "jq: Top-level program not given"),
        ('import "a" as a; .', "jq modules cannot be read here"),
        (". | " * 6_000, "the jq program is longer than 20,000 characters"),
        (".a\x00b", "characters in it that are no text"),
        ('"\udc80"', "characters in it that are no text"),
    ],
)
def test_a_wrong_program_is_explained_in_jqs_words(sandbox: Sandbox, program: str, what: str) -> None:
    with pytest.raises(CallerError) as caught:
        run_filter(program, held_value([{"a": 1}]), sandbox)
    assert what in caught.value.what
    assert caught.value.do
    assert len(str(caught.value).encode()) < 1_000


def test_a_comment_at_the_end_hides_nothing(sandbox: Sandbox) -> None:
    for program in (".[0] # the first", ".[0] # the \\", ".[0] #", ".[0] # a \\\n b"):
        assert run_filter(program, held_value(["x"]), sandbox).lines == b'"x"'


def test_a_result_without_parts_is_refused(sandbox: Sandbox) -> None:
    with pytest.raises(CallerError, match="no fields or lines"):
        run_filter(".", held(b"\x89PNG\r\n\x1a\n" + bytes(range(256))), sandbox)


def test_a_store_that_fails_while_it_is_read_costs_no_more_than_the_question(sandbox: Sandbox) -> None:
    whole = held_value(list(range(1_000)))

    def broken(start: int, end: int) -> bytes:
        raise StoreError("the disk is gone")

    with pytest.raises(StoreError):
        run_filter(".[]", Source(read=broken, index=whole.index), sandbox)
    assert run_filter("length", whole, sandbox).lines == b"1000"


@pytest.mark.parametrize(
    ("program", "call"),
    [
        ('.a | test("(a+)+b")', {"pattern": "(a+)+b", "regex": True}),
        ('last(.a | recurse(.) | test("b"; "i"))', {"pattern": "b", "regex": True, "ignore_case": True}),
        ('last(.a | recurse(.) | test("(?<=a)b"))', None),  # RE2 has no such pattern
        ("last(.a | recurse(.))", None),
    ],
)
def test_a_slow_regular_expression_is_told_the_search_that_does_the_same(
    program: str, call: dict[str, Any] | None
) -> None:
    source = replace(held_value({"a": "a" * 40 + "c"}), keeping=Keeping(owner="o", handle="r_x"))
    with Sandbox(workers=1, limits=JobLimits(seconds=0.5)) as sandbox, pytest.raises(CallerError) as caught:
        run_filter(program, source, sandbox)
    told = caught.value.do or ""
    if call is not None:
        assert json.loads(told[told.index("{") :]) == {"action": "search", "cache_id": "r_x", **call}
    else:
        assert "{" not in told
