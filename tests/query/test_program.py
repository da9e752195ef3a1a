"""A program that is fed by batches gives what it gives on the whole; what is not understood is left alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from penstock.query.jq.filter import _prepare
from penstock.query.jq.lexer import lex
from penstock.query.jq.program import Each, Whole, plan, uses_modules
from penstock.query.sandbox import frames
from penstock.query.sandbox.jobs import JqQuery
from penstock.query.sandbox.process import Text
from penstock.query.source import whole
from tests.kit.held_results import held_value, output_of, served, spoken
from tests.kit.strategies import records, values

paths = st.sampled_from([".", ".a", ".a.b", '.["a"]', '."a".b', ".a | .b"])
suffixes = st.sampled_from(["", "?", ".id", ".name?", '["ok"]', "[]?", ".tags[]?", ".nested?.x?", "[0]?"])
steps = st.sampled_from(
    [
        ".",
        "select(.ok)",
        "select(.id > 3 and (.name | length) < 5)",
        ".id + 1",
        "{id, n: .name}",
        "[.name, .tags]",
        ".tags[]",
        ".tags[]?",
        '"\\(.id) | \\(.name)"',
        ".id as $x | .name | [$x, .]",
        "if .ok then .id else empty end",
        "., .",
        "try error(.name) catch .",
        "reduce .tags[]? as $t (0; . + 1)",
        "first(.tags[]?)",
        "limit(1; .id, .name)",
        "label $out | .id, break $out",
        "length",
        'has("id")',
        ".name // 0",
        "tojson",
        ".id |= 1",
        "def f: .id; f",
        "nan",
        "error",
        ".[0]",
        "..",
    ]
)
tails = st.sampled_from(
    ["length", "add", ".[0]", "sort", "unique | length", ".[]", "map(type)", "first, last", "error"]
)


@st.composite
def programs(draw: st.DrawFn) -> str:
    inside = " | ".join(
        [draw(paths.filter(lambda path: "|" not in path)) + "[]" + draw(suffixes), *draw(st.lists(steps, max_size=3))]
    )
    match draw(st.integers(0, 4)):
        case 0:
            return inside
        case 1:
            return f"[{inside}]"
        case 2:
            return f"[ {inside} ] | {draw(tails)}"
        case 3:
            return f"{draw(paths)} | map({draw(steps)})"
        case _:
            return f"map({draw(steps)} | {draw(steps)}) | {draw(tails)}"


documents = st.one_of(
    records,
    st.lists(values, max_size=12),
    st.fixed_dictionaries({"a": records}),
    st.fixed_dictionaries({"a": st.fixed_dictionaries({"b": records}), "z": values}),
)


def answer(question: JqQuery, texts: Any) -> tuple[bytes, list[Any]]:
    """How the worker ended, and its outputs as values."""
    told = served(spoken(question, texts))
    ended = next(kind for kind, _ in told if kind in (frames.DONE, frames.FAILED))
    return ended, [json.loads(line) for line in output_of(told).split(b"\n") if line] if ended == frames.DONE else []


@settings(max_examples=200, deadline=None)
@given(programs(), documents, st.integers(1, 300))
@example("map(.id) | add", [{"id": 2**60 + 1}, {"id": 1.5}], 1)
@example("[.[] | nan] | sort", [1, 2, 3], 1)
def test_batches_give_what_the_whole_gives(program: str, document: Any, size: int) -> None:
    source = held_value(document)
    question, texts, _ = _prepare(program, source, size)
    expected = answer(JqQuery(program=program, run=program), [Text(pieces=whole(source))])
    assert answer(question, texts) == expected


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (".[]", Each(path=(), run=".[]")),
        (".[].name", Each(path=(), run=".[].name")),
        (".[] | .a, .b", Each(path=(), run=".[] |  .a, .b")),
        (".items[]? | f", Each(path=("items",), run=".[]? |  f")),
        ('.a["b c"][0].d[] | f', Each(path=("a", "b c", 0, "d"), run=".[] |  f")),
        (". | .a | .[] | .b", Each(path=("a",), run=".[] |  .b")),
        ("map(.x + 1)", Each(path=(), run=".[] | (.x + 1)", collect=True)),
        (".a | map(.x) | add", Each(path=("a",), run=".[] | (.x)", collect=True, tail=" add")),
        ("[.[] | {a, b: .c}]|unique", Each(path=(), run=".[] |  {a, b: .c}", collect=True, tail="unique")),
        ('.[] | "\\(.a | length) | x"', Each(path=(), run='.[] |  "\\(.a | length) | x"')),
    ],
)
def test_programs_that_go_through_items_are_recognised(program: str, expected: Each) -> None:
    assert plan(program) == expected


@pytest.mark.parametrize(
    "program",
    [
        *(".", "length", ".[0]", ".[1:3]", ".[], 1", ".[] as $x | $x", ".[] + 1", "-.[]", "first(.[])", "[.[], 1]"),
        *("[.[]][0]", "[.[]] as $x | 1", "map(.)[0]", ".a-b[]", "..[]", "[0][]", "try .[] catch 1"),
        *("def f: .; .[] | f", "label $x | .[] | ., break $x", "reduce .[] as $x (0; 1)", "limit(1; .[] | .a)"),
        *(".[] | input", ".[] | halt", "[inputs]", ".[] | $__loc__", "[.[] | input_line_number]"),
        *("map(.x + 1) | add", "map(nan) | length", "[.[] | -.x] | sort", "map(_plus(.; 1)) | add"),
        *(".[] # all of them", "# first\n.[]", '."\\q"[]', '."a\\(1)"[]', "." + '["' + "a" * 5_000 + '"][]'),
        *("", "   ", ".[", ".[]]", '"', "(.[]", "[[[[" * 2_000, "~"),
    ],
)
def test_everything_else_runs_on_the_whole(program: str) -> None:
    assert plan(program) == Whole()


@pytest.mark.parametrize(
    "program", ['import "a" as a; .', 'include "a"; .', "module {}; .", '"a" | modulemeta', '# x\n import "a" as a; .']
)
def test_programs_that_would_read_modules_are_known(program: str) -> None:
    assert uses_modules(program)


@pytest.mark.parametrize(
    "program", [".import", "{module: 1}", '"import"', ".", "", "# import", "def include: 1; include"]
)
def test_programs_that_only_use_such_words_are_not_taken_for_them(program: str) -> None:
    assert not uses_modules(program)


@given(st.text(st.sampled_from('.[](){}|"\\ab1 ,:;$@#?/+-'), max_size=30))
def test_any_text_can_be_lexed_and_planned(program: str) -> None:
    plan(program)
    tokens = lex(program)
    assert tokens is None or all(program.startswith(token.text, token.start) for token in tokens)
