"""HTTP messages as text: raw requests and responses, and what ``curl -v`` prints of them.

``items`` has a row for each message: ``line``, ``kind`` (request or response), ``method``, ``url``, ``status``,
``reason``, ``version``, ``type`` (its Content-Type), ``headers`` (how many) and ``body`` (characters with line ends).
``headers`` has a row for each header: ``message`` (the line of its message), ``name`` in small letters, ``value``. A
message ends where the next begins, so its body is all that stands between them; what curl says itself is left out.
A line in a body that looks like the beginning of a message makes the text no HTTP: which of both it is cannot be told
without a length that fits. A message may begin at once behind a header (its body was left out), behind a blank line, or
where the length that the header states is reached.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.text_form import DoesNotHoldError, RowBatches, TextForm, Words, facts
from penstock.core.text import counted, tally

if TYPE_CHECKING:
    from penstock.core.forms.text_form import Batches, Lines, Options, Sample, Tables

MOST_HEADERS: Final = 1_000  # of one message
MOST_STATUSES: Final = 8  # statuses that are listed with their counts

_COLUMNS: Final = "line kind method url status reason version type headers body"
_METHOD: Final = r"(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT)"
_REQUEST = re.compile(rf"{_METHOD} (\S{{1,20000}}+) (HTTP/[0-9.]++) *+")
_RESPONSE = re.compile(r"(HTTP/[0-9.]++) ([1-5][0-9]{2})(?: (.{0,200}))?")
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}+):[ \t]*+(.*)")


def recognise(sample: Sample) -> Options | None:
    """Tell whether the text begins with a message, perhaps behind what curl says of the connection."""
    is_curl = False
    for line in sample.head:
        if line.startswith(("* ", "> ", "< ")):
            is_curl = True
        bare = line[2:] if is_curl and line[:2] in ("> ", "< ") else line
        if _REQUEST.fullmatch(bare[:21_000]) or _RESPONSE.fullmatch(bare[:300]):
            return {"curl": is_curl}
        if line.strip() and not is_curl:
            return None
    return None


@dataclass(slots=True, kw_only=True)
class HttpParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "messages", "headers": "headers"})
    rows: RowBatches = field(default_factory=lambda: RowBatches(items=_COLUMNS, headers="message name value"))
    message: dict[str, Any] = field(default_factory=dict)  # the open one
    kinds: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    length: int | None = None  # bytes that the header of the open message states,
    sent: int = 0  # those of its body so far, line ends of one byte,
    ends: int = 0  # how many those are: each may be of two bytes,
    is_blank: bool = False  # and whether its last line was blank

    def parse(self, lines: Lines) -> Batches:
        is_curl, in_header = self.options["curl"], False
        for number, line in enumerate(lines, 1):
            sign, text = (line[:2], line[2:]) if is_curl and line[:2] in ("> ", "< ", "* ", "} ", "{ ") else ("", line)
            if line in (">", "<") and is_curl:
                sign, text = line, ""
            if sign in ("* ", "} ", "{ "):
                continue
            if text[:1].isupper() and not in_header and self._begin(number, text, sign):
                in_header = True
                if self.rows.is_full:
                    yield from self.rows.take()
            elif in_header:
                in_header = self._header(text)
            elif self.message:
                self.message["body"] += len(line) + 1
                self.sent, self.ends = self.sent + len(line.encode("utf-8", "replace")) + 1, self.ends + 1
                self.is_blank = not line.strip()
        if not self.message:
            raise DoesNotHoldError("no message")
        self.rows.add("items", *self.message.values())
        yield from self.rows.take()

    def _begin(self, number: int, text: str, sign: str) -> bool:
        """Open a message, if a line begins one; where curl marks lines, only one that it marked."""
        if self.options["curl"] and not sign:
            return False
        row: dict[str, Any] = {**dict.fromkeys(_COLUMNS.split()), "line": number, "headers": 0, "body": 0}
        if (request := _REQUEST.fullmatch(text)) is not None:
            row |= {"kind": "request", "method": request[1], "url": request[2], "version": request[3]}
        elif (response := _RESPONSE.fullmatch(text)) is not None:
            row |= {"kind": "response", "version": response[1], "status": int(response[2])}
            row["reason"] = (response[3] or "").strip() or None
            self.statuses[row["status"]] += 1
        else:
            return False
        may_end = self.is_blank if self.length is None else self.sent + self.ends >= self.length
        if self.ends and not sign and not may_end:
            raise DoesNotHoldError("a message in the body of another")
        self.length, self.sent, self.ends = None, 0, 0
        self.kinds[row["kind"]] += 1
        if self.message:
            self.rows.add("items", *self.message.values())
        self.message = row
        return True

    def _header(self, text: str) -> bool:
        """Take a line of a header; False at its end."""
        if not text.strip():
            return False
        row = self.message
        header = _HEADER.fullmatch(text)
        if header is None or row["headers"] >= MOST_HEADERS:
            raise DoesNotHoldError("a header that is none")
        row["headers"] += 1
        name, value = header[1].lower(), header[2].strip()
        if name == "content-type":
            row["type"] = value or None
        elif name == "content-length" and value.isdecimal() and len(value) < 12:
            self.length = int(value)
        self.rows.add("headers", row["line"], name, value or None)
        return True

    def words(self, tables: Tables) -> Words:
        del tables
        counts = [counted(self.kinds[kind], kind) for kind in ("request", "response") if self.kinds[kind]]
        statuses = (self.statuses, f"status: {tally(self.statuses.most_common(), MOST_STATUSES)}")
        return Words(what=f"HTTP: {' and '.join(counts)}", facts=facts(statuses))


FORM: Final = TextForm(name="http", title="HTTP messages", recognise=recognise, make=HttpParser, needs_whole=True)
