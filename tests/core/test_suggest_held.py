"""Readings of the held result run as they stand, leave exactly the items that their reason counts, and cost what they
say: within a quarter of what the narrowed data is counted at."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.budget import Room
from penstock.core.forms.document import read
from penstock.core.reading.page import page, paginate
from penstock.core.subject import study
from penstock.core.suggest.held import literal
from penstock.core.suggest.rows import scattered
from penstock.core.tokens.count import count
from tests.core.suggesting import ask, jq, matches, one

if TYPE_CHECKING:
    from penstock.core.suggest import Suggestion

COMPACT = (",", ":")
SCHEMA: dict[str, Any] = {
    "properties": {
        "includes": {"type": "array", "items": {"type": "string"}},
        "excludes": {"type": "array", "items": {"type": "string"}},
        "severity": {"type": "string"},
        "since": {"type": "string"},
        "limit": {"type": "integer"},
        "fields": {"type": "array", "items": {"type": "string"}},
    }
}


def filtered(made: Suggestion, value: Any) -> Any:
    assert made.arguments["action"] == "filter"
    assert made.arguments["cache_id"] == "r_1"
    return jq(made.arguments["jq_filter"], value)


def answered(arguments: dict[str, Any], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a tool with the parameters of ``SCHEMA`` would answer."""
    for name, value in arguments.items():
        match name:
            case "includes":
                rows = [row for row in rows if any(_globbed(glob, row["file"]) for glob in value)]
            case "excludes":
                rows = [row for row in rows if not any(_globbed(glob, row["file"]) for glob in value)]
            case "severity":
                rows = [row for row in rows if row["severity"] == value]
            case "since":
                rows = [row for row in rows if row["found_at"] >= value]
            case "limit":
                rows = rows[:value]
            case _:
                rows = [{field: row[field] for field in value} for row in rows]
    return rows


def _globbed(glob: str, path: str) -> bool:
    pattern = re.escape(glob).replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
    return re.fullmatch(pattern, path) is not None


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    number=st.integers(200, 700),
    share=st.sampled_from([0.05, 0.1, 0.2, 0.4, 0.7]),
    layout=st.sampled_from([{}, {"indent": 2}, {"separators": COMPACT}]),
    wrapped=st.booleans(),
)
def test_what_a_suggestion_costs_is_within_a_quarter_of_the_truth(
    seed: int, number: int, share: float, layout: dict[str, Any], wrapped: bool
) -> None:
    rows = matches(number, seed)
    data = {"matches": rows, "took_ms": 12} if wrapped else rows
    made = [
        *ask(json.dumps(data, **layout), share=share, handle="r_1"),
        *ask(json.dumps(data, **layout), share=share, schema=SCHEMA, most=20),
    ]
    assert len(made) > 2
    for suggestion in made:
        if suggestion.arguments.get("action") == "get_page":
            continue
        if suggestion.tool == "search":
            left = answered(suggestion.arguments, rows)
            text = json.dumps({"matches": left, "took_ms": 12} if wrapped else left, **layout)
        else:
            left = filtered(suggestion, data)
            text = json.dumps(left, separators=COMPACT)
        if (told := re.match(r"([\d,]+) of", suggestion.why)) is not None:
            assert int(told[1].replace(",", "")) == len(left)
        assert suggestion.tokens == pytest.approx(count(text).tokens, rel=0.25)


def test_a_value_is_selected_as_a_reader_would_write_it() -> None:
    rows = matches(300)
    made = one(ask({"matches": rows}, share=0.1, handle="r_1"), "critical")
    assert made.arguments == {
        "cache_id": "r_1",
        "action": "filter",
        "jq_filter": '[.matches[] | select(.severity == "critical")]',
    }
    assert filtered(made, {"matches": rows}) == [row for row in rows if row["severity"] == "critical"]


@pytest.mark.parametrize("word", ['say "hi"', "back\\slash", "\\(1 + 1)", "ünï", "it's", "a, b | c"])
def test_odd_values_names_and_places_are_written_so_that_jq_reads_them_back(word: str) -> None:
    assert json.loads(literal(word)) == word
    rows = [{"kind": word if n % 4 == 0 else "plain", "text": "x " * 20} for n in range(200)]
    made = one(ask(rows, handle="r_1"), word)
    assert filtered(made, rows) == rows[::4]
    placed = [{"file": f"{word if n % 4 == 0 else 'plain'}/f{n}.py", "text": "x " * 20} for n in range(200)]
    assert filtered(one(ask(placed, handle="r_1"), f"under {word}"), placed) == placed[::4]


def test_true_and_one_are_not_taken_for_each_other() -> None:
    rows = [{"ok": n % 4 == 0, "text": "some words"} for n in range(300)]
    assert len(filtered(one(ask(rows, handle="r_1"), "ok true"), rows)) == 75
    mixed = [*({"ok": 1, "text": "some words"} for _ in range(3)), *rows]
    assert all("ok true" not in made.why for made in ask(mixed, handle="r_1"))


def test_odd_keys_are_quoted() -> None:
    rows = [{"odd kind": "ab"[n % 4 == 0], "text": "x " * 20} for n in range(200)]
    made = one(ask({"odd rows": rows}, share=0.3, handle="r_1"), 'odd kind "b"')
    assert made.arguments["jq_filter"] == '[.["odd rows"][] | select(.["odd kind"] == "b")]'
    hidden = [{"\u2028": "ab"[n % 4 == 0], "text": n} for n in range(200)]
    assert ask(hidden, handle="r_1") == ask({"\u2028": rows}, handle="r_1") == ()


def test_items_without_the_field_or_that_are_no_objects_do_not_break_a_filter() -> None:
    rows: list[Any] = [
        {"path": f"{'ab'[n % 4 == 0]}/f.py", "kind": "xy"[n % 3 == 0], "text": "x " * 9} for n in range(90)
    ]
    rows[1:1] = [None, {"path": None}, {"path": 7, "kind": {}}]
    under = one(ask(rows, share=0.4, handle="r_1"), "under b")
    assert under.arguments["jq_filter"] == '[.[] | select(.path? | strings | startswith("b/"))]'
    assert filtered(under, [3, *rows]) == [row for row in rows if row and str(row["path"]).startswith("b/")]
    kind = one(ask(rows, share=0.4, handle="r_1"), 'kind "y"')
    assert len(filtered(kind, [3, *rows])) == 30
    nested = [{"owner": {"login": "ab"[n % 4 == 0], "odd id": "cd"[n % 4 == 0]}, "n": n} for n in range(90)]
    made = ask([*nested, {"owner": 3}], share=0.4, handle="r_1")
    assert one(made, "login").arguments["jq_filter"] == '[.[] | select(.owner?.login? == "b")]'
    assert one(made, "odd id").arguments["jq_filter"] == '[.[] | select(.owner?["odd id"]? == "d")]'


def test_a_list_of_paths_is_narrowed_by_itself() -> None:
    files = [f"src/{'ab'[n % 4 == 0]}/file{n}.{'py' if n % 5 else 'md'}" for n in range(300)]
    made = ask({"files": files}, share=0.4, handle="r_1")
    assert one(made, "src/b").arguments["jq_filter"] == '[.files[] | select(startswith("src/b/"))]'
    assert filtered(one(made, ".md"), {"files": files}) == files[::5]
    mixed = ask({"files": [*files, None]}, share=0.4, handle="r_1")
    assert one(mixed, "src/b").arguments["jq_filter"] == '[.files[] | select(strings | startswith("src/b/"))]'


def test_lines_of_json_are_the_array_of_their_records() -> None:
    rows = matches(200)
    made = ask("\n".join(map(json.dumps, rows)), share=0.1, handle="r_1")
    found = one(made, "critical")
    assert "records" in found.why
    assert all(row["severity"] == "critical" for row in filtered(found, rows))


def test_a_map_keeps_its_keys() -> None:
    files = {f"src/{'ab'[n % 4 == 0]}/f{n}.py": {"level": "ab"[n % 5 == 0], "n": n} for n in range(200)}
    made = ask({"files": files, "n": 1}, share=0.4, handle="r_1")
    under = one(made, "src/b")
    assert under.arguments["jq_filter"] == '.files | with_entries(select(.key | startswith("src/b/")))'
    assert len(filtered(under, {"files": files})) == 50
    assert len(filtered(one(made, "value.level"), {"files": files})) == 40
    assert filtered(one(ask(files, share=0.4, handle="r_1"), "src/b"), files) == filtered(under, {"files": files})
    text = "{" + ", ".join(f'"k{n}": {{"level": "{"ab"[n % 5 == 0]}", "size": 1e999}}' for n in range(90)) + "}"
    assert one(ask(text, share=0.4, handle="r_1"), "value.level").why.startswith("18 of 90")
    assert ask("{" + ", ".join(f'"k{n}": {n}e999' for n in range(90)) + "}", handle="r_1") == ()


def test_the_newest_part_is_compared_as_the_data_writes_its_times() -> None:
    rows = matches(400)
    newer = one(ask(rows, share=0.3, handle="r_1"), "found_at")
    assert newer.arguments["jq_filter"].startswith('[.[] | select(.found_at >= "2024-')
    stamps = [{"ts": 1_700_000_000 + n * 3_600, "text": "x " * 9} for n in range(400)]
    numbers = one(ask(stamps, share=0.3, handle="r_1"), "by ts")
    assert re.fullmatch(r"\[\.\[\] \| select\(\.ts >= \d{10}\)\]", numbers.arguments["jq_filter"])
    assert len(filtered(numbers, stamps)) == int(numbers.why.split()[0])


def test_times_that_cannot_be_compared_as_they_are_written_give_no_filter() -> None:
    zones = [{"date": f"2024-03-0{1 + n // 50}T{n % 24:02}:00:00{('Z', '+09:00')[n % 2]}", "n": n} for n in range(400)]
    mixed: list[Any] = [
        {"date": 1_700_000_000 + n if n % 2 else f"2024-01-{1 + n // 20:02}", "n": n} for n in range(400)
    ]
    units = [{"ts": (1_700_000_000 + n) * (1_000 if n % 2 else 1), "n": n} for n in range(400)]
    for rows in (zones, mixed, units):
        assert all("by " not in made.why for made in ask(rows, share=0.3, handle="r_1"))
    fine = [{"date": f"2024-03-01 10:{n // 60:02}:{n % 60:02}", "n": n} for n in range(400)]
    assert "10:0" in one(ask(fine, share=0.3, handle="r_1"), "by date").arguments["jq_filter"]


def test_times_that_tell_nothing_apart_give_no_span() -> None:
    same = [{"date": "2024-03-01", "n": n} for n in range(200)]
    rare = [{"date": "2024-03-01" if n % 3 == 0 else "soon", "n": n} for n in range(200)]
    odd = [{"\u2028date": f"2024-03-{1 + n % 28:02}", "n": n} for n in range(200)]
    old = [{"date": f"-{n:04}", "created": -n, "n": n} for n in range(200)]
    for rows in (same, rare, odd, old):
        assert all("by " not in made.why for made in ask(rows, handle="r_1", since={"type": "string"}))
    parts = [{"time": f"2024-03-01T10:00:00.{n:03}Z", "n": n} for n in range(400)]
    assert "10:00:00.2" in one(ask(parts, handle="r_1"), "by time").arguments["jq_filter"]
    assert ask([{"date": f"2024-03-{1 + n // 10:02}", "n": n} for n in range(200)], share=2.0, since={}) == ()


def test_heavy_fields_are_left_out_of_all_items_if_they_fit_then() -> None:
    rows = [{"id": n, "raw_html": "<p>word</p>" * 20, "meta": {"size": n}} for n in range(200)]
    made = one(ask(rows, share=0.5, handle="r_1"), "raw_html")
    assert re.fullmatch(r"raw_html is 8\d % of the bytes; this leaves raw_html out", made.why)
    assert made.arguments["jq_filter"] == "[.[] | del(.raw_html)]"
    assert filtered(made, rows) == [{"id": n, "meta": {"size": n}} for n in range(200)]


def test_heavy_fields_are_left_out_of_the_first_page_if_all_items_do_not_fit() -> None:
    rows = [{"id": n, "raw html": "<p>word</p>" * 20, "odd name": n} for n in range(400)]
    made = one(ask(rows, share=0.06, handle="r_1"), "raw html")
    arguments = made.arguments
    assert made.why.endswith("this leaves raw html out of the first page")
    assert {key: arguments[key] for key in ("action", "page", "fields")} == {
        "action": "get_page",
        "page": 1,
        "fields": ["id", '["odd name"]'],
    }
    subject = study(read(json.dumps(rows)))
    assert subject.main is not None
    pages = paginate(subject.main, subject.read, Room(tokens=arguments["page_tokens"]))
    found = page(subject.main, subject.read, pages, 1, fields=arguments["fields"])
    assert json.loads(found.items[0]) == {"id": 0, "odd name": 0}
    assert count(b",".join(found.items)).tokens <= made.tokens <= arguments["page_tokens"]


def test_a_heavy_field_is_found_inside_the_object_that_wraps_the_items() -> None:
    rows = [{"id": n, "source": {"title": f"t{n}", "html": "<p>word</p>" * 20}} for n in range(200)]
    made = one(ask(rows, handle="r_1"), "source.html")
    assert filtered(made, rows) == [{"id": n, "source": {"title": f"t{n}"}} for n in range(200)]
    safe = one(ask([*rows, {"source": 3}, 4], handle="r_1"), "source.html")
    assert safe.arguments["jq_filter"] == "[.[] | del(.source?.html?)]"
    spread = [{"id": n, "all": {f"f{at}": "some words" for at in range(9)}} for n in range(200)]
    assert ask(spread, handle="r_1") == ()
    half = [{"id": "x " * 30, "all": {f"f{at}": "some words" for at in range(9)}} for n in range(200)]
    assert one(ask(half, handle="r_1", share=0.7), "all is").arguments["jq_filter"] == "[.[] | del(.all)]"


def test_several_heavy_fields_are_left_out_when_one_is_not_enough() -> None:
    rows = [{"id": n, "a": "word " * 30, "b": "word " * 20, "c": "word " * 10} for n in range(200)]
    assert one(ask(rows, share=0.6, handle="r_1"), "a is").arguments["jq_filter"] == "[.[] | del(.a)]"
    assert one(ask(rows, share=0.3, handle="r_1"), "a and b are").arguments["jq_filter"] == "[.[] | del(.a, .b)]"


def test_an_object_loses_its_heavy_field_wherever_it_stands() -> None:
    page_of = {"title": "t", "size": 4, "html": "<p>word</p>" * 900}
    assert one(ask(page_of, handle="r_1"), "html").arguments["jq_filter"] == "del(.html)"
    found = one(ask({"page": page_of, "n": 1}, handle="r_1"), "html")
    assert filtered(found, {"page": page_of, "n": 1}) == {"page": {"title": "t", "size": 4}, "n": 1}
    assert ask({"html": "<p>word</p>" * 900}, handle="r_1") == ()
    assert ask({"x" * 99: "word " * 900, "n": 1}, handle="r_1") == ()


def test_where_no_page_can_show_it_a_heavy_field_is_not_spoken_of() -> None:
    texts = {"html": "word " * 900, **dict.fromkeys("abcd", "word " * 400)}
    wide = [{"html": "<p>word</p>" * 60, **{f"f{at}": n for at in range(25)}} for n in range(100)]
    assert ask(texts, share=0.01, handle="r_1") == ask(wide, share=0.01, handle="r_1") == ()


def test_items_that_were_passed_over_when_the_form_was_learned_are_still_read() -> None:
    data = {"first": 0, "rows": matches(200), **{f"k{n}": n for n in range(300)}}
    assert filtered(one(ask(data, share=0.1, handle="r_1"), "critical"), data)


def test_few_and_large_items_are_weighed_by_what_was_seen_of_them() -> None:
    rows = [{"id": n, "name": "n" * 40, "html": "<p>word</p>" * 400} for n in range(4)]
    assert one(ask(rows, handle="r_1"), "html").arguments["jq_filter"] == "[.[] | del(.html?)]"
    huge = [{"id": n, "html": "<p>word</p>" * 14_000} for n in range(40)]
    assert one(ask(huge, handle="r_1", budget=5_000), "html").tokens < 5_000


def test_of_a_log_the_lines_with_errors_are_searched_for() -> None:
    lines = [
        f"10:00:{n % 60:02} {'ERROR' if n % 20 == 0 else 'WARN' if n % 3 == 0 else 'INFO'} job {n}" for n in range(600)
    ]
    [made] = ask("\n".join(lines), handle="r_1")
    assert made.why == "30 of 600 lines have ERROR in them"
    assert made.arguments == {"cache_id": "r_1", "action": "search", "pattern": "ERROR", "context": 0}
    quiet = ask("\n".join(line for line in lines if "ERROR" not in line), handle="r_1")
    assert [made.arguments["pattern"] for made in quiet] == ["WARN"]
    fatal = ask("\n".join([*lines, "FATAL stop"]), handle="r_1")
    assert [made.arguments["pattern"] for made in fatal] == ["FATAL|ERROR"]


@given(count=st.integers(0, 5_000), most=st.integers(1, 900), period=st.integers(1, 40))
def test_a_scattered_sample_has_every_phase_of_a_period(count: int, most: int, period: int) -> None:
    chosen = list(scattered(count, most))
    assert chosen == sorted(set(chosen))
    assert all(0 <= number < count for number in chosen)
    assert len(chosen) == count if count <= most else len(chosen) > most * 0.5 - 10
    if len(chosen) >= 20 * period:
        assert {number % period for number in chosen} == set(range(period))
