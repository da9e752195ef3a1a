"""A text of lines that repeat is told by the kinds of its lines; other texts are none."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from penstock.core.forms.text.kinds import FORM, MAX_KINDS, kind_of
from tests.kit.forms.reading import Read, read_as

KINDS = ["[{n}/900] Building {q}", "warning: {q} is deprecated since {n}.{n}", "at 0x7f{n:06x}", "", "done"]


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(6))
def test_every_line_is_a_row_of_its_kind(seed: int) -> None:
    choose = random.Random(seed)
    lines = [
        choose.choice(KINDS).format(n=choose.randrange(10**6), q=choose.choice(['"a b"', "'c'", "`d e`"]))
        for _ in range(choose.randint(400, 3_000))
    ]
    found = read("\n".join(lines))
    kept = [(number, line) for number, line in enumerate(lines, 1) if line]
    assert [(row["line"], row["text"]) for row in found.rows()] == kept
    kinds = Counter(found.column("kind"))
    assert kinds.keys() == {"[#/#] Building *", "warning: * is deprecated since #.#", "at #", "done"}
    assert kinds["done"] == lines.count("done")
    blank = len("\n".join(lines).splitlines()) - len(kept)
    assert found.words.what == f"{len(kept):,} lines of text of 4 kinds and {blank:,} blank ones"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("commit 1a2b3c4d5e of 12.5 s", "commit # of #.# s"),
        ("in f0 at faded facade", "in f# at faded facade"),
        ("it's one 'a\\tb' two", "it*a\\tb' two"),
        ("", ""),
    ],
)
def test_numbers_and_quoted_parts_are_left_out_of_a_kind(line: str, kind: str) -> None:
    assert kind_of(line) == kind


WORDS = [f"{a}{b}{c}" for a in "abcdefgh" for b in "aeiou" for c in "klmnprst"]
OTHERS = {
    "few": "step 1\nstep\ngo\n" * 16,
    "two kinds": "step 1\nstep\n" * 90,
    "prose": "\n".join(" ".join(random.Random(n).choices(WORDS, k=9)) for n in range(500)),
    "blank": "\n" * 900,
    "where no sample is": "\n".join(
        WORDS[n % 300] if n // 1_000 in (1, 3, 5) and 60 < n % 1_000 < 940 else ["dot", "do", "go"][n % 3]
        for n in range(9_000)
    ),
    "too many kinds": "\n".join(
        [
            *["step 1", "step", "go"] * 200,
            *(w * (1 + n) for n in range(MAX_KINDS // 300 + 1) for w in WORDS),
            *["step 1", "step", "go"] * 30_000,
        ]
    ),
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS.keys())
def test_other_texts_are_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


def test_long_and_odd_lines_do_no_harm() -> None:
    steps = [f"{'abc'[n % 3]} {n}" for n in range(900)]
    for line in ("9" * 1_000_000, "'" * 500_001, "\x00\x1b", "\ud800", "a1" * 400_000):
        read_as(FORM, "\n".join([*steps, line, "", *steps]))
    blank = read("\n".join([*steps, *[""] * 3_000, "a 900"]))
    assert blank.column("line")[-1] == 3_901
