"""The pattern that a caller searches for, made ready for RE2, which takes time in proportion to the text, always.

If RE2 is not installed (it has no wheels for Alpine and for Python 3.15), Python's ``re`` finds a plain text, which has
nothing to try twice. A worker, which can be stopped, runs a regular expression.

In JSON a text may be written in several ways: ``é`` or ``\\u00e9``, ``/`` or ``\\/``, ``<`` or ``\\u003c``. Plain texts
and regular expressions see the JSON with its strings decoded. Only regular expressions see the quotes around strings.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from penstock.core.text import shorten
from penstock.errors import CallerError
from penstock.query.check_text import check_text
from penstock.query.search.engine import re2
from penstock.query.search.worker_regexp import WorkerRegexp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.query.sandbox.sandbox import Sandbox
    from penstock.share import Share

LONGEST: Final = 2_000  # characters; a longer one is data, not a pattern
MEMORY: Final = 8_388_608  # bytes that RE2 may take for one pattern, of which it forgets the oldest parts when full
LARGEST: Final = 4_000  # steps of the compiled pattern: at worst each byte of the text costs as many
WORK: Final = 40_000_000  # steps times bytes of one call, at worst half a second: between calls the clock is read
LEAST_STRETCH, MOST_STRETCH = 8_192, 4_194_304  # bytes searched in one call
LINES: Final = "(?m)"  # ^ and $ are the beginning and the end of a line


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A compiled pattern, and how many bytes to search in one call.

    If ``in_json``, the pattern is for decoded JSON, and ``hide_syntax`` is that of ``decoded``. With ``word``, a match
    must be a whole word. ``literal`` is a text that is found without RE2.
    """

    regexp: re2._Regexp | re.Pattern[bytes] | WorkerRegexp
    stretch: int
    literal: bytes | None = None
    word: bool = False
    in_json: bool = False
    hide_syntax: bool = False

    def search(self, window: bytes, start: int) -> tuple[int, int] | None:
        """Return where the next match begins and ends; None if there is none."""
        if self.literal is None:
            match = self.regexp.search(window, start)
            return None if match is None else match.span()
        first = window.find(self.literal, start)
        return None if first < 0 else (first, first + len(self.literal))


@dataclass(frozen=True, slots=True, kw_only=True)
class RegexWorkers:
    """The processes that run regular expressions where RE2 is not installed, and whose turn it is to ask them."""

    sandbox: Callable[[], Sandbox]
    share: Share


@contextmanager
def compiled(
    text: str,
    *,
    in_json: bool,
    regex: bool = False,
    ignore_case: bool = False,
    word: bool = False,
    workers: RegexWorkers | None = None,
) -> Iterator[Pattern]:
    """Compile a pattern, and free it behind the block: RE2's module would keep the memory of the last 128."""
    if not text:
        raise CallerError("the pattern is empty", do="name the text to search for")
    check_text(text, what="pattern", longest=LONGEST)
    if re2 is None:
        make = _for_worker if regex else _plain
        yield replace(make(text, ignore_case=ignore_case, in_json=in_json, workers=workers), word=word)
        return
    try:
        yield replace(_compile(text, regex=regex, ignore_case=ignore_case, in_json=in_json), word=word)
    finally:
        re2.purge()


def _plain(text: str, *, ignore_case: bool, in_json: bool, workers: RegexWorkers | None) -> Pattern:
    """Return a plain text as a pattern for Python's ``re``: alternatives of a character each, and no repetition."""
    del workers  # what has no repetition needs none
    source = "".join(_any_case(char) for char in text) if ignore_case else re.escape(text)
    in_two_lines = "\n" in text and not in_json  # in a text a match lies in one line
    return Pattern(
        regexp=re.compile(b"(?!)" if in_two_lines else source.encode(), re.IGNORECASE if ignore_case else 0),
        stretch=MOST_STRETCH,
        literal=None if ignore_case or in_two_lines else text.encode(),
        in_json=in_json,
        hide_syntax=in_json,
    )


def _any_case(char: str) -> str:
    """Return an expression for a character in any case. Python's expressions for bytes know the case of ASCII only."""
    if char.isascii():
        return re.escape(char)
    return f"(?:{'|'.join(map(re.escape, dict.fromkeys((char, char.lower(), char.upper()))))})"


def _for_worker(text: str, *, ignore_case: bool, in_json: bool, workers: RegexWorkers | None) -> Pattern:
    """Return a regular expression that a worker runs."""
    if workers is None:
        raise CallerError(
            "there is no RE2 for regular expressions here", do="pip install google-re2, or search for plain text"
        )
    regexp = WorkerRegexp(
        sandbox=workers.sandbox(), share=workers.share, pattern=text, ignore_case=ignore_case, in_lines=not in_json
    )
    return Pattern(regexp=regexp, stretch=MOST_STRETCH, in_json=in_json)


def _compile(text: str, *, regex: bool, ignore_case: bool, in_json: bool) -> Pattern:
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = MEMORY
    options.case_sensitive = not ignore_case
    options.never_nl = not in_json  # in a text a match lies in one line
    source = f"{LINES}{text}" if regex else re2.escape(text)
    try:
        regexp = re2.compile(source.encode(), options)
    except re2.error as error:
        raise bad_pattern(text, error) from None
    if regexp.programsize > LARGEST:
        raise CallerError(
            f"the pattern is too complex ({regexp.programsize:,} steps, at most {LARGEST:,})",
            do="use smaller repetitions like {1,20}, or search for a part of it",
        )
    stretch = min(MOST_STRETCH, max(LEAST_STRETCH, WORK // regexp.programsize))
    is_literal = not regex and not ignore_case and (in_json or "\n" not in text)
    literal = text.encode() if is_literal else None
    return Pattern(regexp=regexp, stretch=stretch, literal=literal, in_json=in_json, hide_syntax=in_json and not regex)


def bad_pattern(text: str, error: re2.error) -> CallerError:
    """Return RE2's own words, and where in the pattern the part stands that it names."""
    reason = error.args[0]
    message = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    what, _, part = message.partition(": ")
    part = part.removeprefix(LINES)
    at = text.find(part) if part else -1
    where = f" at position {at}" if at >= 0 else ""
    return CallerError(
        f"the regular expression cannot be read{where}: {shorten(what, 100)}: {shorten(part, 100)}".rstrip(": "),
        do="RE2 has no look-around and no back-references; or search for it as plain text",
    )
