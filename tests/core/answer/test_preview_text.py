"""What a preview shows is told as people count."""

from __future__ import annotations

from penstock.core.answer.preview_text import ShownRanges


def test_ranges_are_counted_from_one_and_in_their_unit() -> None:
    shown = ShownRanges(path=".rows", ranges=((0, 3), (411, 412)), total=1_412)
    assert shown.as_dict() == {"path": ".rows", "rows": "1-3, 412", "of": 1_412}
    assert shown.count == 4
    assert ShownRanges(unit="lines", total=9).as_dict() == {"lines": "none", "of": 9}
