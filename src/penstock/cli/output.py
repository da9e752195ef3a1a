"""Write to whatever standard output is: a terminal of any width and encoding, a pipe, a file.

Characters that the encoding lacks are replaced, never an error: a terminal or a pipe on Windows often has no UTF-8.
With NO_COLOR, or on a terminal that understands no escapes, none is written at all, not even for bold.
"""

from __future__ import annotations

import codecs
import os
import sys

TYPE_CHECKING = False  # no ``typing`` here: ``penstock run`` imports this, and a server waits for it
if TYPE_CHECKING:
    from typing import Any

    from rich.console import Console

HANDLER = "penstock"
_PLAIN = str.maketrans(
    {
        "…": "...",
        "·": "-",
        "×": "x",
        "→": "->",
        "█": "#",
        "▏": "#",
        "–": "-",
        "—": "-",
        "“": '"',
        "”": '"',
        "‘": "'",
        "’": "'",
        "•": "-",
        "✓": "+",
        "✗": "x",
        "─": "-",
        "│": "|",
        "\u00a0": " ",
        "├": "|",
        "└": "`",
    }
)


def prepare() -> None:
    """Let standard output and standard error replace what their encoding has no character for."""
    codecs.register_error(HANDLER, _replaced)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a program that calls ``main`` may have put something else there
            stream.reconfigure(errors=HANDLER)


def _replaced(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end].translate(_PLAIN)
    return "".join(char if char.isascii() else "?" for char in missing), error.end


def print_error(error: Exception | str) -> None:
    """Print an error on stderr: the one way in which any command reports what failed."""
    print(f"penstock: {error}", file=sys.stderr)  # noqa: T201


def print_warning(text: str) -> None:
    """Print a warning on stderr."""
    print(f"penstock: warning: {text}", file=sys.stderr)  # noqa: T201


def fitting(text: str) -> str:
    """Return a text with the replacements that standard output will make, so that tables and frames keep their
    widths."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        codecs.register_error(HANDLER, _replaced)
        return text.encode(encoding, HANDLER).decode(encoding)
    return text


def console(*, wide: bool = False, stderr: bool = False) -> Console:
    """Return a console for tables and styled text; with ``wide`` long lines are not broken."""
    from rich.console import Console  # noqa: PLC0415  (a server must not wait for it)

    # By the convention of no-color.org any value but an empty one counts.
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    if plain:
        return Console(stderr=stderr, soft_wrap=wide, highlight=False, color_system=None, force_terminal=False)
    return Console(stderr=stderr, soft_wrap=wide, highlight=False)


def is_interactive() -> bool:
    """Return True if a person reads standard output as it is written."""
    return sys.stdout.isatty()


def write_json(value: Any) -> None:
    """Print one JSON value on a line. Characters that the encoding lacks are escaped, so that no data changes."""
    from penstock.core.answer.notice import encode  # noqa: PLC0415  (a server must not wait for it)

    text = encode(value).decode()
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        text = "".join(char if char.isascii() else _escaped(char) for char in text)
    sys.stdout.write(text + "\n")


def _escaped(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))
