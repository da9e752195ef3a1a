"""Tell by some lines whether a text looks like XML, HTML, YAML, TOML or a Python literal. Only a parser knows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from penstock.core.forms import locks, snapshots
from penstock.core.forms.document import BOM
from penstock.core.text import split_words

if TYPE_CHECKING:
    from penstock.core.forms.document import Document
    from penstock.core.forms.text_form import Sample

Language = Literal["yaml", "xml", "html", "toml", "python"]
TITLES: Final[dict[Language, str]] = {
    "yaml": "YAML",
    "xml": "XML",
    "html": "HTML",
    "toml": "TOML",
    "python": "a Python literal",
}

LEAD: Final = 65_536  # bytes in which TOML has its first table
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
_CLOSING: Final = {b"[": b"]", b"{": b"}", b"(": b")"}
# What Python writes behind a bracket, a comma or a colon, and JSON does not.
_PYTHON = re.compile(rb"[\[{(,:]\s*+(?:'|b['\"]|\(|None\b|True\b|False\b|[A-Za-z_][\w.]*\()")
_MARK: Final = r"(?:---|\.\.\.)(?:\s|$)|%(?:YAML|TAG)\s|#|$"
_KEY: Final = r"""(?:[\w$./][^\s:#"'{}\[\],]*|"[^"]*"|'[^']*'):(?:\s|$)"""
_HEADER = re.compile(rb"(?:^|\n)\[\[?[A-Za-z_\"'][\w.\"' -]*+\]\]?[ \t]*+(?:#[^\n]*+)?\r?\n")
_TABLE = re.compile(r"\[\[?[\w.\" '-]+\]\]?\s*(?:#.*)?")
_PAIR = re.compile(r"""\s*[\w.\"'-]+\s*=\s*(?:([\"'\[{]|true\b|false\b)|[-+0-9])?""")
AROUND: Final = 2_048  # bytes before and behind a page in which other lines may stand
LEAST_PAIRS: Final = 0.5  # of the lines of TOML are tables or pairs; the others may be texts and arrays over many lines
_MARKED = re.compile(_MARK)
_KEYED = re.compile(rf"\s*(?:- +)*(?:{_KEY})")
_TOP = re.compile(rf"{_MARK}|(?:- *)+(?:\S|$)|-$|{_KEY}|[\w$./][^:#]*:(?:\s|$)|[\]}}]")


def language_of(document: Document) -> Language | None:
    """Return the language that a text seems to be written in."""
    raw = document.raw
    if document.errors != "strict" or b"\x00" in raw[:HEAD]:
        return None
    head = raw[:HEAD].removeprefix(BOM)
    if head.lstrip()[:1] == b"<":
        return _markup(head) if raw[-TAIL:].rstrip()[-1:] == b">" else None
    if _looks_like_python(head.lstrip(), raw[-TAIL:].rstrip()):
        return "python"
    if _looks_like_yaml(document):
        return "yaml"
    may_be_toml = raw[:1] == b"[" or b"\n[" in raw[:LEAD]  # told in a tenth of the time of the pattern
    has_tables = may_be_toml and _HEADER.search(raw[:LEAD]) is not None
    return "toml" if has_tables and _looks_like_toml(_sample(document)) else None


def markup_in(document: Document) -> tuple[Language, tuple[int, int]] | None:
    """Return where a page or a file of XML, whole and declared as such, begins and ends between a few other lines."""
    raw = document.raw
    lead, tail = raw[:AROUND], raw[-AROUND:]
    start = re.search(rb"(?:^|\n)(?=<(?:\?xml\s|!doctype\s+html|html[\s>]))", lead, re.IGNORECASE)
    end = len(tail) if tail[-1:] == b">" else tail.rfind(b">\n") + 1
    if start is None or not end or document.errors != "strict" or b"\x00" in raw[:HEAD]:
        return None
    first, last = start.end(), len(raw) - len(tail) + end
    language = _markup(raw[first : first + HEAD])
    if language is None or (language == "html" and raw[last - 7 : last].lower() != b"</html>"):
        return None
    return language, (first, last)


def _markup(head: bytes) -> Language | None:
    match = _MARKUP.match(head)
    if match is None:
        return None
    name = (match[1] or match[2]).decode().lower()
    return "html" if name in _OF_PAGES else "xml"


def _looks_like_python(head: bytes, tail: bytes) -> bool:
    """Tell whether a text begins and ends as a list, dict or tuple does, and Python's spellings are in it."""
    return tail[-1:] == _CLOSING.get(head[:1]) and _PYTHON.search(head) is not None


def _looks_like_yaml(document: Document) -> bool:
    """Tell whether all lines that are not indented may stand in YAML, and enough lines have keys, some of them inside
    of others. Snapshots of pages are written in YAML too, but have a form of their own."""
    first = document.raw[:HEAD].split(b"\n", 1)[0].decode("utf-8", "replace")
    if not _TOP.match(first):
        return False
    sample = _sample(document)
    lines = [line for line in sample.lines if not _MARKED.match(line)]
    if not lines or not all(line[0] in " \t" or _TOP.match(line) for line in lines):
        return False
    keyed = [line for line in lines if _KEYED.match(line)]
    indented = [line for line in keyed if line[0] == " "]
    enough = len(keyed) >= LEAST_KEYS * len(lines) and len(indented) >= LEAST_INDENTED * len(lines)
    return enough and snapshots.recognise(sample) is None


def _sample(document: Document) -> Sample:
    from penstock.core.forms.read_text import sample_of  # noqa: PLC0415  (JSON waits for no form of a text)

    return sample_of(document.body, document.errors, document.body.count(b"\n"))


def _looks_like_toml(sample: Sample) -> bool:
    """Tell whether there are tables and pairs, all values begin as those of TOML do, and some as those of INI do not.
    Lock files are written in TOML too, but have a form of their own."""
    lines = [line for line in sample.lines if line.strip() and not line.lstrip().startswith("#")]
    tables = sum(_TABLE.fullmatch(line) is not None for line in lines)
    pairs = [match for line in lines if (match := _PAIR.match(line)) is not None]
    if not tables or tables + len(pairs) < LEAST_PAIRS * len(lines) or locks.recognise(sample) is not None:
        return False
    return any(match[1] for match in pairs) and all(match[0].rstrip()[-1] != "=" for match in pairs)
