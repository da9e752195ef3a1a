"""Learn from some lines of a log how all of its entries are laid out: where the time stamp stands and how it is
written, where the level word is, and where the source.

A piece belongs to the layout if nearly all lines of the sample that got as far have it; a level if most have. What
stands after the last piece is the message. Where a text is rather a table, a listing or a history, nothing is learned.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.log_pieces import LEVELLED, LEVELS, matcher, piece
from penstock.core.forms.log_times import LONGEST, STAMPS, finder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


NEARLY_ALL: Final = 0.9  # share of the lines that have what belongs to the layout: some lines are always different
MOST: Final = 0.6  # share of the lines that have a level, or what a rule of thumb asks for
GOLDEN: Final = 0.618033988749895  # its multiples spread evenly and without a period
LEARNED: Final = 40  # lines that the layout is learned from: a piece is on nearly all of them or on few
LONGEST_LEARNED: Final = 2_000  # characters of each
PROBED: Final = 10  # lines that are searched for stamps of all kinds
REACH: Final = 200  # characters of a line in which its stamp begins
LEAST: Final = 5  # entries that a layout is learned from
MOST_PIECES: Final = 12  # before, and after a stamp
MOST_WORDS: Final = 6  # before a stamp, or between it and the level

_COMMIT = re.compile(r"(?=[0-9]*[a-f])[0-9a-f]{7,40}[\s|].*\n?")  # and what follows it
_LISTED = re.compile(r"(?:[0-9]+\s+)?\S*")  # a file, perhaps after its size
_TIME = re.compile(r"[0-9][:.][0-9]{1,2}[:.][0-9]|[0-9]{6}|-[0-9]{2}[T ][0-9]{2}:[0-9]{2}")
_KEY = re.compile(r'([\w.@-]{1,40})="?\Z')
_DIGITS = re.compile(r"[0-9]+")
_AT_END = re.compile(r"[^\n]* \([A-Za-z_][\w.$]*\)\n")
_ZONES = re.compile("(?:CE|WE|EE)S?T|BST|IST|MSK|JST|KST|SGT|AE[SD]T|[ECMP][SD]T")
_BEFORE = ("<priority>", "letter,", "level before", "date before", "name |", "[name] before", "tabbed", "word before")
_LEVELS = ("[thread/level]", "source.level:", "[source:level]", "[level]", "user LEVEL:", "LEVEL", "level")
_LETTERS = ("letter/tag(pid):", "letter after")
_IDS = ("[pid n:tid n]", "pid#tid:", "#pid]", "[ n]name", "[pid]", "(pid):", "pid ---", "pid tid", "number")
_IDS_AFTER_SOURCE = ("[pid n:tid n]", "n|")
_NAMES = (
    "/name]",
    "name[pid]:",
    "name[id]:",
    "name [pid]:",
    "file:n]",
    "name:",
    "name|",
    "name -",
    "name]",
    "name  ",
    "a.name",
)
_REQUEST_WORDS = (
    (),
    ("client",),
    ("client", "user"),
    ("client", "ident", "user"),
    ("host", "client", "ident", "user"),
    ("c1", "host", "client", "ident", "user"),
    ("c1", "c2", "host", "client", "ident", "user"),
)  # before the stamp of an access log, by their number
_NAMES_BEFORE_LEVEL = ("name [pid]:", "name -")

Match = re.Match[str]
Layout = dict[str, Any]


def spread(lines: list[str], count: int) -> list[str]:
    """Return some of the lines, the first and others from all over; never every tenth, say, as lines may repeat so
    too."""
    if len(lines) <= count:
        return lines
    return [lines[at] for at in sorted({int(number * GOLDEN % 1 * len(lines)) for number in range(count)})]


class Walk:
    """Lines, each with its newline, how far each has been read, and the pieces that all of them had so far."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = [0] * len(lines)
        self.pieces: list[str] = []
        self.roles: list[str] = []
        self.values: list[str] = []  # of these roles, on the first line

    def take(self, name: str, share: float = NEARLY_ALL, fits: Callable[[list[Match]], bool] = lambda _: True) -> bool:
        """Go on after a piece if this share of the lines has it next; those that do not are left behind."""
        match = matcher(name).match
        misses = int(len(self.lines) * (1 - share) + 1e-9)
        hits: list[Match] = []
        for line, at in zip(self.lines, self.at, strict=True):
            hit = match(line, at)
            if hit is not None:
                hits.append(hit)
            elif misses:
                misses -= 1
            else:
                return False
        if not hits or not fits(hits):
            return False
        self.lines = [hit.string for hit in hits]
        self.at = [hit.end() for hit in hits]
        self.pieces.append(name)
        self.roles += piece(name).roles
        self.values += hits[0].groups("")
        return True

    def drop(self) -> None:
        """Leave the last piece to the message; the places are not needed any more."""
        count = len(piece(self.pieces.pop()).roles)
        del self.roles[len(self.roles) - count :], self.values[len(self.values) - count :]

    def rests(self) -> list[str]:
        return [line[at:] for line, at in zip(self.lines, self.at, strict=True)]


def is_log(walk: Walk, stamp: str, before: list[str]) -> bool:
    """Tell logs from listings, histories, maps, and numbers that are no times; ``before`` are the pieces before the
    stamp."""
    if stamp == "clock":
        return "level" in walk.roles and "word before" not in before
    rests = [rest.strip() for rest in walk.rests()]
    if all_match(_COMMIT, walk.lines) or all_match(_COMMIT, rests):
        return False
    if not {"level", "source", "method", "pairs", "priority"}.isdisjoint(walk.roles):
        return True
    if stamp == "epoch":
        # A bare number of ten digits is often an id: it counts as a time beside other fields, or with decimals.
        return walk.roles.count("word") > 1 or "." in walk.lines[0][: walk.at[0]]
    is_listing = all_match(_LISTED, rests) or sum(map(bool, rests)) < MOST * len(rests)
    is_list = before == ["word before"] and walk.values[0] == "-"
    is_map = walk.pieces == ["mark"] and walk.lines[0][walk.at[0] - 1] == ":"
    return not (is_listing or is_list or is_map)


def delimiter_of(walk: Walk) -> str:
    """Return what follows right after the stamp, if it is what tables have between their cells."""
    followed = Counter(rest.lstrip(" ")[:1] for rest in walk.rests())
    delimiter, count = followed.most_common(1)[0]
    return delimiter if delimiter in "\t|,;" and count == len(walk.lines) else ""


def is_table(walk: Walk, delimiter: str, first: str, before: list[str]) -> bool:
    """Return True if all lines have the same number of cells. A log may have them too: its last cell is a text of some
    words, and it has no header."""
    cells = [line.count(delimiter) for line in walk.lines] if delimiter else [0]
    if not cells[0] or cells.count(cells[0]) < NEARLY_ALL * len(cells):
        return False
    if first not in walk.lines and first.count(delimiter) == cells[0]:
        return True
    texts = sum(" " in line[line.rindex(delimiter) :].strip(f"{delimiter} \n") for line in walk.lines)
    return "level" not in walk.roles and (delimiter != "|" or before != [] or texts < MOST * len(walk.lines))


def all_match(pattern: re.Pattern[str], texts: list[str]) -> bool:
    return sum(pattern.fullmatch(text) is not None for text in texts) >= NEARLY_ALL * len(texts)


def learn(lines: list[str]) -> Layout | None:
    """Return the layout of lines of which nearly all begin an entry; None if they are no log."""
    some = [f"{line[:LONGEST_LEARNED]}\n" for line in spread(lines, LEARNED)]
    for stamp in _stamps(some):
        walk = _read_before(some, stamp)
        if walk is None:
            continue
        before, walk.pieces = walk.pieces, []
        delimiter = delimiter_of(walk)
        _read_after(walk, stamp, before)
        if is_log(walk, stamp, before) and not is_table(walk, delimiter, some[0], before):
            ends = "source" not in walk.roles and all_match(_AT_END, walk.rests())
            columns = _columns(walk, ends=ends)
            before = ["field" if name == "word before" else name for name in before]
            return {"before": before, "stamp": stamp, "after": walk.pieces, "columns": columns, "ends": ends}
    return None


def learn_levels(lines: list[str]) -> Layout | None:
    """Return the layout of a log without times, in the default format of Python's logging: ``LEVEL:logger:message``."""
    if lines[0].partition(":")[0] not in LEVELS:
        return None
    some = [f"{line[:LONGEST_LEARNED]}\n" for line in spread(lines, LEARNED)]
    levelled = [groups for groups in LEVELLED.findall("".join(some)) if groups[0]]
    if len(levelled) < max(LEAST, MOST * len(some)):
        return None
    return {"before": [], "stamp": "", "after": [], "columns": ["level", "source"], "ends": False}


def _stamps(lines: list[str]) -> list[str]:
    """Return names of stamps that most lines have, the most telling first."""
    probes = [line for line in spread(lines, PROBED) if _TIME.search(line, 0, REACH)]
    if len(probes) < LEAST:
        return []
    places = [
        (stamp.rank, sorted(starts)[len(starts) // 2] if stamp.rank else 0, name)
        for name, stamp in STAMPS.items()
        if (starts := _starts(name, probes))
    ]
    names = [name for _, _, name in sorted(places, key=lambda one: one[:2])]
    return [name for name in names if not _is_ambiguous(name, names, lines)]


def _starts(stamp: str, lines: list[str]) -> list[int]:
    """Return where a stamp begins on the lines that have it; none where it is not on most of them."""
    search, misses = finder(stamp).search, len(lines) - MOST * len(lines)
    starts: list[int] = []
    for line in lines:
        if hit := search(line, 0, REACH + LONGEST):
            starts.append(hit.start())
        elif (misses := misses - 1) < 0:
            return []
    return starts


def _is_ambiguous(name: str, names: list[str], lines: list[str]) -> bool:
    """Return True if another stamp reads as many lines, as other dates: then nothing tells the month from the day."""
    rival = STAMPS[name].rival
    if rival not in names:
        return False
    mine, other = (sum(finder(one).search(line, 0, REACH) is not None for line in lines) for one in (name, rival))
    return mine <= other


def _read_before(lines: list[str], stamp: str) -> Walk | None:
    """Take the pieces before the stamp, until it is next on nearly all lines that have it, and the stamp itself."""
    spans = {line: hit.span() for line in lines if (hit := finder(stamp).search(line, 0, REACH + LONGEST))}
    walk = Walk([line for line in lines if line in spans])
    if stamp == "klog":
        walk.take("letter")
    for _ in range(MOST_PIECES):
        here = [line for line, at in zip(walk.lines, walk.at, strict=True) if at == spans[line][0]]
        if len(here) >= max(LEAST, NEARLY_ALL * len(walk.lines)):
            walk.lines, walk.at = here, [spans[line][1] for line in here]
            return walk
        if not _take_before(walk, spans):
            break
    return None


def _take_before(walk: Walk, spans: dict[str, tuple[int, int]]) -> bool:
    def precedes(hits: list[Match]) -> bool:
        return all(hit.end() <= spans[hit.string][0] for hit in hits)

    def adjoins(hits: list[Match]) -> bool:
        return all(hit.end() == spans[hit.string][0] for hit in hits)

    def are_levels(hits: list[Match]) -> bool:
        return precedes(hits) and _known(hit[1] for hit in hits) >= NEARLY_ALL * len(hits)

    key = _key_before(walk, spans)
    if key is not None:
        return walk.take(f"pairs:{key}", fits=adjoins)
    return walk.take("[", fits=adjoins) or any(
        walk.take(name, fits=are_levels if name == "level before" else precedes)
        for name in _BEFORE
        if name != "word before" or walk.roles.count("word") < MOST_WORDS
    )


def _key_before(walk: Walk, spans: dict[str, tuple[int, int]]) -> str | None:
    """Return the key whose value the stamp is, where lines are made of ``key=value``."""
    starts = [line[: spans[line][0]] for line in walk.lines]
    keys = Counter(hit[1] for text in starts if text.endswith(("=", '="')) and (hit := _KEY.search(text[-42:])))
    key, count = keys.most_common(1)[0] if keys else ("", 0)
    return key if count >= NEARLY_ALL * len(starts) else None


def _read_after(walk: Walk, stamp: str, before: list[str]) -> None:
    """Take the pieces after the stamp: level, source, and what stands between them."""
    is_pairs = before[-1:] != [] and before[-1].startswith("pairs:")
    if is_pairs or before[-1:] == ["["]:
        walk.take("close")
    if is_pairs or ("<priority>" in before and walk.take("header")):
        return
    walk.take("zone", fits=lambda hits: all(_ZONES.fullmatch(hit[1]) for hit in hits))
    if walk.take("request", fits=lambda hits: sum(hit[1] is not None for hit in hits) >= MOST * len(hits)):
        _ = walk.take("status") and walk.take("agent")
        return
    for _ in range(MOST_PIECES):
        if walk.take("mark") or ("level" not in walk.roles and _take_level(walk)):
            continue
        if "source" in walk.roles:
            if not any(walk.take(name) for name in _IDS_AFTER_SOURCE):
                break
        elif not _take_name(walk, stamp):
            break
    while walk.pieces[-1:] and walk.pieces[-1] in {"number", "word", "[ n]name"}:
        walk.drop()


def _take_level(walk: Walk) -> bool:
    for name in _LEVELS:
        group = piece(name).roles.index("level") + 1
        # A bare word in capitals may be the first of the message: nearly all of them have to be levels.
        share = 0.95 if name == "LEVEL" else MOST

        def are_levels(hits: list[Match], name: str = name, group: int = group, share: float = share) -> bool:
            if name == "user LEVEL:" and not any(hit[1] for hit in hits):
                return False
            return _known(hit[group] for hit in hits) >= share * len(hits)

        if walk.take(name, MOST, are_levels):
            return True
    return any(walk.take(name) for name in _LETTERS)


def _known(words: Iterable[str]) -> int:
    return sum(word.upper() in LEVELS for word in words)


def _take_name(walk: Walk, stamp: str) -> bool:
    """Take what names the source, or what leads to it or to the level."""
    if any(walk.take(name) for name in ("date after", "word date", *_IDS)):
        return True
    if walk.roles.count("bracket") < 2 and walk.take("[name]", fits=_repeat):
        return True
    if _is_level_ahead(walk):
        names = any(walk.take(name, fits=_repeat) for name in _NAMES_BEFORE_LEVEL)
        return names or (walk.roles.count("word") < MOST_WORDS and walk.take("word"))
    if walk.pieces[-1:] == ["letter after"] and walk.take("tag:"):
        return True
    if "level" not in walk.roles and _take_host(walk, stamp):
        return True
    return any(walk.take(name, fits=_repeat) for name in _NAMES)


def _take_host(walk: Walk, stamp: str) -> bool:
    """Take ``host process[pid]:``. After other stamps than that of syslog, hosts must be few and most have a pid."""
    both = re.compile(piece("host").pattern + piece("process").pattern)
    hits = [hit for line, at in zip(walk.lines, walk.at, strict=True) if (hit := both.match(line, at))]
    if len(hits) < MOST * len(walk.lines):
        return False
    hosts, pids = {hit[1] for hit in hits}, sum(hit[3] is not None for hit in hits)
    is_syslog = stamp == "syslog" or "word date" in walk.pieces
    if not is_syslog and (len(hosts) * 4 > len(hits) or pids < MOST * len(hits)):
        return False
    return walk.take("host") and walk.take("process", MOST)


def _repeat(hits: list[Match]) -> bool:
    """Return True if names occur again and again, as those of sources do and ids do not; line numbers in them may
    differ."""
    return len({_DIGITS.sub("", hit[1]) for hit in hits}) * 2 <= len(hits) or len(hits) < 8


def _is_level_ahead(walk: Walk) -> bool:
    """Return True if level words are still to come, in the same place of most lines, and not the same word on all of
    them."""
    if "level" in walk.roles:
        return False
    levels: list[tuple[int, str]] = []
    for rest in walk.rests():
        words = [
            word.strip("[]<>():|,-").upper() for word in rest[:REACH].split(None, MOST_WORDS + 1)[: MOST_WORDS + 1]
        ]
        levels += [(at, word) for at, word in enumerate(words) if word in LEVELS][:1]
    places = Counter(at for at, _ in levels).most_common(1)
    return len(set(levels)) > 1 and places[0][1] >= MOST * len(walk.lines)


def _columns(walk: Walk, *, ends: bool) -> list[str]:
    """Return the column of each group before and after the stamp: its role, or a number where it has none."""
    roles = list(walk.roles)
    if "method" in roles:
        names = list(_REQUEST_WORDS[roles.count("word")])
        return [names.pop(0) if role == "word" else role for role in roles]
    if "source" not in roles and not ends:
        _promote(roles, walk.values)
    columns: list[str] = []
    for at, role in enumerate(roles):
        name = role
        if role == "bracket":
            # Programs write the thread in brackets beside the logger; without one, it may be anything.
            name = "thread" if "source" in walk.roles and "bracket" not in roles[at + 1 :] else "context"
        elif role == "prefix":
            name = "thread" if "level" in columns else "container"
        if role == "word" or name in columns:
            name = f"c{sum(re.fullmatch('c[0-9]+', one) is not None for one in columns) + 1}"
        columns.append(name)
    return columns


def _promote(roles: list[str], values: list[str]) -> None:
    """Call the likeliest of the other names the source: one in brackets, before the stamp, or before the level."""
    for role in ("bracket", "thread", "prefix"):
        places = [at for at, one in enumerate(roles) if one == role]
        if places:
            dotted = [at for at in places if "." in values[at]]
            roles[(dotted or places)[-1]] = "source"
            return
    level = roles.index("level") if "level" in roles else 0
    if level and roles[level - 1] == "word":
        roles[level - 1] = "source"
