"""Mails in one text: those of ``git format-patch``, one or many (``PATCHES``), and any others (``MBOX``, RFC 4155).

A patch begins with ``From <commit> Mon Sep 17 ...``; each is a row of ``items``, and the tables are those of
``commit_rows``. The author is the one whom ``git am`` takes. Subjects keep their ``[PATCH 3/80]``. What stands in a
message above the line ``---`` is no patch, even if it looks like one; only mails without such a line (--no-stat) have
their patch right after the message.

Other mails begin with a line ``From sender date`` after a blank one. ``items`` has a row for each: ``line``, ``date``,
``sender`` and ``email``, ``to``, ``subject``, ``size`` (characters with line ends, the ``From`` line included),
``parts`` where it has several, and the names of ``attachments``, one a line.

Letters beyond ASCII are decoded as RFC 2047 says. Dates are in the order of ISO 8601 with the offset of the text,
``2026-04-08 21:04:03 -0700``.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.commit_rows import EXCERPT, LONGEST_SUBJECT, Commit, CommitRows, authors_of
from penstock.core.forms.git_text import iso_date, person
from penstock.core.forms.patches import PatchReader
from penstock.core.forms.text_form import DoesNotHoldError, RowBatches, TextForm, Words, facts
from penstock.core.text import counted, plain, tally

if TYPE_CHECKING:
    from penstock.core.forms.text_form import Batches, Lines, Options, Sample, Tables

MOST_FIELDS: Final = 200  # of the header of a mail; servers on its way add theirs after those that matter
LONGEST_FIELD: Final = 2_000  # characters of a field that is read
MOST_NAMED: Final = 6  # senders that are named with their counts
MOST_SENDERS: Final = 20_000  # different senders that are counted

# What a line of a patch belongs to: the header, the blank lines after it, the message, what stands between it and the
# patch, the patch, and what follows that.
HEADER, START, MESSAGE, NOTES, PATCH, END = "header", "start", "message", "notes", "patch", "end"

_PATCH_MAIL = re.compile(r"From ([0-9a-f]{40,64}) Mon Sep 17 00:00:00 2001")  # the date is always this
_MAIL = re.compile(r"From \S{1,320}+ ++[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{5,8} .{4,40}")
_DIFF: Final = "diff --git "
_ESCAPED = re.compile(r"\\(.)")
_FIELD = re.compile(r"[!-9;-~]{1,100}+:")
_BOUNDARY = re.compile(r'(?i)boundary="?([^";\s]{1,200}+)')
_NAME = re.compile(r'(?i)(?:file)?name\*?="?([^";]{1,400}+)')


def recognise_patches(sample: Sample) -> Options | None:
    """Tell whether the text begins with a mail of git."""
    first = next((line for line in sample.head if line.strip()), "")
    if not _PATCH_MAIL.fullmatch(first):
        return None
    return {"separated": "---" in sample.head or not any(line.startswith(_DIFF) for line in sample.head)}


def recognise_mails(sample: Sample) -> Options | None:
    """Tell whether the text begins with a mail."""
    first = next((line for line in sample.head if line), "")
    return {} if _MAIL.fullmatch(first) else None


@dataclass(slots=True)
class Header:
    """The header of a mail, or of a part of one, while it is read."""

    lines: list[str] = field(default_factory=list)

    def take(self, line: str) -> bool:
        """Take a line, which may go on with the field above; False at the blank line that ends the header."""
        if line[:1] in (" ", "\t") and self.lines:
            self.lines[-1] = f"{self.lines[-1]} {line.strip()}"[:LONGEST_FIELD]
        elif line and len(self.lines) < MOST_FIELDS:
            self.lines.append(line[:LONGEST_FIELD])
        return bool(line)

    @property
    def fields(self) -> dict[str, str]:
        return {key.lower(): value.strip() for key, _, value in (one.partition(":") for one in self.lines)}


@dataclass(slots=True, kw_only=True)
class PatchMailParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "mails", "files": "changes of files"})
    rows: CommitRows = field(default_factory=CommitRows)
    reader: PatchReader = field(default_factory=PatchReader)

    def parse(self, lines: Lines) -> Batches:
        number, part, source = 0, END, iter(lines)
        last = NOTES if self.options["separated"] else MESSAGE  # the part before the patch
        commit, header = Commit(0, ""), Header()  # in line 0: none yet
        for line in source:
            number += 1
            if line.startswith("From ") and (start := _PATCH_MAIL.fullmatch(line)):
                if commit.line:
                    self.rows.close(commit, self.reader)
                commit, header, part = Commit(number, start[1], header=(line,)), Header(), HEADER
                if self.rows.full:
                    yield from self.rows.batches()
            elif part == PATCH and line.startswith("--") and not line.startswith("--- "):
                part = END  # the signature, or the end of a MIME part
            elif part == PATCH or (part == last and line.startswith(_DIFF)):
                part, number = PATCH, self.reader.feed(line, source, number)
                self.reader.hunks.clear()
            elif part == HEADER:
                part = _take_header(commit, header, line)
            elif part in (START, MESSAGE):
                if part == START and line.startswith("From: "):  # the author, where another sends the mail
                    commit.author, commit.email = author_of(line[6:LONGEST_SUBJECT])
                part = START if not line and part == START else NOTES if line == "---" else MESSAGE
        self.rows.close(commit, self.reader)
        yield from self.rows.batches()

    def words(self, tables: Tables) -> Words:
        items, rows = tables[0], self.rows
        patches = counted(items.count - rows.without_files, "patch", "patches")
        what = f"{patches} by mail (git format-patch){authors_of(items)}{rows.touching()}"
        rest = facts((rows.without_files, f"mails without a patch: {rows.without_files:,}"))
        every = (*rows.facts(items), *self.reader.facts(), *rest)
        return Words(what=what, facts=every, excerpts=tuple(rows.excerpts()))


def _take_header(commit: Commit, header: Header, line: str) -> str:
    """Take a line of the header; at its end, the fields that columns have."""
    if len(commit.header) < EXCERPT:
        commit.header = (*commit.header, line)
    if header.take(line):
        return HEADER
    known = header.fields
    commit.author, commit.email = author_of(known.get("from", ""))
    commit.date = iso_date(known["date"]) if "date" in known else None
    commit.subject = decoded(known.get("subject", "")) or None
    return START


@dataclass(slots=True)
class _Mail:
    """A mail while it is read. ``header`` is its own, or that of the part that is open."""

    line: int
    size: int
    header: Header = field(default_factory=Header)
    in_header: bool = True
    boundary: str = ""
    parts: int = 0
    attachments: list[str] = field(default_factory=list)
    row: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class MboxParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "mails"})
    rows: RowBatches = field(
        default_factory=lambda: RowBatches(items="line date sender email to subject size parts attachments")
    )
    count: int = 0
    size: int = 0
    attached: int = 0
    senders: Counter[str] = field(default_factory=Counter)

    def parse(self, lines: Lines) -> Batches:
        mail: _Mail | None = None
        is_after_blank = True
        for number, line in enumerate(lines, 1):
            if is_after_blank and line.startswith("From ") and _MAIL.fullmatch(line):
                if mail is not None:
                    self._close(mail)
                    if self.rows.is_full:
                        yield from self.rows.take()
                mail = _Mail(number, len(line) + 1)
                is_after_blank = False
                continue
            is_after_blank = not line
            if mail is None:
                continue  # blank lines before the first mail
            mail.size += len(line) + 1
            if mail.in_header:
                _take_line(mail, line)
            elif mail.boundary and line.startswith("--") and line[2:].startswith(mail.boundary):
                mail.in_header = not line.endswith("--")
                mail.parts += mail.in_header
                mail.header = Header()
        if mail is None:
            raise DoesNotHoldError("no mail")
        self._close(mail)
        yield from self.rows.take()

    def _close(self, mail: _Mail) -> None:
        if mail.in_header:
            _take_line(mail, "")
        if not mail.row.get("sender") and not mail.row.get("email"):
            raise DoesNotHoldError("a mail without a sender")
        self.count += 1
        self.size += mail.size
        self.attached += bool(mail.attachments)
        sender = mail.row["sender"] or mail.row["email"]
        if sender in self.senders or len(self.senders) < MOST_SENDERS:
            self.senders[sender] += 1
        self.rows.add("items", *mail.row.values(), mail.size, mail.parts or None, "\n".join(mail.attachments) or None)

    def words(self, tables: Tables) -> Words:
        date = tables[0].field("date")
        span = ""
        if date is not None and date.column.earliest is not None and date.column.latest is not None:
            span = f", {plain(date.column.earliest.value)} .. {plain(date.column.latest.value)}"
        senders = f"mails by sender: {tally(self.senders.most_common(), MOST_NAMED)}"
        attached = (self.attached, f"mails with attachments: {self.attached:,}")
        lines = facts((len(self.senders) < MOST_SENDERS, senders), attached)
        return Words(what=f"{counted(self.count, 'mail')} (mbox){span}", facts=lines)


def _take_line(mail: _Mail, line: str) -> None:
    """Take a line of the header of a mail, or of one of its parts; a blank one ends it."""
    is_new = line and not (line[0] in " \t" and mail.header.lines)
    if is_new and not mail.row and _FIELD.match(line) is None and not line.startswith(">From "):
        raise DoesNotHoldError("a header that is none")
    if mail.header.take(line):
        return
    known = mail.header.fields
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


def author_of(text: str) -> tuple[str | None, str | None]:
    """Return the name and the address of a sender; a name with other than letters and spaces stands in quotes (RFC
    5322)."""
    name, address = person(decoded(text))
    if name is not None and len(name) > 1 and name[0] == name[-1] == '"':
        name = _ESCAPED.sub(r"\1", name[1:-1])
    return name, address


def decoded(text: str) -> str:
    """Return a field of a mail, whose letters beyond ASCII may be written as RFC 2047 says."""
    if "=?" not in text:
        return text
    try:
        return str(make_header(decode_header(text)))
    except (HeaderParseError, LookupError, ValueError):
        return text


PATCHES: Final = TextForm(
    name="patch_mails", title="patches by mail", recognise=recognise_patches, make=PatchMailParser
)
MBOX: Final = TextForm(name="mbox", title="mails", recognise=recognise_mails, make=MboxParser, needs_whole=True)
