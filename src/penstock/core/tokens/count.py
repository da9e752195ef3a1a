"""Count the tokens that a text costs, with a bound that budgets can be kept against.

Without extras a text is counted by *byte classes*: every UTF-8 byte belongs to a class (lower, digit, sign,
lead byte of a script, ...), and the numbers of classes and of neighbouring pairs feed one linear model per
profile, which never gives less than the pieces that tokenizers cut a text into before they look into their
vocabulary. ``bytes.translate`` and ``bytes.count`` do the work, so it runs at C speed on the standard library.
``scripts/fit_tokens.py`` fits the weights and prints how good they are on sources held out.

With the ``exact`` extra the OpenAI profiles are counted by their real vocabulary. Either way a large text is
sampled in evenly spread windows. ``Count.upper`` is the figure for budgets: the estimate, plus the doubt that
the text's composition deserves, plus three standard errors of the sampling, and never above one token a byte.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import import_module
from math import ceil, hypot, sqrt
from operator import mul
from typing import TYPE_CHECKING

from penstock.core.json.buffer import pieces
from penstock.core.tokens.byte_classes import PIECES, byte_classes, spelling_classes
from penstock.core.tokens.profiles import PROFILES
from penstock.core.tokens.weights import DOUBTS, GRAINS, SPELLINGS, WEIGHTS
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.core.json.buffer import Bytes

# The vocabulary behind an OpenAI profile, by the name the exact counter knows it under.
_VOCABULARIES = {"o200k": "o200k_base", "cl100k": "cl100k_base"}

# Beyond this a text is sampled.
WHOLE_LIMIT = 65_536
# Many narrow windows tell more than few wide ones of the same total: neighbours resemble each other.
_WINDOWS = 128
_WINDOW = 512
# Windows are weighed some at a time, each with others from far away: what they have in common is counted at once, and
# how much the groups differ tells as much of the error as how much the windows do.
_GROUPS = 32
_KNOWN = 256  # groups whose classes are remembered, of the results that are being decided on
_KNOWN_BYTES = 4 * (_WINDOW + 3) * _WINDOWS // _GROUPS  # the longest group, if all its characters are wide
# The exact counter sees a cut word at each end of a window, so it gets fewer ends.
_EXACT_WINDOWS = 64
# The windows are moved by the fractional parts of n * n times the golden ratio. Equal steps, and steps of n times
# the ratio too, fell into step with the period of repetitive data and were off by up to ten standard errors.
_GOLDEN = 0.618_033_988_749_895

_CONTROLS = {code: b"\\u%04x" % code for code in range(0x20)}
_SHORT = {0x08: b"\\b", 0x09: b"\\t", 0x0A: b"\\n", 0x0C: b"\\f", 0x0D: b"\\r", 0x22: b'\\"'}
# The backslash goes first, or it would escape the escapes.
_ESCAPES = tuple((bytes((code,)), escape) for code, escape in ({0x5C: b"\\\\"} | _CONTROLS | _SHORT).items())
_ESCAPED = (b'"', b"\n", b"\\", b"\t")
# What one more escape of each of these adds to the cost of a text, measured by counting the labelled windows plain and
# escaped; what is left over was within 2 % of the text on average, so a fifth of the escapes' cost is enough doubt.
_ESCAPE_COSTS = {
    "claude": (1.04, 1.35, 0.65, 1.1),
    "claude-4.6": (0.48, 0.85, 0.53, 1.22),
    "o200k": (0.13, 1.07, 0.1, 0.1),
    "cl100k": (0.15, 1.02, 0.1, 0.1),
}
_ESCAPE_DOUBT = 0.2
_RARE_CONTROLS = bytes(set(range(0x20)) - set(b"\n\t"))
_LONG_ESCAPE_COST = 5.0  # tokens of an escape with six characters, none of which is a word
_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")  # half of a pair, as ``surrogatepass`` writes it
_SHORT_ESCAPED = bytes((0x5C, *_SHORT))
_LONG_ESCAPED = bytes(set(_CONTROLS) - set(_SHORT))
_TO_ESCAPE = b"".join(byte for byte, _ in _ESCAPES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """The likely number of tokens, a bound for budgets, and how they were found.

    ``method`` is ``bytes`` (nothing to weigh), ``classes``, ``sampled``, ``exact`` or ``exact-sampled``.
    """

    tokens: int
    upper: int
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counter:
    """One way of counting: ``weigh`` gives the tokens of some UTF-8 and the doubt about them.

    ``opening`` is what the beginning of a whole text adds, which no window has: the first word or number has
    nothing before it that would make it countable as a pair. ``grain`` is the doubt that is in every text and
    wanes with its size: a short text is a small sample of what its bytes usually cost.
    """

    weigh: Callable[[bytes], tuple[float, float]]
    opening: float
    grain: float
    windows: int
    groups: int
    whole: str
    sampled: str
    escapes: tuple[tuple[bytes, float], ...] = ()


def count(text: str | Bytes, profile: str = "claude", *, exact: bool = True) -> Count:
    """Count ``text`` as ``profile`` would. Any string and any bytes are counted, valid UTF-8 or not.

    The real vocabulary is used where it is installed; ``exact=False`` does without it.
    """
    counter = _counter(profile, exact)
    if len(text) <= WHOLE_LIMIT:
        data = _utf8(text if isinstance(text, str) else text[:])
        return _whole(data, counter, len(data))
    counted = _sampled(text, counter, _utf8)
    # A character is at least a byte, so the bytes need adding up only when the bound is near them.
    return counted if counted.upper <= len(text) else _capped(counted, _utf8_size(text))


def count_json_string(
    text: str | Bytes, profile: str = "claude", *, exact: bool = True, is_part: bool = False
) -> Count:
    """Count ``text`` as it is written inside a JSON string, the quotes around it left out.

    That is what leaves on the wire. Of a large text only the windows looked at are escaped. The bound of a text that
    ``is_part`` of a longer one may be above its bytes: only then is the sum of such bounds a bound of the whole.
    """
    counter = _escaping_counter(profile, exact)
    form = _utf8 if counter.escapes else escaped
    if len(text) > WHOLE_LIMIT:
        return _sampled(text, counter, form)
    data = form(text if isinstance(text, str) else text[:])
    if is_part and data:
        return _weighed(data, counter)
    return _whole(data, counter, wire_size(data) if counter.escapes else len(data))


def count_both(text: Bytes, profile: str = "claude") -> tuple[Count, Count]:
    """Count ``text`` as it is, and as it is written inside a JSON string, in one look at a large one."""
    counter = _escaping_counter(profile, True)
    if len(text) <= WHOLE_LIMIT or not counter.escapes:
        return count(text, profile), count_json_string(text, profile)
    plain = _counter(profile, True)
    bare: list[tuple[int, float, float]] = []
    more: list[tuple[int, float, float]] = []
    for group in _groups(text, counter):
        data = b"".join(map(_utf8, group))
        tokens, doubt = plain.weigh(data)
        extra = _escapes(data, counter)
        bare.append((len(data), tokens, doubt))
        more.append((len(data), tokens + extra, doubt + _ESCAPE_DOUBT * extra))
    return _capped(_scaled(bare, len(text), counter), len(text)), _scaled(more, len(text), counter)


def wire_size(data: Bytes) -> int:
    """Return how many bytes these take inside a JSON string."""
    if not isinstance(data, bytes):
        return sum(wire_size(piece) for piece in pieces(data))
    short = len(data) - len(data.translate(None, _SHORT_ESCAPED))
    long = len(data) - len(data.translate(None, _LONG_ESCAPED))
    return len(data) + short + 5 * long + 3 * _surrogates(data)


def _surrogates(data: bytes) -> int:
    """Return how many lone surrogates a text has. Each takes three bytes, and an escape of six in JSON."""
    return len(_SURROGATE.findall(data)) if b"\xed" in data else 0


def fits(text: str | bytes, tokens: int, profile: str = "claude") -> bool:
    """Return True if the upper bound of ``text`` is within ``tokens``.

    No document was ever seen to cost more than one token a byte: when even its bytes are no more than the
    budget, a text fits without being looked at.
    """
    _checked(profile)
    most = len(text) if isinstance(text, bytes) or text.isascii() else 4 * len(text)
    return most <= tokens or count(text, profile).upper <= tokens


def escaped(text: str | bytes) -> bytes:
    """Give ``text`` in UTF-8 as a JSON string holds it: quotes, backslashes and controls escaped.

    Other bytes that are not UTF-8 stay as they are; a lone surrogate becomes its ``\\udXXX`` escape.
    """
    data = _utf8(text)
    if len(data.translate(None, _TO_ESCAPE)) != len(data):
        for byte, escape in _ESCAPES:
            data = data.replace(byte, escape)
    return _SURROGATE.sub(_surrogate_escape, data) if b"\xed" in data else data


def _surrogate_escape(surrogate: re.Match[bytes]) -> bytes:
    return surrogate[0].decode("utf-8", "surrogatepass").encode("ascii", "backslashreplace")


def _utf8(text: str | bytes) -> bytes:
    if isinstance(text, bytes):
        return text
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _utf8_size(text: str | Bytes) -> int:
    """Add up the bytes of a long text piece by piece, so that it is never in memory twice."""
    return sum(len(_utf8(text[at : at + WHOLE_LIMIT])) for at in range(0, len(text), WHOLE_LIMIT))


def _whole(data: bytes, counter: _Counter, size: int) -> Count:
    if size <= 1:
        return Count(tokens=size, upper=size, method="bytes")
    return _capped(_weighed(data, counter), size)


def _weighed(data: bytes, counter: _Counter) -> Count:
    tokens, doubt = counter.weigh(data)
    tokens += counter.opening
    return _rounded(tokens, doubt + counter.grain * sqrt(tokens), counter.whole)


def _with_escapes(counter: _Counter) -> Callable[[bytes], tuple[float, float]]:
    """Count a text and add what its escapes cost, each by its kind.

    The classes know a backslash as a rare sign and would charge an escaped quote far too much.
    """

    def weigh(data: bytes) -> tuple[float, float]:
        tokens, doubt = counter.weigh(data)
        escapes = _escapes(data, counter)
        return tokens + escapes, doubt + _ESCAPE_DOUBT * escapes

    return weigh


def _escapes(data: bytes, counter: _Counter) -> float:
    """Return what the escapes of a text cost in a JSON string."""
    rare = len(data) - len(data.translate(None, _RARE_CONTROLS)) + _surrogates(data)
    return sum(cost * data.count(byte) for byte, cost in counter.escapes) + _LONG_ESCAPE_COST * rare


def _sampled(text: str | Bytes, counter: _Counter, form: Callable[[str | bytes], bytes]) -> Count:
    """Count windows spread over ``text`` and scale up, in the text's own unit: characters or bytes.

    Every position is then equally likely to be looked at, so the estimate leans neither way. Its standard
    error comes from how much the windows differ, and three of them go into the bound.
    """
    groups = _groups(text, counter)
    seen = [(sum(map(len, group)), *counter.weigh(b"".join(map(form, group)))) for group in groups]
    return _scaled(seen, len(text), counter)


def _scaled(seen: list[tuple[int, float, float]], length: int, counter: _Counter) -> Count:
    """Return the tokens of a text of some length, from its windows: the length, the tokens and the doubt of each."""
    size = sum(part for part, _, _ in seen)
    rate = sum(tokens for _, tokens, _ in seen) / size
    doubt = sum(doubt for _, _, doubt in seen) / size * length
    # What is added is for the word cut at the ends of each window: where all are alike it is all the doubt there is.
    scatter = sum((tokens - rate * part) ** 2 for part, tokens, _ in seen) + counter.windows
    unseen = 1 - size / length
    error = sqrt(scatter * unseen * len(seen) / (len(seen) - 1)) * length / size
    return _rounded(rate * length, hypot(doubt, 3 * error), counter.sampled)


def _groups(text: str | Bytes, counter: _Counter) -> list[list[str | bytes]]:
    """Return the windows of a text, some that are far from each other together."""
    windows = list(_windows(text, counter.windows))
    return [windows[at :: counter.groups] for at in range(counter.groups)]


def _windows(text: str | Bytes, number: int) -> Iterator[str | bytes]:
    """Cut one window out of each of ``number`` equal stretches, at a place that varies but is always the same."""
    stretch = len(text) / number
    for index in range(number):
        start = int(index * stretch + (index * index * _GOLDEN) % 1 * (stretch - _WINDOW))
        yield text[_boundary(text, start) : _boundary(text, start + _WINDOW)]


def _boundary(text: str | Bytes, at: int) -> int:
    """Return the first place from ``at`` where a character begins; at most three bytes on, or it is no UTF-8."""
    if not isinstance(text, str):
        for place in range(at, min(at + 4, len(text))):
            if text[place] & 0xC0 != 0x80:
                return place
    return at


def _rounded(tokens: float, doubt: float, method: str) -> Count:
    likely = max(1, round(tokens))
    return Count(tokens=likely, upper=max(likely, ceil(tokens + doubt)), method=method)


def _capped(counted: Count, size: int) -> Count:
    """Limit a count: nothing costs more than a token a byte."""
    if counted.upper <= size:
        return counted
    return Count(tokens=min(counted.tokens, size), upper=size, method=counted.method)


def _checked(profile: str) -> str:
    if profile not in PROFILES:
        from difflib import get_close_matches  # noqa: PLC0415  (only a mistake needs it, and it is slow to import)

        near = get_close_matches(str(profile), PROFILES, n=1, cutoff=0)
        raise CallerError(
            f"there is no profile {profile!r}",
            do=f"use one of {', '.join(PROFILES)}; the nearest is {near[0]}",
        )
    return profile


def _counter(profile: str, exact: bool) -> _Counter:
    if _checked(profile) in _VOCABULARIES and exact:
        return _exact_counter(profile) or _class_counter(profile)
    return _class_counter(profile)


@cache
def _escaping_counter(profile: str, exact: bool) -> _Counter:
    """Return a counter for what is inside a JSON string; one that weighs escapes itself is given the text without
    them."""
    counter = _counter(profile, exact)
    return replace(counter, weigh=_with_escapes(counter)) if counter.escapes else counter


@cache
def _class_counter(profile: str) -> _Counter:
    weights, doubts, spelling = WEIGHTS[profile], DOUBTS[profile], SPELLINGS.get(profile)

    def weigh(data: bytes) -> tuple[float, float]:
        classes = _known_classes(data) if len(data) <= _KNOWN_BYTES else byte_classes(data)
        tokens = sum(map(mul, classes, weights))
        if spelling:
            tokens += sum(map(mul, spelling_classes(data), spelling))
        return max(classes[PIECES], tokens), sum(map(mul, classes, doubts))

    return _Counter(
        weigh=weigh,
        opening=0.5,
        grain=GRAINS[profile],
        windows=_WINDOWS,
        groups=_GROUPS,
        whole="classes",
        sampled="sampled",
        escapes=tuple(zip(_ESCAPED, _ESCAPE_COSTS[profile], strict=True)),
    )


# A result is counted as it is read, as it is written, and once more to see what it costs to ask for less of it: each
# time in the same windows. Hashing one takes a hundredth of the time of counting it.
_known_classes = lru_cache(maxsize=_KNOWN)(byte_classes)


@cache
def _exact_counter(profile: str) -> _Counter | None:
    """Return the real vocabulary of an OpenAI profile, or nothing without the ``exact`` extra.

    It is imported at the first use, because most processes never count for OpenAI.
    """
    try:
        tokenizer = import_module("splintr").Tokenizer.from_pretrained(_VOCABULARIES[profile])
    except ImportError:
        return None

    def weigh(data: bytes) -> tuple[float, float]:
        # Ordinary: the name of a special token inside a result is text like any other.
        return len(tokenizer.encode_ordinary(data.decode("utf-8", "replace"))), 0.0

    return _Counter(
        weigh=weigh,
        opening=0.0,
        grain=0.0,
        windows=_EXACT_WINDOWS,
        groups=_EXACT_WINDOWS,
        whole="exact",
        sampled="exact-sampled",
    )
