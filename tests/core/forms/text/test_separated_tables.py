"""Tables that the csv module writes, with headers of every style, come back with their rows, names and sums."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from tests.kit.forms.facts import column_of, main_of, names_of, reading_of

if TYPE_CHECKING:
    from collections.abc import Callable

# Values are no names: words in capitals, with everything that a writer has to quote.
words = st.text(st.sampled_from('AB," \n'), max_size=6).map(lambda text: f"V{text}W")
whole = st.integers(-(10**6), 10**6).map(lambda number: number + 10_000 if 1_500 <= number < 2_100 else number)
quarters = whole.map(lambda number: number / 4)
COLUMNS = {"whole": whole, "quarters": quarters, "words": words, "kinds": st.sampled_from(["RED", "GREEN"])}


@dataclass(frozen=True)
class Style:
    """A way to write a header: its cells for so many columns, and the names that a reader should get."""

    header: Callable[[int], list[str] | None]
    names: Callable[[int], list[str]]


def numbered(width: int) -> list[str]:
    return [f"c{at}" for at in range(1, width + 1)]


def named(width: int) -> list[str]:
    return [f"name_{'abcdefgh'[at]}" for at in range(width)]


def years(width: int) -> list[str]:
    return [str(2_001 + at) for at in range(width)]


STYLES = {
    "none": Style(lambda width: None, numbered),
    "names": Style(named, named),
    "words": Style(
        lambda width: [f"The {name} of it" for name in named(width)], lambda w: [f"The {n} of it" for n in named(w)]
    ),
    "index": Style(lambda width: ["", *named(width)[1:]], lambda width: ["c1", *named(width)[1:]]),
    "years": Style(years, years),
    "equal": Style(lambda width: ["x"] * width, lambda width: ["x", *(f"x_{at}" for at in range(2, width + 1))]),
    "open end": Style(lambda width: [*named(width)[1:], ""], lambda width: [*named(width)[1:], f"c{width}"]),
    "lines": Style(
        lambda width: [f"{name}\nof it" for name in named(width)], lambda w: [f"{n} of it" for n in named(w)]
    ),
    "shares": Style(
        lambda width: [f"{at * 5}%" for at in range(width)], lambda width: [f"{at * 5}%" for at in range(width)]
    ),
}


@st.composite
def tables(draw: st.DrawFn) -> tuple[Style, list[str], list[list[Any]]]:
    """A style, the kinds of columns, of which at least one has numbers, and rows."""
    style = STYLES[draw(st.sampled_from(sorted(STYLES)))]
    kinds = [
        "whole",
        draw(st.sampled_from(["whole", "quarters"])),
        *draw(st.lists(st.sampled_from(sorted(COLUMNS)), max_size=4)),
    ]
    rows = draw(st.lists(st.tuples(*(COLUMNS[kind] for kind in kinds)), min_size=4, max_size=40))
    return style, kinds, [list(row) for row in rows]


@given(tables(), st.sampled_from(",;\t"), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
def test_written_table_comes_back_with_its_rows_names_and_sums(
    table: tuple[Style, list[str], list[list[Any]]], delimiter: str, quoting: Any
) -> None:
    style, kinds, rows = table
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=quoting)
    header = style.header(len(kinds))
    writer.writerows([*([header] if header else []), *rows])
    main = main_of(reading_of(text.getvalue()))
    assert main.count == len(rows)
    assert names_of(main) == style.names(len(kinds))
    for at, (name, kind) in enumerate(zip(names_of(main), kinds, strict=True)):
        column = column_of(main, name)
        values = [row[at] for row in rows]
        if kind in ("whole", "quarters"):
            assert column.total == sum(values)
            assert column.filled == len(rows)
        else:
            assert column.bulk == sum(map(len, values))
