"""Mails in one text (mbox, RFC 4155): each begins with a line ``From sender date`` after a blank one.

``items`` has a row for each mail: ``line``, ``date`` in the order of ISO 8601, ``sender`` and ``email``, ``to``,
``subject``, ``size`` (characters with line ends, the ``From`` line included), ``parts`` where it has several, and the
names of ``attachments``, one a line. Letters beyond ASCII are decoded as RFC 2047 says.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.git_text import iso_date
from penstock.core.forms.patch_mails import author_of, decoded
from penstock.core.forms.text_form import BATCH, DoesNotHoldError, Options, Sample, TextForm, Words
from penstock.core.text import counted, plain, tally

if TYPE_CHECKING:
    from penstock.core.forms.text_form import Batch, Batches, Lines, Tables

MOST_FIELDS: Final = 200  # of the header of a mail
LONGEST_FIELD: Final = 2_000  # characters of a field that is read
MOST_NAMED: Final = 6  # senders that are named with their counts
MOST_SENDERS: Final = 20_000  # different senders that are counted

_COLUMNS: Final = ("line", "date", "sender", "email", "to", "subject", "size", "parts", "attachments")
_FROM = re.compile(r"From \S{1,320}+ ++[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{5,8} .{4,40}")
_FIELD = re.compile(r"[!-9;-~]{1,100}+:")
_BOUNDARY = re.compile(r'(?i)boundary="?([^";\s]{1,200}+)')
_NAME = re.compile(r'(?i)(?:file)?name\*?="?([^";]{1,400}+)')


def recognise(sample: Sample) -> Options | None:
    """Tell whether the text begins with a mail."""
    first = next((line for line in sample.head if line), "")
    return {} if _FROM.fullmatch(first) else None


@dataclass(slots=True)
class _Mail:
    """A mail while it is read. ``fields`` are those of its header, or of the part that is open."""

    line: int
    size: int
    fields: list[str] = field(default_factory=list)
    in_header: bool = True
    boundary: str = ""
    parts: int = 0
    attachments: list[str] = field(default_factory=list)
    row: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class MboxParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "mails"})
    rows: list[dict[str, Any]] = field(default_factory=list)
    count: int = 0
    size: int = 0
    attached: int = 0
    senders: Counter[str] = field(default_factory=Counter)

    def parse(self, lines: Lines) -> Batches:
        mail: _Mail | None = None
        is_after_blank = True
        for number, line in enumerate(lines, 1):
            if is_after_blank and line.startswith("From ") and _FROM.fullmatch(line):
                if mail is not None:
                    self._close(mail)
                    if len(self.rows) >= BATCH:
                        yield self._batch()
                mail = _Mail(number, len(line) + 1)
                is_after_blank = False
                continue
            is_after_blank = not line
            if mail is None:
                continue  # blank lines before the first mail
            mail.size += len(line) + 1
            if mail.in_header:
                _take_field(mail, line)
            elif mail.boundary and line.startswith("--") and line[2:].startswith(mail.boundary):
                mail.in_header = not line.endswith("--")
                mail.parts += mail.in_header
                mail.fields = []
        if mail is None:
            raise DoesNotHoldError("no mail")
        self._close(mail)
        yield self._batch()

    def _close(self, mail: _Mail) -> None:
        if mail.in_header:
            _take_field(mail, "")
        if not mail.row.get("sender") and not mail.row.get("email"):
            raise DoesNotHoldError("a mail without a sender")
        self.count += 1
        self.size += mail.size
        self.attached += bool(mail.attachments)
        sender = mail.row["sender"] or mail.row["email"]
        if sender in self.senders or len(self.senders) < MOST_SENDERS:
            self.senders[sender] += 1
        names = "\n".join(mail.attachments) or None
        self.rows.append({**mail.row, "size": mail.size, "parts": mail.parts or None, "attachments": names})

    def _batch(self) -> Batch:
        rows, self.rows = self.rows, []
        return {"items": {name: [row[name] for row in rows] for name in _COLUMNS}}

    def words(self, tables: Tables) -> Words:
        date = tables[0].field("date")
        span = ""
        if date is not None and date.column.earliest is not None and date.column.latest is not None:
            span = f", {plain(date.column.earliest.value)} .. {plain(date.column.latest.value)}"
        facts = []
        if len(self.senders) < MOST_SENDERS:
            facts.append(f"mails by sender: {tally(self.senders.most_common(), MOST_NAMED)}")
        facts += [f"mails with attachments: {self.attached:,}"] if self.attached else []
        return Words(what=f"{counted(self.count, 'mail')} (mbox){span}", facts=tuple(facts))


def _take_field(mail: _Mail, line: str) -> None:
    """Take a line of the header of a mail, or of one of its parts; a blank one ends it."""
    if line[:1] in (" ", "\t") and mail.fields:
        mail.fields[-1] = (mail.fields[-1] + " " + line.strip())[:LONGEST_FIELD]
    elif line:
        if not mail.row and _FIELD.match(line) is None and not line.startswith(">From "):
            raise DoesNotHoldError("a header that is none")
        if len(mail.fields) < MOST_FIELDS:
            mail.fields.append(line[:LONGEST_FIELD])
    else:
        known = {key.lower(): value.strip() for key, _, value in (one.partition(":") for one in mail.fields)}
        mail.in_header = False
        if mail.row:
            name = _NAME.search(known.get("content-disposition", "")) or _NAME.search(known.get("content-type", ""))
            if name is not None:
                mail.attachments.append(decoded(name[1].strip()))
            return
        boundary = _BOUNDARY.search(known.get("content-type", ""))
        mail.boundary = boundary[1] if boundary is not None else ""
        sender, email = author_of(known.get("from", ""))
        date = iso_date(known["date"]) if "date" in known else None
        mail.row = {"line": mail.line, "date": date, "sender": sender, "email": email}
        mail.row |= {"to": decoded(known.get("to", "")) or None, "subject": decoded(known.get("subject", "")) or None}


FORM: Final = TextForm(name="mbox", title="mails", recognise=recognise, make=MboxParser, needs_whole=True)
