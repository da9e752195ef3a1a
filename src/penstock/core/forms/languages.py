"""Tell by some lines whether a text looks like XML, HTML or YAML. Only a parser can tell that it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from penstock.core.forms import snapshots
from penstock.core.forms.document import BOM
from penstock.core.forms.read_text import sample_of
from penstock.core.text import split_words

if TYPE_CHECKING:
    from penstock.core.forms.document import Document

Language = Literal["yaml", "xml", "html"]
TITLES: Final[dict[Language, str]] = {"yaml": "YAML", "xml": "XML", "html": "HTML"}

HEAD: Final = 4_096  # bytes in which markup begins
TAIL: Final = 256  # bytes in which it ends
LEAST_KEYS: Final = 0.3  # of the lines of YAML have a key; the others may be texts over many lines
LEAST_INDENTED: Final = 0.1  # of them are indented: flat ``Key: value`` lines are other forms

# What may stand before the first element: a declaration, comments, a document type without declarations of its own.
_MARKUP = re.compile(
    rb"\s*(?:<\?[^>]*\?>\s*|<!--(?:[^-]|-(?!->))*-->\s*)*(?:<!doctype\s+([\w:.-]+)|<([A-Za-z_][\w:.-]*)[\s/>])",
    re.IGNORECASE,
)
_OF_PAGES: Final = frozenset(
    split_words("html head body div p table ul ol section article main nav header h1 h2 h3 span center")
)
_MARK: Final = r"(?:---|\.\.\.)(?:\s|$)|%(?:YAML|TAG)\s|#|$"
_KEY: Final = r"""(?:[\w$./][^\s:#"'{}\[\],]*|"[^"]*"|'[^']*'):(?:\s|$)"""
_MARKED = re.compile(_MARK)
_KEYED = re.compile(rf"\s*(?:- +)*(?:{_KEY})")
_TOP = re.compile(rf"{_MARK}|(?:- *)+(?:\S|$)|-$|{_KEY}|[\w$./][^:#]*:(?:\s|$)|[\]}}]")


def language_of(document: Document) -> Language | None:
    """The language that a text seems to be written in."""
    raw = document.raw
    if document.errors != "strict" or b"\x00" in raw[:HEAD]:
        return None
    head = raw[:HEAD].removeprefix(BOM)
    if head.lstrip()[:1] == b"<":
        return _markup(head) if raw[-TAIL:].rstrip()[-1:] == b">" else None
    return "yaml" if _looks_like_yaml(document) else None


def _markup(head: bytes) -> Language | None:
    found = _MARKUP.match(head)
    if found is None:
        return None
    name = (found[1] or found[2]).decode().lower()
    return "html" if name in _OF_PAGES else "xml"


def _looks_like_yaml(document: Document) -> bool:
    """Whether all lines that are not indented may stand in YAML, and enough lines have keys, some of them inside of
    others. Snapshots of pages are written in YAML too, but have a form of their own."""
    first = document.raw[:HEAD].split(b"\n", 1)[0].decode("utf-8", "replace")
    if not _TOP.match(first):
        return False
    sample = sample_of(document.body, document.errors, document.body.count(b"\n"))
    lines = [line for line in sample.lines if not _MARKED.match(line)]
    if not lines or not all(line[0] in " \t" or _TOP.match(line) for line in lines):
        return False
    keyed = [line for line in lines if _KEYED.match(line)]
    indented = [line for line in keyed if line[0] == " "]
    enough = len(keyed) >= LEAST_KEYS * len(lines) and len(indented) >= LEAST_INDENTED * len(lines)
    return enough and snapshots.recognise(sample) is None
