"""Whatever the result, the call and the tool's schema are: suggestions can be made as they stand, are narrower than
what was asked, fit the budget if any does, and come best saving first."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.suggest import Suggestion
from penstock.core.suggest.narrow import Ending, Having
from penstock.core.suggest.offer import Offer, choose
from penstock.core.suggest.rows import Part
from penstock.core.tokens.count import count
from tests.core.suggesting import FETCH, ask, jq, matches, one
from tests.strategies import any_text, json_bytes, records, values

NAMES = [
    "limit",
    "per_page",
    "maxResults",
    "fields",
    "includes",
    "exclude",
    "glob",
    "path",
    "since",
    "until",
    "depth",
    "recursive",
    "verbose",
    "include_text",
    "severity",
    "file",
    "types",
    "count",
    "tokens",
    "max_length",
    "page",
    "head",
    "lines",
]
keywords = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["string", "integer", "array", "boolean", "number", ["string", "null"], "odd", 5]),
        "enum": st.lists(values, max_size=4) | st.just(3),
        "minimum": values,
        "maximum": st.integers(0, 100) | values,
        "items": st.just({"type": "string"}) | values,
        "default": values,
        "description": st.just("a date") | values,
        "format": st.sampled_from(["date", "date-time", "uri", "glob", 1]),
        "$ref": st.sampled_from(["#/$defs/A", "#", "#/properties/limit", "elsewhere", 3]),
        "multipleOf": st.integers(0, 7) | values,
        "minLength": values,
        "pattern": st.just(".*"),
        "exclusiveMinimum": st.booleans() | values,
    },
)
parameters = st.recursive(
    values | st.booleans() | keywords,
    lambda inner: st.fixed_dictionaries(
        {}, optional={word: st.lists(inner, max_size=3) | values for word in ("anyOf", "oneOf", "allOf")}
    ),
    max_leaves=4,
)
schemas = (
    st.none()
    | values
    | st.fixed_dictionaries(
        {"properties": st.dictionaries(st.sampled_from(NAMES), parameters, max_size=10) | values},
        optional={
            "$defs": st.fixed_dictionaries({"A": parameters}),
            "required": values,
            "anyOf": st.lists(parameters, max_size=2) | values,
            "additionalProperties": st.booleans(),
        },
    )
)
results = (
    json_bytes()
    | st.binary(max_size=300)
    | any_text
    | records.map(lambda rows: json.dumps({"findings": rows * 9}))
    | st.integers(0, 60).map(lambda number: json.dumps(matches(number)))
    | st.integers(0, 60).map(lambda number: "\n".join(map(json.dumps, matches(number))))
    | st.integers(0, 60).map(lambda number: "\n".join(f"{row['file']}:1: {row['text']}" for row in matches(number)))
    | st.integers(0, 60).map(lambda number: json.dumps({f"k{at}": row for at, row in enumerate(matches(number))}))
)


@settings(max_examples=80)
@given(
    result=results,
    schema=schemas,
    arguments=values | st.dictionaries(st.sampled_from(NAMES), values, max_size=4),
    budget=st.integers(-1, 3_000),
    most=st.integers(-1, 6),
    handle=st.none() | st.just("r_1"),
)
def test_nothing_makes_it_fail_and_every_suggestion_is_a_new_narrower_call(
    result: str | bytes, schema: Any, arguments: Any, budget: int, most: int, handle: str | None
) -> None:
    made = ask(result, budget=budget, schema=schema, arguments=arguments, handle=handle, most=most)
    whole = count(result.encode("utf-8", "surrogatepass") if isinstance(result, str) else result).tokens
    costs = [suggestion.tokens for suggestion in made]
    assert made == ask(result, budget=budget, schema=schema, arguments=arguments, handle=handle, most=most)
    assert len(made) <= max(0, most)
    assert costs == sorted(costs)
    assert all(0 < cost <= whole for cost in costs)
    assert all(cost <= budget for cost in costs) or all(cost > budget for cost in costs)
    calls = [(suggestion.tool, suggestion.arguments) for suggestion in made]
    assert all(call not in calls[at + 1 :] for at, call in enumerate(calls))
    for suggestion in made:
        assert json.dumps(suggestion.as_dict()).isascii()
        if suggestion.tool == FETCH:
            assert suggestion.arguments["cache_id"] == handle
        else:
            before = arguments if isinstance(arguments, dict) else {}
            changed = {name for name, value in suggestion.arguments.items() if before.get(name, math.nan) != value}
            assert changed
            assert changed <= set(schema["properties"])
            assert before.keys() <= suggestion.arguments.keys()


parts = st.builds(Part, count=st.just(1), size=st.just(1.0), sample=st.just(()))
offers = st.builds(
    Offer,
    narrowing=st.builds(Having, field=st.sampled_from([("a",), ("b",)]), value=st.integers(0, 9), part=parts)
    | st.builds(Ending, field=st.just(("a",)), extension=st.sampled_from([".a", ".b", ".c"]), part=parts),
    tool=st.sampled_from(["search", FETCH]),
    arguments=st.dictionaries(st.sampled_from("xy"), st.integers(0, 3)),
    tokens=st.integers(1, 99),
)


@given(offers=st.lists(offers, max_size=12), most=st.integers(1, 6))
def test_of_a_kind_at_most_two_are_chosen_and_no_two_say_the_same(offers: list[Offer], most: int) -> None:
    chosen = choose(offers, most)
    kinds = [offer.narrowing.kind for offer in chosen]
    assert len(chosen) <= most
    assert max(map(kinds.count, kinds), default=0) <= 2
    assert not any(one.repeats(other) for at, one in enumerate(chosen) for other in chosen[at + 1 :])
    assert bool(chosen) == bool(offers)


def test_a_second_of_a_kind_is_rather_of_another_group() -> None:
    part = Part(count=1, size=1.0, sample=())
    values = [(("a",), 1), (("a",), 2), (("b",), 1)]
    offers = [
        Offer(narrowing=Having(field=field, value=value, part=part), tool="t", arguments={"n": at}, tokens=9)
        for at, (field, value) in enumerate(values)
    ]
    assert [offer.arguments["n"] for offer in choose(offers, 5)] == [0, 2]


def test_the_call_of_the_seed_is_suggested_as_a_model_would_make_it() -> None:
    rows = [{"file": f"src/components/c{n}.tsx", "line": n, "text": "useState " * 9} for n in range(41)]
    rows += [{"file": f"src/{'abcd'[n % 4]}/f{n}.tsx", "line": n, "text": "useState " * 9} for n in range(271)]
    made = ask(
        {"matches": rows},
        share=0.2,
        arguments={"query": "useState"},
        query={"type": "string"},
        includes={"type": "array", "items": {"type": "string"}},
    )
    found = one(made, "src/components")
    assert found.as_dict() == {
        "why": "41 of 312 matches are under src/components",
        "tool": "search",
        "arguments": {"query": "useState", "includes": ["src/components/**"]},
        "tokens": found.tokens,
    }
    assert found.tokens == pytest.approx(count(json.dumps({"matches": rows[:41]})).tokens, rel=0.1)


def test_without_a_handle_only_the_tool_itself_is_suggested_and_without_a_schema_only_the_held_result() -> None:
    rows = matches(400)
    assert {made.tool for made in ask(rows, limit={"type": "integer"})} == {"search"}
    assert {made.tool for made in ask(rows, handle="r_1")} == {FETCH}
    assert ask(rows) == ()


def test_what_would_not_fit_is_suggested_only_when_nothing_fits() -> None:
    rows = matches(2_000)
    fitting = ask(rows, handle="r_1", budget=4_000)
    assert fitting
    assert all(made.tokens <= 4_000 for made in fitting)
    halves = [{"severity": "ab"[n % 2], "n": n} for n in range(2_000)]
    larger = ask(halves, handle="r_1", budget=100)
    assert larger
    assert all(made.tokens > 100 for made in larger)


@pytest.mark.parametrize(
    "result",
    [
        b"",
        b"\x00\x01\x02" * 90,
        b"[]",
        b"{}",
        b"null",
        b"[1, 2, 3]",
        b"[" * 100_000,
        b"[" + b"[]," * 9_000 + b"[]]",
        b'[{"a": ' + b"9" * 4_301 + b"}]",
        b'{"a": "\\ud800"}',
        "just a sentence",
        "\ud800" * 90,
        " \n" * 90,
    ],
)
def test_a_result_with_nothing_to_narrow_by_gets_no_suggestions(result: str | bytes) -> None:
    assert ask(result, handle="r_1", budget=5, fields={"type": "array"}, includes={}, since={}, severity={}) == ()


def test_no_more_are_made_than_are_wished_for() -> None:
    assert [len(ask(matches(90), handle="r_1", most=most)) for most in (1, 2, 3)] == [1, 2, 3]


def test_no_tokens_no_budget_and_no_wish_for_any_give_none() -> None:
    assert ask(matches(90), handle="r_1", budget=0) == ()
    assert ask(matches(90), handle="r_1", most=0) == ()
    assert ask("", handle="r_1") == ()


def test_numbers_that_python_cannot_hold_do_not_hide_the_strings_beside_them() -> None:
    rows = [f'{{"severity": "{"ab"[n % 3 == 0]}", "size": 1e999, "text": "{"x" * 40}"}}' for n in range(60)]
    made = ask("[" + ", ".join([*rows, "1e999"]) + "]", share=0.8, handle="r_1")
    assert one(made, 'severity "a"').why == '40 of 61 items have severity "a"'


def test_a_large_result_is_judged_by_a_sample_and_says_so() -> None:
    rows = [{"kind": ("rare" if n % 20 == 0 else "common"), "n": n} for n in range(20_000)]
    [rare] = ask(rows, handle="r_1", budget=20_000)
    assert rare.why.startswith("about ")
    real = count(json.dumps(jq(rare.arguments["jq_filter"], rows), separators=(",", ":"))).tokens
    assert rare.tokens == pytest.approx(real, rel=0.25)


def test_arguments_too_long_to_repeat_five_times_are_not_repeated() -> None:
    limit = {"type": "integer"}
    assert ask(matches(300), arguments={"text": "x" * 900}, limit=limit)
    assert ask(matches(300), arguments={"text": "x" * 1_100}, limit=limit) == ()
    assert ask(matches(300), arguments={"text": object()}, limit=limit) == ()
    assert ask(matches(300), arguments={"text": "\ud800"}, limit=limit) == ()


def test_a_suggestion_is_a_plain_value() -> None:
    made = Suggestion(why="w", tool="t", arguments={"a": 1}, tokens=3)
    assert made.as_dict() == {"why": "w", "tool": "t", "arguments": {"a": 1}, "tokens": 3}
