"""Lists of the files of a commit: --stat, --shortstat, --numstat, --name-status, --raw, --name-only.

--stat tells how many lines changed, and draws how many of these were added; the drawing is scaled, so only its sums for
the whole commit are taken. Lists are long: each is matched as one text, and line by line only if it has other lines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from penstock.core.forms.commit_rows import NAMES, NUMSTAT, STAT, STATUS, FileList
from penstock.core.forms.git_text import moved_name, unquote
from penstock.core.forms.text_form import LONGEST_LINE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.core.forms.commit_rows import Commit

_NUMSTAT = re.compile(r"^([0-9]{1,9}|-)\t([0-9]{1,9}|-)\t([^\t\n]+)$", re.MULTILINE)
_STATUS = re.compile(r"^(?::[0-9: a-f.]+ )?([ACDMRTUXB]{1,16})[0-9]{0,3}\t([^\t\n]+)(?:\t([^\t\n]+))?$", re.MULTILINE)
_STAT = re.compile(r"^ ([^|\n]*+)\| +(?:([0-9]{1,9})(?: [+-]*)?|Bin(?: [^\n]*)?|Unmerged)$", re.MULTILINE)
_ANY_STAT = re.compile(r" (.*)\| +(?:([0-9]{1,9})(?: [+-]*)?|Bin(?: .*)?|Unmerged)")  # with | in the name
_SUMMARY = re.compile(
    r" ([0-9]{1,9}) files? changed(?:, ([0-9]{1,9}) insertions?\(\+\))?(?:, ([0-9]{1,9}) deletions?\(-\))?"
)
_SAYS_NOTHING = re.compile(
    r" (?:create|delete) mode [0-9]| (?:rename|copy|rewrite) .*\([0-9]+%\)| mode change [0-9]| \.\.\.$| +[0-9.]+% "
)
_WORDS: Final = {
    "A": "added",
    "C": "copied",
    "D": "deleted",
    "M": "modified",
    "R": "renamed",
    "T": "type changed",
    "U": "unmerged",
}


def tells_files(lines: Iterable[str]) -> bool:
    """Tell whether some of these lines list files with more than their names, or are patches of them."""
    return any(
        line.startswith(("diff --git ", "diff --cc "))
        or any(one.fullmatch(line) for one in (_SUMMARY, _NUMSTAT, _STATUS))
        for line in lines
    )


def is_listed(line: str) -> str | None:
    """Return the name of the file that a line of --stat or --numstat tells; empty for a summary, None for other
    lines."""
    if match := _NUMSTAT.fullmatch(line):
        return match[3]
    if match := _STAT.fullmatch(line) or _ANY_STAT.fullmatch(line, 0, LONGEST_LINE):
        return match[1].strip()
    return "" if _SUMMARY.fullmatch(line) else None


def take_list(commit: Commit, block: Sequence[str], at: int, *, names: bool) -> int:
    """Add the files that these lines list, of which the first has this number, to a commit. Returns how many lines are
    none of these lists; with ``names``, any line that is not indented is the name of a file."""
    if block[0] == "---":
        block, at = block[1:], at + 1
    first = block[0] if block else "Notes:"
    if first.startswith(("Notes:", "Notes (")):
        return 0
    if first[0] == " ":
        return _take_stat(commit, block, at)
    if "\t" in first:
        return (_take_numstat if first[0] in "-0123456789" else _take_status)(commit, block, at)
    if names and len(set(block)) == len(block):  # git lists no file twice
        files = [unquote(line) if line[0] == '"' else line for line in block]
        commit.lists += ((NAMES, FileList(range(at, at + len(block)), files)),)
        return 0
    return len(block)


def _take_stat(commit: Commit, block: Sequence[str], at: int) -> int:
    summary = _SUMMARY.fullmatch(block[-1])
    listed = block[:-1] if summary else block
    numbers, matches = _matches(_STAT, listed, at)
    others = 0
    if len(matches) < len(listed):
        numbers, matches = _matches(_ANY_STAT, listed, at)
        others = sum(not _says_nothing(commit, line) for line in listed if not _ANY_STAT.fullmatch(line))
    if summary:
        _sum_up(commit, summary)
    if matches:
        names, amounts = zip(*matches, strict=True)
        commit.lists += ((STAT, FileList(numbers, _names(map(str.strip, names)), changed=_numbers(amounts))),)
    return others


def _says_nothing(commit: Commit, line: str) -> bool:
    """Tell whether this line tells no file that is not listed: --summary, whose last line then stands before these."""
    if summary := _SUMMARY.fullmatch(line):
        _sum_up(commit, summary)
        return True
    return _SAYS_NOTHING.match(line, 0, LONGEST_LINE) is not None


def _sum_up(commit: Commit, summary: re.Match[str]) -> None:
    commit.files = int(summary[1])
    commit.added, commit.removed = int(summary[2] or 0), int(summary[3] or 0)


def _take_numstat(commit: Commit, block: Sequence[str], at: int) -> int:
    numbers, matches = _matches(_NUMSTAT, block, at)
    if matches:
        added, removed, names = zip(*matches, strict=True)
        listed = FileList(numbers, _names(names), added=_numbers(added), removed=_numbers(removed))
        commit.lists += ((NUMSTAT, listed),)
    return len(block) - len(matches)


def _take_status(commit: Commit, block: Sequence[str], at: int) -> int:
    numbers, matches = _matches(_STATUS, block, at)
    if matches:
        status = [_WORDS.get(letters) or _merged(letters) for letters, _, _ in matches]
        files = [unquote(moved or name) for _, name, moved in matches]
        moves = [unquote(name) if moved else None for _, name, moved in matches]
        commit.lists += ((STATUS, FileList(numbers, files, status=status, old_file=moves if any(moves) else None)),)
    return len(block) - len(matches)


def _merged(letters: str) -> str | None:
    """Return the status of a file in a merge, which has a letter for each parent."""
    return _WORDS.get(letters[0] if len(set(letters)) == 1 else "M")


def _names(texts: Iterable[str]) -> list[str]:
    """Take the quotes off names, and new names of those that were renamed."""
    return [moved_name(text) if " => " in text or text[:1] == '"' else text for text in texts]


def _numbers(texts: Sequence[str]) -> list[int | None]:
    """Read counts of lines; a binary file has none."""
    try:
        return list(map(int, texts))
    except ValueError:
        return [int(text) if text.isdecimal() else None for text in texts]


def _matches(pattern: re.Pattern[str], block: Sequence[str], at: int) -> tuple[Sequence[int], list[tuple[str, ...]]]:
    """Return the lines that match, with their numbers: all at once where all of them do."""
    matches = pattern.findall("\n".join(block))
    if len(matches) == len(block):
        return range(at, at + len(block)), matches
    pairs = [(number, match.groups("")) for number, line in enumerate(block, at) if (match := pattern.fullmatch(line))]
    return [number for number, _ in pairs], [groups for _, groups in pairs]
