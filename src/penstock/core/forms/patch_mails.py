"""Patches by mail, as ``git format-patch`` writes them, one or many in a text: ``From <commit> Mon Sep 17 ...``.

Each mail is a row of ``items``; the tables are those of ``commit_rows``. The author is the one whom ``git am`` takes.
Subjects keep their ``[PATCH 3/80]``. What stands in a message above the line ``---`` is no patch, even if it looks like
one; only mails without such a line (--no-stat) have their patch right after the message. Dates are in the order of ISO
8601 with the offset of the text, ``2026-04-08 21:04:03 -0700``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from typing import TYPE_CHECKING, Final

from penstock.core.forms.commit_rows import EXCERPT, LONGEST_SUBJECT, Commit, CommitRows, authors_of
from penstock.core.forms.git_text import iso_date, person
from penstock.core.forms.patches import PatchReader
from penstock.core.forms.text_form import Options, Sample, TextForm, Words
from penstock.core.text import counted

if TYPE_CHECKING:
    from penstock.core.forms.text_form import Batches, Lines, Tables

MOST_FIELDS: Final = 100  # of the header of a mail; servers on its way add theirs after those that matter

# What a line belongs to: the header, the blank lines after it, the message, what stands between it and the patch, the
# patch, and what follows that.
HEADER, START, MESSAGE, NOTES, PATCH, END = "header", "start", "message", "notes", "patch", "end"

_MAIL = re.compile(r"From ([0-9a-f]{40,64}) Mon Sep 17 00:00:00 2001")  # the date is always this

_DIFF: Final = "diff --git "
_ESCAPED = re.compile(r"\\(.)")


def recognise(sample: Sample) -> Options | None:
    """Tell whether the text begins with such a mail."""
    first = next((line for line in sample.head if line.strip()), "")
    if not _MAIL.fullmatch(first):
        return None
    return {"separated": "---" in sample.head or not any(line.startswith(_DIFF) for line in sample.head)}


@dataclass(slots=True, kw_only=True)
class MailParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "mails", "files": "changes of files"})
    rows: CommitRows = field(default_factory=CommitRows)
    reader: PatchReader = field(default_factory=PatchReader)

    def parse(self, lines: Lines) -> Batches:
        number, part, source = 0, END, iter(lines)
        last = NOTES if self.options["separated"] else MESSAGE  # the part before the patch
        commit = Commit(0, "")  # in line 0: none yet
        fields: list[str] = []
        for line in source:
            number += 1
            if line.startswith("From ") and (start := _MAIL.fullmatch(line)):
                if commit.line:
                    self.rows.close(commit, self.reader)
                commit, fields, part = Commit(number, start[1], header=(line,)), [], HEADER
                if self.rows.full:
                    yield from self.rows.batches()
            elif part == PATCH and line.startswith("--") and not line.startswith("--- "):
                part = END  # the signature, or the end of a MIME part
            elif part == PATCH or (part == last and line.startswith(_DIFF)):
                part, number = PATCH, self.reader.feed(line, source, number)
                self.reader.hunks.clear()
            elif part in (HEADER, START, MESSAGE):
                part = _take(commit, fields, line, part)
        self.rows.close(commit, self.reader)
        yield from self.rows.batches()

    def words(self, tables: Tables) -> Words:
        items, rows = tables[0], self.rows
        patches = counted(items.count - rows.without_files, "patch", "patches")
        what = f"{patches} by mail (git format-patch){authors_of(items)}{rows.touching()}"
        facts = [*rows.facts(items), *self.reader.facts()]
        if rows.without_files:
            facts.append(f"mails without a patch: {rows.without_files:,}")
        return Words(what=what, facts=tuple(facts), excerpts=tuple(rows.excerpts()))


def _take(commit: Commit, fields: list[str], line: str, part: str) -> str:
    """Take a line above the patch; the part that the next line belongs to."""
    if part == HEADER:
        return _take_header(commit, fields, line)
    if part == START and line.startswith("From: "):  # the author, where another sends the mail
        commit.author, commit.email = author_of(line[6:LONGEST_SUBJECT])
    return START if not line and part == START else NOTES if line == "---" else MESSAGE


def _take_header(commit: Commit, fields: list[str], line: str) -> str:
    """Take a line of the header; at its end, the fields that columns have."""
    if len(commit.header) < EXCERPT:
        commit.header = (*commit.header, line)
    if line[:1] in (" ", "\t") and fields:
        fields[-1] = (fields[-1] + line)[:LONGEST_SUBJECT]
    elif line:
        if len(fields) < MOST_FIELDS:
            fields.append(line[:LONGEST_SUBJECT])
    else:
        known = {key.lower(): value.strip() for key, _, value in (one.partition(":") for one in fields)}
        commit.author, commit.email = author_of(known.get("from", ""))
        commit.date = iso_date(known["date"]) if "date" in known else None
        commit.subject = decoded(known.get("subject", "")) or None
        return START
    return HEADER


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


FORM: Final = TextForm(name="patch_mails", title="patches by mail", recognise=recognise, make=MailParser)
