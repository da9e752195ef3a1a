"""Spans of two texts that differ: between them all bytes are the same, and each is whole parts."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from penstock.core.changes.spans import DifferingSpan, common_end, common_start, differing_spans

PARTS = st.lists(
    st.sampled_from([b"\na", b"\nbb", b"\n", b"\nlong enough to be no other part of this text"]), max_size=9
)
TEXTS = st.tuples(st.sampled_from([b"", b"x", b"first"]), PARTS).map(lambda one: one[0] + b"".join(one[1]))


def patched(old: bytes, new: bytes, spans: list[DifferingSpan]) -> bytes:
    made, at = b"", 0
    for one in spans:
        made += old[at : one.start]
        assert len(made) == one.new_start
        made += new[one.new_start : one.new_stop]
        at = one.stop
    return made + old[at:]


def is_begin(text: bytes, at: int) -> bool:
    return at in (0, len(text)) or text[at : at + 1] == b"\n"


@given(TEXTS, TEXTS)
def test_spans_turn_one_text_into_the_other(old: bytes, new: bytes) -> None:
    spans = differing_spans(old, new, b"\n")
    assert spans is not None
    assert patched(old, new, spans) == new
    assert (spans == []) is (old == new)
    assert all(one.start < one.stop or one.new_start < one.new_stop for one in spans)
    assert all(is_begin(old, at) for one in spans for at in (one.start, one.stop))
    assert all(is_begin(new, at) for one in spans for at in (one.new_start, one.new_stop))


BYTES = st.binary(max_size=12).flatmap(lambda one: st.integers(1, 90).map(lambda times: one * times))


@given(BYTES, BYTES, BYTES)
@example(b"", b"", b"x" * 700)
def test_common_bytes_are_counted(same: bytes, one: bytes, other: bytes) -> None:
    def common(first: bytes, second: bytes) -> int:
        return next(
            (at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(map(len, (first, second)))
        )

    old, new = same + one, same + other
    assert common_start(old, new) == common(old, new)
    assert common_start(b"?" + old, b"??" + new, 1, 2) == common(old, new)
    old, new = one + same, other + same
    expected = common(old[::-1], new[::-1])
    assert common_end(old, new, min(len(old), len(new))) == expected
    assert common_end(old, new, expected // 2) == expected // 2


LINES = [b"\n%d is a line of its own" % number for number in range(4_000)]
TEXT = b"".join(LINES)


def changed(every: int) -> bytes:
    return b"".join(b"\nx" if at % every == 1 else line for at, line in enumerate(LINES))


def test_a_few_spans_are_found_and_many_are_not() -> None:
    assert len(differing_spans(TEXT, changed(400), b"\n") or ()) == 10
    assert differing_spans(TEXT, changed(3), b"\n") is None
    assert len(differing_spans(TEXT, changed(3), b"\n", work=0) or ()) == 1_333


def test_a_part_that_moved_far_away_is_found_there() -> None:
    block = b"".join(LINES[100:1_900])
    moved = b"".join([*LINES[:100], *LINES[1_900:3_000], block, *LINES[3_000:]])
    spans = differing_spans(TEXT, moved, b"\n")
    assert spans is not None
    assert patched(TEXT, moved, spans) == moved
    assert sum(one.stop - one.start for one in spans) <= len(block)


def test_texts_that_have_nothing_in_common_are_given_up_before_all_is_looked_through() -> None:
    other = TEXT.replace(b"is", b"was")
    assert differing_spans(TEXT, other, b"\n", work=0) is None
    assert differing_spans(TEXT * 60, other * 60, b"\n", work=0) is None


def test_what_is_near_the_end_of_one_text_is_the_last_span() -> None:
    other = TEXT.replace(b"is", b"was")
    assert differing_spans(TEXT + b"\nend", TEXT + other, b"\n") == [
        DifferingSpan(len(TEXT), len(TEXT) + 4, len(TEXT), len(TEXT) * 2 + 4_000)
    ]
    one = b"\n" + b"x" * 9_000
    assert differing_spans(TEXT + one, TEXT + other, b"\n") == [
        DifferingSpan(len(TEXT), len(TEXT) + len(one), len(TEXT), len(TEXT) + len(other))
    ]


def test_a_block_of_parts_that_changed_is_one_span() -> None:
    for size in (2, 4, 7, 12):
        new = b"".join(
            [*LINES[:50], *(line.replace(b"is", b"was") for line in LINES[50 : 50 + size]), *LINES[50 + size :]]
        )
        spans = differing_spans(TEXT, new + b"\nend", b"\n")
        assert spans is not None
        assert [TEXT.count(b"\n", one.start, one.stop) for one in spans] == [size, 0]


def test_an_end_that_has_nothing_in_common_is_given_up() -> None:
    assert differing_spans(TEXT * 9 + changed(1), TEXT * 9 + TEXT.replace(b"is", b"was"), b"\n") is None


def test_bytes_that_close_both_texts_belong_to_no_part() -> None:
    assert differing_spans(b"a\n\n", b"a\n", b"\n", closed=1) == [DifferingSpan(1, 2, 1, 1)]


def test_a_long_part_that_differs_behind_its_first_bytes_belongs_to_the_span_before_it() -> None:
    long = b"\n" + b"x" * 5_000
    old, new = (TEXT + b"\n%d" % at + long + b"%d" % at + TEXT + b"\n%d" % at for at in (1, 2))
    first = len(TEXT) + 2 + len(long) + 1
    assert differing_spans(old, new, b"\n") == [
        DifferingSpan(len(TEXT), first, len(TEXT), first),
        DifferingSpan(len(old) - 2, len(old), len(old) - 2, len(old)),
    ]


def test_a_part_that_is_nowhere_in_the_other_text_is_given_up_when_all_was_looked_through() -> None:
    long = b"\n" + b"x" * 5_000
    old, new = (TEXT + b"\n%d" % at + long + b"%d" % at + TEXT for at in (1, 2))
    assert differing_spans(old, new, b"\n") is None


def test_spans_with_more_bytes_than_may_differ_are_given_up() -> None:
    size = sum(one.stop - one.start for one in differing_spans(TEXT, TEXT.replace(b"7 is", b"7 IS"), b"\n", 0) or ())
    assert differing_spans(TEXT, TEXT.replace(b"7 is", b"7 IS"), b"\n", 0, most=size) is not None
    assert differing_spans(TEXT, TEXT.replace(b"7 is", b"7 IS"), b"\n", 0, most=size - 1) is None
