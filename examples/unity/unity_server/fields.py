"""Single fields of a document, found by their line; and a whole document as JSON values, read by libyaml."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

import yaml

if TYPE_CHECKING:
    from unity_server.documents import Document

DEEPEST: Final = 100  # levels of nesting; Unity itself writes ten
EXACT: Final = 2**53  # larger numbers, as ids in prefabs, stay texts: many a reader of JSON would round them
_NEXT: Final = re.compile(rb"\n  (?![ -])")
_REFERENCE: Final = re.compile(rb"\{fileID: (-?\d{1,19})")
_GUID: Final = re.compile(rb"guid: ([0-9a-f]{32})")
_PAIR: Final = re.compile(rb"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_INTEGER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")
# With a point or a signed exponent, as Unity writes it: a guid such as 12e45… is no number.
_FRACTION: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+(?:e[-+]?[0-9]+)?|e[-+][0-9]+)")

try:
    from yaml import CSafeLoader as Loader
except ImportError:  # a platform without libyaml: the same, slower
    from yaml import SafeLoader as Loader  # type: ignore[assignment]


class Fields:
    """The fields of the documents of one file. ``name`` is the file's path in the project."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self._data = data

    def text(self, document: Document, key: str) -> str | None:
        """Return a field that is text; None where it is not there."""
        span = self._span(document, key)
        if span is None:
            return None
        raw = self._data[span[0] : span[1]].strip(b" ")
        if raw[:1] in (b'"', b"'") or b"\n" in raw:
            value = parsed(self._data[span[0] - len(key) - 1 : span[1]])
            if isinstance(value, dict) and key in value:
                return str(value[key])
        return raw.decode("utf-8", "replace")

    def number(self, document: Document, key: str, default: int) -> int:
        """Return a field that is a whole number."""
        text = self.text(document, key)
        return int(text) if text is not None and _INTEGER.fullmatch(text) else default

    def reference(self, document: Document, *keys: str) -> int:
        """Return the id that a field points to, by the first of its names that is there; 0 for nothing."""
        for key in keys:
            if (span := self._span(document, key)) is not None:
                match = _REFERENCE.search(self._data, *span)
                return int(match[1]) if match else 0
        return 0

    def references(self, document: Document, key: str) -> list[int]:
        """Return the ids in a field that is a list."""
        span = self._span(document, key)
        return [] if span is None else [int(one) for one in _REFERENCE.findall(self._data, *span)]

    def guid(self, document: Document, *keys: str) -> str:
        """Return the guid of the file that a field points to; empty for none."""
        for key in keys:
            if (span := self._span(document, key)) is not None:
                match = _GUID.search(self._data, *span)
                return match[1].decode() if match else ""
        return ""

    def raw(self, document: Document) -> bytes:
        """Return the document's own lines."""
        return self._data[document.start : document.end]

    def _span(self, document: Document, key: str) -> tuple[int, int] | None:
        mark = b"\n  %b:" % key.encode()
        start = self._data.find(mark, document.start, document.end)
        if start < 0:
            return None
        start += len(mark)
        line_end = self._data.find(b"\n", start, document.end)
        if line_end < 0:
            return start, document.end
        if not self._data.startswith((b"\n    ", b"\n  -", b"\n\n"), line_end):
            return start, line_end  # one line: no need to look where the next field begins
        match = _NEXT.search(self._data, line_end, document.end)
        return start, match.start() if match else document.end


def parsed(text: bytes) -> Any:
    """Parse YAML into the values of JSON, or None when it is none that Unity writes.

    Made of the parser's events: no tags, no aliases (a few lines of them can stand for gigabytes), and only what Unity
    writes as a number becomes one, so that a name such as ``No`` or ``12:30`` stays a text.
    """
    document: list[Any] = []
    stack: list[tuple[Any, list[str]]] = [(document, [])]  # containers that are open, and the key that waits in each

    def add(value: Any) -> None:
        container, keys = stack[-1]
        if isinstance(container, list):
            container.append(value)
        elif keys:
            container[keys.pop()] = value
        else:
            keys.append(value if isinstance(value, str) else str(value))

    try:
        for event in yaml.parse(_PAIR.sub(_joined, text) if b"\\u" in text else text, Loader=Loader):
            if isinstance(event, yaml.ScalarEvent):
                add(scalar(event.value) if event.implicit[0] and not _is_key(stack[-1]) else event.value)
            elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                opened: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
                if len(stack) > DEEPEST or _is_key(stack[-1]):
                    return None
                add(opened)
                stack.append((opened, []))
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                stack.pop()
            elif isinstance(event, yaml.AliasEvent):
                return None
    except (yaml.YAMLError, UnicodeDecodeError):
        return None
    return document[0] if document else None


def _joined(pair: re.Match[bytes]) -> bytes:
    """Join one character that is written as two halves, which JSON allows and YAML does not."""
    high, low = int(pair[2], 16), int(pair[3], 16)
    return pair[1] + b"\\U%08X" % (0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))


def _is_key(top: tuple[Any, list[str]]) -> bool:
    return isinstance(top[0], dict) and not top[1]


def scalar(text: str) -> Any:
    """Read a plain scalar: what Unity writes as a number is one, all else stays text."""
    if _INTEGER.fullmatch(text):
        return text if abs(number := int(text)) > EXACT else number
    if _FRACTION.fullmatch(text) and math.isfinite(fraction := float(text)):
        return fraction
    return text
