"""The layout of a log: where the time stamp of an entry is and how it is written, and the fields before and after it.

A layout is a choice of declared parts, which a sample of lines makes: the stamp, what is before it, a known head after
it (an access log, syslog, klog, logcat) or a plain one: the place of the level among the first words, and how the
source is written. ``entry_pattern`` makes one pattern of it, whose named groups are columns. If a text is rather a
table, a listing or a history, it has no layout. No repeat in a pattern can go on with what follows it.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.log_times import END, MAX_STAMP, STAMPS, finder

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MIN_NEARLY_ALL: Final = 0.9  # At least 9 in 10 lines have the parts of the layout: some lines are always different.
MIN_MOST: Final = 0.6  # At least 6 in 10 lines have a level in one place, or a stamp.
GOLDEN: Final = 0.618033988749895  # Its multiples spread evenly and without a period.
MAX_LEARNED: Final = 40  # The layout is learned from at most 40 lines.
MAX_LEARNED_LINE: Final = 2_000  # The layout is learned from at most 2,000 characters of each line.
MAX_REACH: Final = 200  # A stamp begins in the first 200 characters of a line.
MIN_ENTRIES: Final = 5  # A layout is learned from at least 5 entries.
MAX_WORDS: Final = 6  # Words before a stamp, or between it and the level.

_CALM = (
    "TRACE|TRC|FINEST|FINER|FINE|VERBOSE|VRB|DEBUG[1-5]?|DBG|CONFIG|INFORMATION|INFO|INF|NOTICE|NOTE|LOG|SUCCESS|"
    "STATEMENT|DETAIL|HINT|CONTEXT|DISPLAY|WARNING|WARN|WRN"
)
_BAD = "ERROR|ERR|SEVERE|FAILURE|CRITICAL|CRIT|FATAL|FTL|ASSERT|ALERT|PANIC|EMERGENCY|EMERG"
ERRORS: Final = {word: rank for rank, word in enumerate(_BAD.split("|"))}  # the greater, the worse
# The usual words come first: a pattern that ignores case takes twice as long.
_WORD: Final = rf"(?:INFO|ERROR|WARN|DEBUG|info|error|warn|debug|(?i:{_CALM}|{_BAD}))"
LEVEL_WORD = re.compile(_WORD)
# Android and klog write one letter.
LETTERS: Final = dict(
    zip("VTDIWEFA", ["VERBOSE", "TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL", "ASSERT"], strict=True)
)

# Where something may be missing, an empty alternative is quicker than ``?``.
_GAP, _BLANKS = r"[ \t]*", r"[ \t]+"
_VALUE = r'(?:"[^"\\\n]*(?:\\.[^"\\\n]*)*"|[^\s"]*)'
_QUOTED = r'[^"\\\n]*(?:\\.[^"\\\n]*)*'
_INNER = r"[^\[\]\n]{0,160}(?:\[[^\[\]\n]{0,160}\][^\[\]\n]{0,160}){0,4}"
_NAME = r"""[A-Za-z_<@][^\s\[\]"'=,;|{}]{0,159}"""
_MARK = rf"(?:{_GAP}(?:\||-{{1,3}}(?=[ \t])|[:,;](?=[ \t]))|)"
_FIELD = r"""(?:\[[^\]\n]{0,160}\]:?|[^\s\["'=][^\s"'=]{0,119})"""
_ZONE = r"(?:[ ](?P<zone>(?:CE|WE|EE)S?T|BST|IST|MSK|JST|KST|SGT|AE[SD]T|[ECMP][SD]T)(?=[ \]])|)"
_PLAIN_WORD = r"""(?:[^\s"'(),;={}<>|\[\]]{1,120}(?<!:)[ \t]+)"""

# What may be before the stamp, the first that nearly all lines have.
BEFORE: Final = {
    "nothing": r'[\["]?',
    "priority": r"<(?P<priority>[0-9]{1,3})>(?:1[ ])?",
    "letter": r"(?P<level>[DIWEF])",
    "pairs": rf'(?P<pairs>(?:[\w.@/-]{{1,80}}={_VALUE}[ ])*?)[\w.@-]{{1,40}}="?',
    "level": rf"\[?(?P<level>{_WORD})\]?[:,]?[ \t]+(?:\[(?P<thread>{_INNER})\][ \t]+)?\[?",
    "name |": r"(?P<container>[^\s|]{1,80})[ \t]*\|[ \t]?\[?",
    "[name]": r"\[(?P<container>[^\]\n]{1,160})\][ \t]+\[?",
    "tabs": r"(?P<before>(?:[^\t\n]{1,160}\t){1,4})\[?",
    # No list of files, no bullets.
    "words": rf"(?![-dlbcps][-rwxsStT]{{9}})(?=[^\s\w]{{0,3}}\w|-[ ])(?P<before>{_PLAIN_WORD}{{1,{MAX_WORDS}}})\[?",
}
# Heads that are known as a whole.
HEADS: Final = {
    # A request that is no request line is kept whole.
    "request": (
        rf'{_GAP}"(?:(?P<method>[A-Z]{{3,20}})[ ](?P<path>[^\s"]+)[ ](?P<protocol>HTTP/[0-9.]+)"'
        rf'|(?P<request>{_QUOTED})")'
        rf"(?:[ \t]+(?P<status>[1-5][0-9]{{2}})[ \t]+(?:(?P<bytes>[0-9]{{1,15}})|-)(?=[ \t\n])"
        rf'(?:[ \t]+"(?P<referer>{_QUOTED})"[ \t]+"(?P<agent>{_QUOTED})")?)?'
    ),
    "logcat": (
        r"[ \t]+(?P<pid>[0-9]{1,9})[ \t]+(?P<tid>[0-9]{1,9})[ \t]+(?P<level>[VDIWEFA])[ \t]+(?P<source>[^:\n]{0,80}):"
        r"(?=[ \t\n])"
    ),
    "klog": r"[ \t]+(?P<number>[0-9]{1,9})[ \t]+(?P<source>[^\s:\]]{1,120}):(?P<at>[0-9]{1,6})\](?=[ \t\n])",
    "syslog": (
        r"""[ \t]+(?P<host>[^\s"'=]{1,255})[ \t]+"""
        r"""(?P<source>[^\s:\[\]"'=]{1,100}(?:[ ][^\s:\[\]"'=]{1,100}){0,3}(?=\[)"""
        r"""|[^\s:\[\]"'=]{1,100})(?:\[(?P<pid>[0-9]{1,9})\]:?|:)(?=[ \t\n])"""
    ),
}
# How a source is written, after the level if there is one.
_PID = r"(?:[ \t]*(?P<pid>[0-9]{1,9})[ ]---|)"
SOURCES: Final = {
    "[thread] name": (
        rf"{_PID}{_GAP}\[(?P<thread>{_INNER})\]:?[ \t]+(?P<source>{_NAME}){_GAP}(?::|-{{1,3}}|\|)(?=[ \t\n])"
    ),
    "[name]": rf"{_PID}{_GAP}\[(?![0-9]+\])(?P<source>{_INNER})\]:?",
    "name[pid]": rf"{_GAP}(?P<source>{_NAME})\[(?P<pid>[0-9]{{1,9}})\]:?(?=[ \t\n])",
    "name": rf"{_PID}{_GAP}(?P<source>{_NAME}(?:[ ]\*[0-9]{{1,4}}|)){_GAP}(?::|[ \t]-{{1,3}}|[ \t]\||\])(?=[ \t\n])",
    "a.name": r"[ \t]+(?P<source>[A-Za-z_][\w$]*(?:(?:\.|::|/)[\w$<>-]{1,80}){1,12})(?=[ \t])",
    "none": "",
}
# Entries without a time, as Python's logging writes them unless it is configured otherwise.
LEVELLED: Final = re.compile(
    rf"(?:(?P<level>(?-i:{_CALM}|{_BAD})):(?P<source>[A-Za-z_][\w.<>/-]{{0,159}}):(?P<message>.*)|.*)\n"
)

_COMMIT = re.compile(r"(?=[0-9]*[a-f])[0-9a-f]{7,40}[\s|].*\n?")  # and its subject
_LISTED = re.compile(r"(?:[0-9]+\s+)?\S*")  # a file, perhaps after its size
_DIGITS = re.compile(r"[0-9]+")
Layout = dict[str, Any]


def spread(lines: list[str], count: int) -> list[str]:
    """Return some of the lines, the first and others from all over; never every tenth, say, as lines may repeat so
    too."""
    if len(lines) <= count:
        return lines
    return [lines[at] for at in sorted({int(number * GOLDEN % 1 * len(lines)) for number in range(count)})]


def entry_pattern(layout: Layout) -> re.Pattern[str]:
    """Return the pattern of any line with its newline. Its groups are filled only if the line begins an entry."""
    if not layout["stamp"]:
        return LEVELLED
    return _entry_pattern(*(layout[part] for part in ("before", "stamp", "head", "level", "source")))


@lru_cache(maxsize=256)
def _entry_pattern(before: str, stamp: str, head: str, level: int | None, source: str) -> re.Pattern[str]:
    start = rf'{BEFORE[before]}{STAMPS[stamp].pattern}{END}[\]"]?{_ZONE}'
    return re.compile(rf"(?:{start}{_after(head, level, source)}|.*)\n")


def _after(head: str, level: int | None, source: str) -> str:
    """Return the pattern of what follows a stamp, up to the end of the line."""
    if head:
        return rf"(?:{HEADS[head]}{_GAP}(?P<message>.*)|{_GAP}(?P<message2>.*))"
    if level is None:
        inner = SOURCES[source]
    else:
        words = f"(?P<context>{level * (_FIELD + _BLANKS)})" if level else ""
        named = _MARK + SOURCES[source] if source != "none" else ""
        word = rf"[\[<(]?{_GAP}(?:(?<=\[)(?P<module>[\w-]{{0,40}}):|)(?P<level>{_WORD})"
        inner = rf"{_GAP}{words}{word}{_GAP}(?:[\]>)]:?|/|(?=[ \t|:\]\n,-])){named}"
    if not inner:
        return rf"{_MARK}{_GAP}(?P<message>.*)"
    return rf"{_MARK}(?:{inner}{_MARK}{_GAP}(?P<message>.*)|{_GAP}(?P<message2>.*))"


def learn(lines: list[str]) -> Layout | None:
    """Return the layout of lines of which nearly all begin an entry; None if they are no log."""
    some = [f"{line[:MAX_LEARNED_LINE]}\n" for line in spread(lines, MAX_LEARNED)]
    for stamp in _stamps(some):
        hits = [hit for line in some if (hit := finder(stamp).search(line, 0, MAX_REACH + MAX_STAMP))]
        before = _first(BEFORE, [hit.string[: hit.start()] for hit in hits])
        if before is None:
            continue
        rests = [hit.string[hit.end() :] for hit in hits]
        layout = {"before": before, "stamp": stamp, **_head_of(rests, before, stamp)}
        if _is_log(layout, hits, rests) and not _is_table(layout, rests, some[0]):
            return layout
    return None


def learn_levels(lines: list[str]) -> Layout | None:
    """Return the layout of a log without times, in the default format of Python's logging: ``LEVEL:logger:message``."""
    matches = [LEVELLED.fullmatch(f"{line[:MAX_LEARNED_LINE]}\n") for line in (lines[0], *spread(lines, MAX_LEARNED))]
    first, *others = [match is not None and match[1] is not None for match in matches]
    if not first or sum(others) < max(MIN_ENTRIES, MIN_MOST * len(others)):
        return None
    return {"before": "nothing", "stamp": "", "head": "", "level": 0, "source": "name"}


def _stamps(lines: list[str]) -> list[str]:
    """Return names of stamps that most lines have, the most telling first, and of two alike the one that is first."""
    places: list[tuple[int, int, str]] = []
    for name, stamp in STAMPS.items():
        starts = _starts(name, lines)
        if len(starts) >= max(MIN_ENTRIES, MIN_MOST * len(lines)):
            places.append((stamp.rank, sorted(starts)[len(starts) // 2] if stamp.rank else 0, name))
    return [name for _, _, name in sorted(places, key=lambda one: one[:2])]


def _starts(stamp: str, lines: list[str]) -> list[int]:
    """Return where a stamp begins on the lines that have it. Lines without are known to be too many soon."""
    search, misses = finder(stamp).search, len(lines) - MIN_MOST * len(lines)
    starts: list[int] = []
    for line in lines:
        if hit := search(line, 0, MAX_REACH + MAX_STAMP):
            starts.append(hit.start())
        elif (misses := misses - 1) < 0:
            return []
    return starts


def _first(patterns: dict[str, str], texts: list[str]) -> str | None:
    """Return the name of the first pattern that nearly all texts match as a whole."""
    return next((name for name, one in patterns.items() if _share(re.compile(one), texts) >= MIN_NEARLY_ALL), None)


def _share(pattern: re.Pattern[str], texts: Sequence[str]) -> float:
    return sum(pattern.fullmatch(text) is not None for text in texts) / max(1, len(texts))


def _head_of(rests: list[str], before: str, stamp: str) -> Layout:
    """Return the parts of a layout after the stamp."""
    rests = [re.sub(rf'^[\]"]?{_ZONE}', "", rest) for rest in rests]
    plain: Layout = {"head": "", "level": None, "source": "none"}
    for head, pattern in HEADS.items():
        hits = [hit for rest in rests if (hit := re.match(pattern, rest))]
        if len(hits) < MIN_NEARLY_ALL * len(rests) or (head == "klog") != (before == "letter"):
            continue
        if head == "request" and sum(hit["method"] is not None for hit in hits) < MIN_MOST * len(hits):
            continue
        if head != "syslog" or stamp == "syslog" or _are_hosts(hits):
            return {**plain, "head": head}
    if before == "pairs":
        return plain
    level = None if before in ("level", "letter") else _level_of(rests)
    least = MIN_NEARLY_ALL * len(_sources(rests, level, "none"))
    fitting = (
        source
        for source in SOURCES
        if len(names := _sources(rests, level, source)) >= least and (source == "none" or _repeat(names))
    )
    return {"head": "", "level": level, "source": next(fitting)}


def _sources(rests: list[str], level: int | None, source: str) -> list[str]:
    """Return the sources of the lines that have this head."""
    hits = [hit.groupdict() for rest in rests if (hit := re.match(_after("", level, source), rest))]
    return [hit.get("source") or "" for hit in hits if hit["message"] is not None]


def _are_hosts(hits: list[re.Match[str]]) -> bool:
    """Return True if these are hosts and processes. After other stamps than that of syslog, hosts must be few and most
    have a pid."""
    hosts, pids = {hit["host"] for hit in hits}, sum(hit["pid"] is not None for hit in hits)
    return len(hosts) * 4 <= len(hits) and pids >= MIN_MOST * len(hits)


def _level_of(rests: list[str]) -> int | None:
    """Return the number of words before the level: most lines have it in the same place, and it is not always the same
    word, unless it is the first in brackets."""
    found: Counter[int] = Counter()
    words: set[str] = set()
    for rest in rests:
        for number in range(MAX_WORDS + 1):
            hit = re.match(_after("", number, "none"), rest)
            if hit is not None and hit["level"] is not None:
                found[number] += 1
                words.add(hit["level"])
                break
    number, count = found.most_common(1)[0] if found else (0, 0)
    is_level = count >= MIN_MOST * len(rests) and (len(words) > 1 or number == 0)
    return number if is_level else None


def _repeat(names: Iterable[str]) -> bool:
    """Return True if names occur again and again, as those of sources do and ids do not; line numbers in them may
    differ."""
    every = list(names)
    return len({_DIGITS.sub("", name) for name in every}) * 2 <= len(every) or len(every) < 8


def _is_log(layout: Layout, hits: list[re.Match[str]], rests: list[str]) -> bool:
    """Tell logs from listings, histories, maps, and numbers that are no times."""
    before, stamp = layout["before"], layout["stamp"]
    has_level = layout["level"] is not None or layout["head"] in ("logcat", "klog") or before in ("level", "letter")
    if stamp == "clock":
        return has_level and before != "words"
    rests = [rest.strip() for rest in rests]
    if _share(_COMMIT, [hit.string for hit in hits]) >= MIN_NEARLY_ALL or _share(_COMMIT, rests) >= MIN_NEARLY_ALL:
        return False
    if has_level or layout["head"] or layout["source"] != "none" or before in ("pairs", "priority"):
        return True
    if stamp == "epoch":
        # A bare number of ten digits is often an id: it counts as a time beside other fields, or with decimals.
        return before == "words" or "." in hits[0][0]
    is_listing = _share(_LISTED, rests) >= MIN_NEARLY_ALL or sum(map(bool, rests)) < MIN_MOST * len(rests)
    is_list = before == "words" and all(hit.string.startswith("- ") for hit in hits)
    return not (is_listing or is_list or all(rest[:1] == ":" for rest in rests))


def _is_table(layout: Layout, rests: list[str], first: str) -> bool:
    """Return True if all lines have the same number of cells. A log may have them too: its last cell is a text of some
    words, and it has no header."""
    followed = Counter(rest.lstrip(" ")[:1] for rest in rests)
    delimiter, count = followed.most_common(1)[0]
    cells = [rest.count(delimiter) for rest in rests] if delimiter in "\t|,;" and count == len(rests) else [0]
    if not cells[0] or cells.count(cells[0]) < MIN_NEARLY_ALL * len(cells):
        return False
    if not first.endswith(rests[0]) and first.count(delimiter) >= cells[0]:
        return True
    texts = sum(" " in rest[rest.rindex(delimiter) :].strip(f"{delimiter} \n") for rest in rests)
    return layout["level"] is None and (
        delimiter != "|" or layout["before"] != "nothing" or texts < MIN_MOST * len(rests)
    )
