"""The budget of one answer with all its limits, and the room for a part of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal, Self

from penstock.core.json.buffer import count_of
from penstock.core.reading.indicator import DEFAULT_DEPTH, Indicator
from penstock.core.tokens.count import count_json_string, wire_size
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.json.buffer import Bytes

NO_LIMIT: Final = 2**63
TOOL_NAME: Final = "fetch_cached_response"
MEDIA_TOKENS: Final = 1_600  # what one picture costs a model; clients never hand it over as the text that encodes it
ENVELOPE: Final = 64  # tokens of the JSON around the blocks of an answer; twice as many bytes
LEAST_BUDGET: Final = 250  # tokens; the shortest notice with a handle takes about half of that by its upper bound
LEAST_BYTES: Final = 512
LEAST_LINES: Final = 50  # the notice, a stub for each other block, and some lines to show
MAX_BYTES: Final = 5_242_880  # 5 MiB: the largest picture that a model's interface takes
MAX_TEXT_BYTES: Final = 1_000_000  # below the lowest limit that is known for an answer as a whole
BESIDE_BLOCK: Final = 4 * ENVELOPE  # tokens around a block that is given back, and of the line before it

DATA_ENVELOPE: Final = 128  # tokens of what stands around ``data`` in an answer of that style; thrice as many bytes
DATA_PAGE: Final = 51_200  # bytes of a page where the style is ``data`` and the call names no size: 50 KB
DATA_LEAST: Final = 2  # times the least budget that a notice of that style needs: it says more

Strategy = Literal["auto", "priority", "newest", "oldest"]
NoticeStyle = Literal["brief", "full", "data"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Tokens and bytes that a text may take on the wire, where it is written as a JSON string, and the lines it may
    have when it is read.

    The text and the texts that ``less`` has taken are counted as one, and nothing costs more than a token a byte.
    ``gap`` is what these other texts have more in bytes than in tokens.
    """

    tokens: int
    size: int = NO_LIMIT
    profile: str = "claude"
    lines: int = NO_LIMIT
    gap: int = 0

    def fits(self, text: str | bytes) -> bool:
        """Return True if the text fits by its upper bound, together with the texts that ``less`` has taken. If all
        their bytes are no more than the tokens allowed, nothing is counted."""
        if len(text) > self.size:  # no need to look at all of something huge
            return False
        if self.lines < NO_LIMIT and line_count(text) > self.lines:
            return False
        length = wire_length(text)
        return length <= self.size and (length <= self.tokens - self.gap or self._bound(text) <= self.tokens)

    def cost(self, text: str | bytes) -> int:
        """Return the tokens that the text is charged: its upper bound, JSON escaping included."""
        return count_json_string(text, self.profile).upper

    def load(self, text: str | bytes) -> float:
        """Return the part of the room that a text takes; above 1 it does not fit."""
        lines = line_count(text) / max(1, self.lines) if self.lines < NO_LIMIT else 0.0
        length = wire_length(text)
        tokens = self._bound(text) / max(1, self.tokens)
        if self.tokens > self.gap:
            tokens = min(tokens, length / (self.tokens - self.gap))
        return max(tokens, length / max(1, self.size), lines)

    def less(self, *texts: str | bytes) -> Self:
        """Return the room that is left when these texts have taken theirs."""
        length = sum(wire_length(text) for text in texts)
        tokens = max(0, self.tokens - sum(self._bound(text) for text in texts))
        gap = tokens - (self.tokens - self.gap - length)
        return replace(self, tokens=tokens, size=max(0, self.size - length), gap=gap)

    def _bound(self, text: str | bytes) -> int:
        return count_json_string(text, self.profile, is_part=True).upper

    def limited(self, *, tokens: int | None = None, size: int | None = None) -> Self:
        """Return the same room, but no larger than this."""
        return replace(
            self,
            tokens=self.tokens if tokens is None else min(self.tokens, tokens),
            size=self.size if size is None else min(self.size, size),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The limits of one answer, and how it is to be cut. The names are those of the settings.

    ``max_tokens`` is the largest result passed whole, ``preview_tokens`` and ``preview_bytes`` bound the stand-in,
    ``page_tokens`` a page. ``max_bytes`` is the client's own limit on a whole answer, ``max_text_bytes`` on all of it
    but pictures and sounds, ``max_lines`` on the lines of its text. ``max_block_bytes`` is the largest picture, sound
    or file that is given back when it is asked for, None where the client's limit is not known. With ``structured``
    the client knows the tool's output schema: every answer has ``structuredContent``, and a stand-in says everything
    twice. ``notice`` is the style of our answers. ``act_tool`` is the tool that fetches more of a page, where it may;
    ``mark`` goes into the ``_meta`` of a stand-in, where there is one. With ``is_share``, ``max_tokens`` is what the
    budget of the turn leaves for this answer.
    """

    max_tokens: int = 20_000
    preview_tokens: int = 2_000
    preview_bytes: int = 8_192
    page_tokens: int = 5_000
    max_bytes: int = MAX_BYTES
    max_text_bytes: int = MAX_TEXT_BYTES
    max_lines: int | None = None
    max_block_bytes: int | None = None
    max_depth: int = DEFAULT_DEPTH
    profile: str = "claude"
    strategy: Strategy = "auto"
    priority_field: str | None = None
    always_hold: bool = False
    never_hold: bool = False
    auto_truncate: bool = False
    max_suggestions: int = 2
    indicator: Indicator = field(default_factory=Indicator)
    fetch_tool: str = TOOL_NAME
    act_tool: str = ""
    structured: bool = False
    notice: NoticeStyle = "brief"
    mark: str = ""
    is_share: bool = False

    def __post_init__(self) -> None:
        copies = (2 if self.structured else 1) * (DATA_LEAST if self.notice == "data" else 1)
        least = dict.fromkeys(("max_tokens", "preview_tokens", "page_tokens"), LEAST_BUDGET * copies)
        least |= dict.fromkeys(("preview_bytes", "max_bytes", "max_text_bytes"), LEAST_BYTES * copies)
        for name, value in {**least, "max_lines": LEAST_LINES}.items():
            limit = getattr(self, name)
            if limit is not None and limit < value:
                raise CallerError(f"{name} is {limit}", do=f"give {value} or more: a notice needs that")

    def shared(self, tokens: int) -> Budget:
        """Return the budget with at most these tokens, but no less than a notice needs."""
        least = LEAST_BUDGET * (2 if self.structured else 1) * (DATA_LEAST if self.notice == "data" else 1)
        return self if tokens >= self.max_tokens else replace(self, max_tokens=max(least, tokens), is_share=True)

    @property
    def text_bytes(self) -> int:
        """Return the bytes of an answer without pictures and sounds."""
        return min(self.max_bytes, self.max_text_bytes)

    @property
    def lines(self) -> int:
        return NO_LIMIT if self.max_lines is None else self.max_lines

    @property
    def unread(self) -> int:
        """Return the bytes of a result up to which it fits whatever is in it: nothing has more tokens or lines than
        bytes."""
        return min(self.max_tokens, self.text_bytes, self.lines)

    @property
    def stand_in(self) -> Room:
        """Return the room for the notice and the preview together."""
        tokens = self.max_tokens if self.auto_truncate else min(self.preview_tokens, self.max_tokens)
        size = self.text_bytes if self.auto_truncate else min(self.preview_bytes, self.text_bytes)
        return Room(tokens=tokens, size=size, profile=self.profile, lines=self.lines)

    @property
    def whole(self) -> Room:
        """Return the room for the text of a whole answer, without the JSON around it and without a line that tells
        where it is."""
        around = DATA_ENVELOPE if self.notice == "data" else 0
        return Room(
            tokens=self.max_tokens - ENVELOPE - around,
            size=self.text_bytes - 2 * ENVELOPE - 3 * around,
            profile=self.profile,
            lines=self.lines - 1,
        )

    @property
    def page(self) -> Room:
        """Return the room for the text of a page."""
        return self.whole.limited(tokens=self.page_tokens)

    @property
    def items(self) -> Room:
        """Return the room for a page of items, when the call names no size."""
        return self.whole.limited(size=DATA_PAGE) if self.notice == "data" else self.page

    def gives_back(self, size: int, around: int = 0) -> bool:
        """Return True if a held picture, sound or file of this many bytes goes back as a block when it is asked for.
        ``around`` are the tokens of the other members of its block."""
        fits = self.max_block_bytes is None or size + LEAST_BYTES <= self.max_block_bytes
        return fits and self.max_tokens >= MEDIA_TOKENS + BESIDE_BLOCK + around


def largest(most: int, fits: Callable[[int], bool]) -> int:
    """Return the largest ``n`` up to ``most`` for which ``fits(n)`` was seen to hold; 0 is taken to fit.

    Halving the same interval for every budget makes the answer grow with the budget even where ``fits`` has small
    dents: whenever a smaller budget goes up, so does a larger one. That keeps a bigger budget from showing less.
    """
    if most <= 0 or fits(most):
        return max(0, most)
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low


def line_count(text: str | Bytes) -> int:
    return 1 + (text.count("\n") if isinstance(text, str) else count_of(text, b"\n"))


def wire_length(text: str | bytes) -> int:
    """Return the bytes of a text written inside a JSON string, quotes not counted; bytes are taken as UTF-8."""
    return wire_size(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
