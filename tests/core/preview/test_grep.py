"""The preview of search output counts matches by file truly, and shows matches from the front, middle and end."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.budget import Room
from penstock.core.preview import lines
from penstock.core.preview.grep import grep
from tests.core.preview.promises import WIDE, growing, hidden, must_show, shown
from tests.strategies import any_text

paths = st.sampled_from(["src/a.py", "b.c", "lib/deep/er/name.tsx", "C:\\x\\y.cs", "./é.md", "2026-01-31.md"])
# Many control characters would make the whole a binary file, which no grep prints.
said = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=60) | st.just("x" * 900)


@st.composite
def outputs(draw: st.DrawFn) -> str:
    found = draw(st.lists(st.tuples(paths, st.integers(1, 10**6), said), min_size=3, max_size=12))
    found *= draw(st.sampled_from([1, 20]))
    return "".join(f"{path}:{line}:{text}\n" for path, line, text in found)


@settings(max_examples=40)
@given(outputs() | any_text)
def test_every_preview_fits_counts_and_grows(data: str) -> None:
    for preview in growing(grep, data):
        assert preview.shown.total == data.count("\n")
        if not preview.text.startswith("… "):
            marks = sum(
                int(number.replace(",", ""))
                for number in re.findall(r"(?m)^… ([\d,]+) match(?:es)? not shown …$", preview.text)
            )
            assert preview.shown.end + marks == preview.shown.total


@given(outputs())
def test_matches_are_counted_by_file_truly(data: str) -> None:
    preview = must_show(grep, data, WIDE)
    truth = Counter(re.findall(r"(?m)^((?:C:)?[^:\n]+):", data))
    told = re.findall(r"(?m)^([\d,]+) (\S+)$", preview.text.split("\n", 1)[1])[: len(truth)]
    assert {path: int(times) for times, path in told} == truth
    assert preview.headline.endswith(f"in {len(truth)} file{'s' if len(truth) > 1 else ''}")


def test_search_output_shows_counts_and_matches_from_all_over() -> None:
    matches = [f"src/f{n % 30}.py:{n}:{n % 7}:useState({n})" for n in range(300)]
    found = must_show(grep, "\n".join(matches), Room(tokens=600))
    text = found.text.split("\n")
    assert text[:2] == ["300 matches in 30 files", "10 src/f0.py"]
    assert re.search(r"(?m)^… \d+ matches in \d+ more files …$", found.text)
    assert matches[0] in text
    assert matches[150] in text
    assert text[-1] == matches[-1]
    assert found.text.count("not shown …") == 2
    assert (found.style, found.headline) == ("matches", "300 matches in 30 files")


def test_context_lines_and_separators_are_no_matches() -> None:
    block = "src/a.py-1-before\nsrc/a.py:2:match\nsrc/a.py-3-after\n--\n"
    assert must_show(grep, block * 30).headline == "30 matches in 1 file"


def test_compilers_and_linters_write_the_same_form() -> None:
    assert must_show(grep, "src/a.c:12:5: error: no\nsrc/a.c:13: warning: hm\nb.h:1:1: note\n").shown.total == 3


def test_very_long_output_is_sampled_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MOST_READ", 900)
    monkeypatch.setattr(lines.stretches, "__defaults__", (10, 20))
    data = "".join(f"src/f{n % 5}.py:{n}:x\n" for n in range(1_000))
    found = must_show(grep, data, Room(tokens=300))
    assert found.headline == "about 1,000 matches in at least 5 files"
    assert found.shown.end + hidden(found.text, "line") == 1_000
    growing(grep, data)


def test_long_paths_and_long_matches_are_cut() -> None:
    path = "deep/" * 60 + "end.py"
    text = must_show(grep, f"{path}:1:{'x' * 900}\n" * 9, WIDE).text
    assert re.search(r"(?m)^9 …[deep/]+end\.py$", text)
    assert max(map(len, text.split("\n"))) < 260


def test_what_utf8_cannot_carry_is_replaced() -> None:
    assert "caf\ufffd.py:1:x" in must_show(grep, b"caf\xe9.py:1:x\n" * 9).text


@pytest.mark.parametrize(
    "data",
    [
        "",
        "src/a.py:1:only\nsrc/a.py:2:two\n",
        "2026/01/01T10:00:00: x\n" * 9,
        "2026-01-01T10:00:00.123: x\n" * 9,
        "10.0.0.1:80: x\n" * 9,
        "localhost:80: x\n" * 9,
        "key: value\n" * 9,
        "src/a.py:1:x\nand then\na lot of\nprose\n" * 9,
        '["src/a.py:1:x"]',
    ],
)
def test_what_is_no_search_output_is_left_to_others(data: str) -> None:
    assert shown(grep, data) is None
