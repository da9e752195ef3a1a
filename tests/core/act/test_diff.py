"""The changes of a text in few lines."""

from __future__ import annotations

from penstock.core.act.edits import changes, literal_splices
from penstock.core.json.splice import Splice


def shown(text: str, find: str, new: str) -> list[str]:
    splices = list(literal_splices(text.encode(), find.encode(), new.encode()))
    told = list(changes(text.encode(), splices))
    assert sum(change.places for change in told) == len(splices)
    return [change.text for change in told]


def test_a_changed_line_is_shown_before_and_after_with_its_number() -> None:
    text = "one\ntwo\nthree\nfour\n"
    assert shown(text, "two", "2") == ["@@ line 2 @@\n-two\n+2"]
    assert shown(text, "our", "ive") == ["@@ line 4 @@\n-four\n+five"]
    assert shown("one", "one", "") == ["@@ line 1 @@\n-one\n+"]


def test_changes_of_one_line_are_shown_together_and_others_apart() -> None:
    assert shown("a a\nb\na\n", "a", "x") == ["@@ line 1 @@\n-a a\n+x x", "@@ line 3 @@\n-a\n+x"]
    assert shown("a\nb\nc", "a\nb", "z") == ["@@ line 1 @@\n-a\n-b\n+z"]


def test_a_long_line_is_cut_around_the_change() -> None:
    (told,) = shown("x" * 5_000 + "old" + "é" * 5_000, "old", "new")
    assert told == f"@@ line 1 @@\n-…{'x' * 60}old{'é' * 60}…\n+…{'x' * 60}new{'é' * 60}…"
    (told,) = shown("a" + "old" + "x" * 500, "old", "new")
    assert told.startswith("@@ line 1 @@\n-aoldxx")


def test_a_long_change_and_many_lines_are_cut_and_counted() -> None:
    (told,) = shown("k", "k", "y" * 1_000)
    assert "…(760 more characters)…" in told
    (told,) = shown("k", "k", "y\n" * 9)
    assert told.endswith("+6 lines")


def test_change_counts_the_places_of_its_line() -> None:
    splices = list(literal_splices(b"a a a\nb\na", b"a", b"x"))
    assert [change.places for change in changes(b"a a a\nb\na", splices)] == [3, 1]


def test_nothing_changed_is_nothing_shown() -> None:
    assert list(changes(b"text", [])) == []
    (change,) = changes(b"", [Splice(0, 0, b"new")])
    assert (change.text, change.places) == ("@@ line 1 @@\n-\n+new", 1)
