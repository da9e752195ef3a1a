"""``git log --oneline``, as servers that run commands (mcp-shell) return it: a commit in each line.

``items`` has a row for each: ``line``, ``commit``, ``subject``, and ``refs`` (branches and tags) if any are printed.

Many texts have lines that begin with hex digits: checksums, addresses, dumps. A list of commits has digits of about one
length in all lines, of which none repeats and no beginning is common, one space after them, and subjects in words.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.engine import Style, line_form

if TYPE_CHECKING:
    from penstock.core.forms.engine import Texts

SPREAD: Final = 4  # Digits by which lengths differ: git makes names longer if they would be ambiguous.

# Branches and tags in parentheses: names have no spaces, but for "HEAD -> main" and "tag: v1".
_REF = r"(?:HEAD(?: -> [^\s,()]++)?+|tag: [^\s,()]++|[^\s,()]++)"
_COMMIT = r"(?P<commit>[0-9a-f]{7,40}+)"
_REFS = rf"(?: \((?P<refs>{_REF}(?:, {_REF})*+)\)(?=[ \n]))?+"
_SUBJECT = r"(?: (?! )|(?=\n))(?P<subject>.*)"
_DECORATED = re.compile(r"(?:HEAD\b|tag: |[^\s,()/]++/[^\s,()]++(?:,|$))")
_REFLOG = re.compile(r"[^\s@]*+@\{")
_DIGITS = re.compile(r"[0-9a-f][0-9a-f ]*+")


def are_commits(columns: Texts) -> bool:
    """Return True if these are names of commits with subjects."""
    return _are_names(list(columns["commit"])) and _are_subjects(list(columns["subject"]))


def _are_names(names: list[str]) -> bool:
    """Return True if these can be names of commits: no checksums of files, no addresses, no numbers, none twice."""
    lengths = set(map(len, names))
    _, common = Counter(name[:2] for name in names).most_common(1)[0]
    return (
        max(lengths) - min(lengths) <= SPREAD
        and 32 not in lengths  # MD5
        and len(set(names)) == len(names)
        and common * 2 <= len(names)
        # Of seven random digits all are decimal in 4 of 100 names, none in 1 of 1,000.
        and sum(not name.isdecimal() for name in names) * 10 >= len(names) * 8
        and sum(not name.isalpha() for name in names) * 10 >= len(names) * 8
    )


def _are_subjects(subjects: list[str]) -> bool:
    """Return True if these are what people write: words; not paths, refs, lines of a reflog, digits of a dump."""
    others = sum(
        subject.startswith(("refs/", "(")) or bool(_REFLOG.match(subject) or _DIGITS.fullmatch(subject))
        for subject in subjects
    )
    return others * 2 < len(subjects) and sum(" " in subject for subject in subjects) * 3 >= len(subjects)


def _are_decorated(columns: Texts) -> bool:
    return any(map(_DECORATED.match, columns["refs"])) and are_commits(columns)


_STYLE: Final[dict[str, Any]] = {"noun": "commits", "least": 5, "unfit": 100, "what": "{rows}, one a line"}
FORM: Final = line_form(
    "oneline",
    "a list of commits",
    Style(name="decorated", pattern=_COMMIT + _REFS + _SUBJECT, fits=_are_decorated, **_STYLE),
    Style(name="plain", pattern=_COMMIT + _SUBJECT, fits=are_commits, **_STYLE),
)
