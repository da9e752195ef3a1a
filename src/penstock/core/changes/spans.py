"""Find where two texts differ by comparing blocks of their bytes: the work grows with what differs, not with the lines.

A text consists of parts, each of which begins with a mark: lines with their newline before them, or pieces of JSON with
a bracket. Spans of parts that differ are found one after the other; behind each the texts go on alike with the next
part, or with one that is looked for. Where so much differs that each part would have to be looked at, it is given up,
by counted work and never by time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Places = tuple[int, int]

BLOCK: Final = 64  # bytes that are compared first, then four times as many each time
SMALL: Final = 128  # bytes among which the first that differs is looked for as in one number
PROOF: Final = 32  # bytes, and a whole part, that have to be the same for the texts to go on alike
NEAR: Final = 4_096  # bytes behind a difference that are looked through first
# How far parts are looked for, which of the parts ahead, and how many bytes of each: far away, few bytes that are the
# same may be others that look alike.
REACHES: Final = (
    (NEAR, (0, 1, 2, 3, 5, 9, 17, 33), PROOF),
    (16 * NEAR, (0, 1, 3), 200),
    (128 * NEAR, (0, 1, 3), 200),
    (1_024 * NEAR, (0, 1, 3), 200),
)
FREE: Final = 65_536  # bytes that may stand in spans in any case, whatever share of a text they are
FREE_SPANS: Final = 24  # spans whose work is done in any case; else as many bytes as the texts have up to there
SPAN_WORK: Final = 3_600  # bytes for each span, and twice as many for a search: a text is admitted in a time in which
# so many spans add a fifth to it


class DifferingSpan(NamedTuple):
    """Bytes of the old text, and the bytes of the new one that stand in their place."""

    start: int
    stop: int
    new_start: int
    new_stop: int


def common_start(old: bytes, new: bytes, at: int = 0, other: int = 0) -> int:
    """Return how many bytes are the same from two places on."""
    here, ahead, size = at, other - at, BLOCK
    while new.startswith(old[here : here + size], here + ahead):
        here += size
        if here >= len(old):
            return len(old) - at
        size *= 4
    while size > SMALL:
        size //= 2
        if new.startswith(old[here : here + size], here + ahead):
            here += size
    was, now = old[here : here + size], new[here + ahead : here + ahead + size]
    size = min(len(was), len(now))
    others = int.from_bytes(was[:size], "little") ^ int.from_bytes(now[:size], "little")
    return here - at + (((others & -others).bit_length() - 1) // 8 if others else size)


def common_end(old: bytes, new: bytes, most: int) -> int:
    """Return how many bytes are the same at the end, at most so many."""
    same, size = 0, BLOCK
    while same < most:
        size = min(size, most - same)
        behind = len(old) - same
        if new.endswith(old[behind - size : behind], 0, len(new) - same):
            same += size
            size *= 4
        elif size == 1:
            break
        else:
            most, size = same + size, size // 2
    return same


def differing_spans(
    old: bytes, new: bytes, mark: bytes, work: int = SPAN_WORK, *, closed: int = 0, most: int | None = None
) -> list[DifferingSpan] | None:
    """Return the spans in order, each of whole parts; between them all bytes are the same. None where too much
    differs: spans stand nearer together than so many bytes of ``work``, or have more than ``most`` bytes of both texts.
    ``mark`` is what parts begin with; ``closed`` is how many bytes at the end, the same in both, belong to none."""
    return _Walk(old, new, mark, work, closed).spans(most)


class _Walk:
    """One walk through two texts, without the whole parts that are the same at their ends. Places are pairs: one in the
    old text, one in the new one."""

    def __init__(self, old: bytes, new: bytes, mark: bytes, work: int, closed: int) -> None:
        self._texts = old, new
        self._mark = mark
        self._stops = len(old) - closed, len(new) - closed
        self._first = self._whole_parts((0, 0))
        same = common_end(old, new, min(len(old), len(new)) - self._first)
        if (tail := old.find(mark, len(old) - same)) >= 0:
            self._stops = tail, len(new) - (len(old) - tail)
        self._span_work = work
        self._work = 0
        self._far = max(len(old), len(new))  # bytes that may be looked through for parts that are not near

    def spans(self, most: int | None) -> list[DifferingSpan] | None:
        spans: list[DifferingSpan] = []
        at = self._first, self._first
        size = 0
        while at != self._stops:
            behind = self._behind(at)
            self._work += self._span_work
            if behind is None or self._work > FREE_SPANS * self._span_work + at[0]:
                return None
            size += min(behind[0] - at[0], behind[1] - at[1])
            if most is not None and size > most:
                return None
            if spans and (spans[-1].stop, spans[-1].new_stop) == at:
                at = spans[-1].start, spans.pop().new_start
            spans.append(DifferingSpan(at[0], behind[0], at[1], behind[1]))
            same = self._whole_parts(behind)
            at = behind[0] + same, behind[1] + same
        return spans

    def _whole_parts(self, at: Places) -> int:
        """Return how many bytes of whole parts are the same from two places on."""
        (old, new), stops, mark = self._texts, self._stops, self._mark
        same = min(common_start(old, new, *at), stops[0] - at[0], stops[1] - at[1])
        first, second = at[0] + same, at[1] + same
        if first == stops[0] and (second == stops[1] or new.startswith(mark, second)):
            return same
        if second == stops[1] and old.startswith(mark, first):
            return same
        return max(old.rfind(mark, at[0], first) - at[0], 0)

    def _next(self, side: int, at: int) -> int:
        behind = self._texts[side].find(self._mark, at + 1, self._stops[side])
        return self._stops[side] if behind < 0 else behind

    def _behind(self, at: Places) -> Places | None:
        """Return where both texts go on alike behind two places where they differ; None where that is not found."""
        if at[0] == self._stops[0] or at[1] == self._stops[1]:
            return self._stops
        behind = self._next(0, at[0]), self._next(1, at[1])
        for one in (behind, (at[0], behind[1]), (behind[0], at[1])):
            if self._go_on(one):
                return one
        return self._search(at)

    def _go_on(self, at: Places) -> bool:
        if at[0] == self._stops[0] or at[1] == self._stops[1]:
            return at == self._stops
        is_alike = self._texts[1].startswith(self._proof(0, at[0], PROOF), at[1])
        return is_alike and (self._next(0, at[0]) < self._stops[0] or self._whole_parts(at) > 0)

    def _proof(self, side: int, at: int, size: int) -> bytes:
        """Return the bytes that have to be in the other text for it to go on alike: a whole part, and so many."""
        return self._texts[side][at : min(max(self._next(side, at) + 1, at + size), at + NEAR)]

    def _search(self, at: Places) -> Places | None:
        """Return the first part ahead in one text that the other one has as well: nearby, else farther and farther, as
        long as not too much was looked through. The end of both, where one of them is near its end."""
        self._work += 2 * self._span_work
        for reach, ahead, size in REACHES:
            stops = min(self._stops[0], at[0] + reach), min(self._stops[1], at[1] + reach)
            for behind in self._matches(at, stops, ahead, size):
                self._far -= max(stops[0] - at[0], stops[1] - at[1]) if reach > NEAR else 0
                if behind is not None:
                    return behind
                if self._far < 0:
                    return None
            if reach == NEAR and any(self._is_last(side, at[side]) for side in (0, 1)):
                return self._stops
        return None

    def _is_last(self, side: int, at: int) -> bool:
        """Tell whether no part of a text follows, or little of it."""
        return self._stops[side] - at <= NEAR or self._next(side, at) == self._stops[side]

    def _matches(self, at: Places, stops: Places, ahead: Sequence[int], size: int) -> Iterator[Places | None]:
        """Look for parts of either text in the other one. Yield for each where both go on alike, or None."""
        here = list(at)
        for number in range(ahead[-1] + 1):
            for side, other in ((0, 1), (1, 0)):
                if number in ahead and here[side] < stops[side]:
                    proof = self._proof(side, here[side], size)
                    place = self._texts[other].find(proof, at[other], stops[other] + len(proof))
                    behind = (place, here[1]) if side else (here[0], place)
                    is_match = 0 <= place < stops[other] and behind != at and self._whole_parts(behind) > 0
                    yield self._back(at, behind) if is_match else None
                here[side] = self._next(side, here[side])

    def _back(self, at: Places, behind: Places) -> Places:
        """Go back to the first part from which on both texts are alike."""
        old, new = self._texts
        while True:
            before = old.rfind(self._mark, at[0], behind[0]), new.rfind(self._mark, at[1], behind[1])
            if min(before) < 0 or old[before[0] : behind[0]] != new[before[1] : behind[1]]:
                return behind
            behind = before
