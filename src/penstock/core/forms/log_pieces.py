"""Pieces of a log's layout: what stands before and after the time stamp of an entry, each a pattern with a name.

A layout is a list of these names, so that a store can keep it; ``entry_pattern`` makes one pattern of it. No repeat in
a piece can go on with what follows it, so all of them are linear. They are greedy and not possessive: CPython takes
twice as long for those from 3.11.5 on, and loses groups inside them before that (python/cpython issue 101955).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from penstock.core.forms.log_times import END, STAMPS

if TYPE_CHECKING:
    from collections.abc import Iterable

# Level words; a word that is not listed here may still stand in the place of a level. Errors come from bad to worst.
_CALM = (
    "TRACE|TRC|FINEST|FINER|FINE|VERBOSE|VRB|DEBUG|DBG|DEBUG1|DEBUG2|DEBUG3|DEBUG4|DEBUG5|CONFIG|INFO|INF|INFORMATION|"
    "NOTICE|NOTE|LOG|SUCCESS|STATEMENT|DETAIL|HINT|CONTEXT|DISPLAY|WARN|WARNING|WRN"
)
_BAD = "ERROR|ERR|SEVERE|FAILURE|CRITICAL|CRIT|FATAL|FTL|ASSERT|ALERT|PANIC|EMERG|EMERGENCY"
ERRORS: Final = {word: rank for rank, word in enumerate(_BAD.split("|"))}  # the greater, the worse
LEVELS: Final = frozenset(f"{_CALM}|{_BAD}".split("|"))
# Android, klog, glog and others write one letter.
LETTERS: Final = {
    "V": "VERBOSE",
    "T": "TRACE",
    "D": "DEBUG",
    "I": "INFO",
    "W": "WARN",
    "E": "ERROR",
    "F": "FATAL",
    "A": "ASSERT",
}
SEVERITIES: Final = ("EMERG", "ALERT", "CRIT", "ERR", "WARNING", "NOTICE", "INFO", "DEBUG")  # RFC 5424, section 6.2.1

_GAP = r"[ \t]*"
_QUOTED = r'"([^"\\\n]*(?:\\.[^"\\\n]*)*)"'
_NAME = r"""[A-Za-z_/<@][^\s\[\]"'=,;|{}]{0,159}"""
_WORD = r"""[^\s:\[\]"'=]{1,100}"""
_PID = r"[0-9]{1,9}"


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece: its pattern, and the role of each group in it."""

    pattern: str
    roles: tuple[str, ...] = ()


PIECES: Final = {
    # before the stamp; each takes the blanks after it
    "<priority>": Piece(r"<([0-9]{1,3})>(?:1[ ])?", ("priority",)),
    "letter": Piece(r"([DIWEF])", ("level",)),
    "letter,": Piece(r"[A-Z],[ ]"),
    "level before": Piece(r"\[?([A-Za-z]{3,11})\]?[:,]?[ \t]+", ("level",)),
    "date before": Piece(r"(?:1[0-9]{9}|(?:19|20)[0-9]{2}[-./][0-9]{2}[-./][0-9]{2})[ \t]+"),
    "name |": Piece(r"([^\s|]{1,80})[ \t]*\|[ \t]?", ("prefix",)),
    "[name] before": Piece(r"\[([^\]\n]{1,160})\][ \t]+", ("prefix",)),
    "tabbed": Piece(r"([^\t\n]{1,160})\t", ("word",)),
    "word before": Piece(
        r"""(?![-dlbcps][-rwxsStT]{9})(?=[^\s\w]{0,3}\w|-[ ])([^\s"'(),;={}<>|\[\]]{1,120})(?<!:)[ \t]+""", ("word",)
    ),
    "field": Piece(r"([^\s\"]{1,120})[ \t]+", ("word",)),  # the same, once it is known to be there
    "[": Piece(r"\["),
    '"': Piece('"'),
    # after the stamp; each takes the blanks before it
    "close": Piece(r"[\]\"]"),
    "mark": Piece(rf"{_GAP}(?:\||-{{1,3}}(?=[ \t])|[:,;](?=[ \t])|\](?!\[))"),
    "zone": Piece(r"[ ]([A-Z]{3,4})(?=[ \]])", ("zone",)),
    "date after": Piece(r"[ \t]+(?:19|20)[0-9]{2}[-./][0-9]{2}[-./][0-9]{2}(?=[ \t])"),
    "word date": Piece(r"[ \t]+(\S{1,120})[ \t]+[A-Z][a-z]{2}[ ]{1,2}[0-9]{1,2}[ ][0-9:]{8}(?=[ \t])", ("word",)),
    "[thread/level]": Piece(rf"{_GAP}\[([^\]/\n]{{1,80}})/([A-Za-z]{{3,11}})\]:?", ("thread", "level")),
    "source.level:": Piece(rf"{_GAP}([\w-]{{1,40}})\.([A-Za-z]{{3,11}}):", ("source", "level")),
    "[source:level]": Piece(rf"{_GAP}\[([\w-]{{0,40}}):([A-Za-z]{{3,11}}[0-9]?)\]", ("source", "level")),
    "[level]": Piece(rf"{_GAP}[\[<(][ \t]*([A-Za-z]{{1,12}}[0-9]?)[ \t]*[\]>)]:?", ("level",)),
    "user LEVEL:": Piece(
        rf"{_GAP}(?:([\w.-]{{1,64}}@[\w.-]{{1,64}})[ \t]+)?([A-Z]{{3,11}}[0-9]?)(?=:[ \t])", ("user", "level")
    ),
    "LEVEL": Piece(rf"{_GAP}([A-Z]{{3,11}}[0-9]?)(?=[ \t|:/\]\n,-])", ("level",)),
    "level": Piece(rf"{_GAP}((?i:{_CALM}|{_BAD}))(?=[ \t|:/\]\n,-])", ("level",)),
    "letter after": Piece(r"[ \t]+([VTDIWEFA])(?=[ \t])", ("level",)),
    "letter/tag(pid):": Piece(rf"[ \t]+([VDIWEFA])/([^(\n]{{0,80}})\([ \t]*({_PID})\):", ("level", "source", "pid")),
    "/name]": Piece(r"/([^\]\s]{1,80})\]", ("source",)),
    "host": Piece(r"[ \t]+([^\s\"'=]{1,255})", ("host",)),
    "process": Piece(
        rf"[ \t]+({_WORD}(?:[ ]{_WORD}){{0,3}}(?=\[)|{_WORD})(?:\[({_PID})\]:?|:)(?=[ \t\n])", ("source", "pid")
    ),
    "header": Piece(
        r"[ ](\S{1,255})[ ](\S{1,48})[ ](\S{1,128})[ ](\S{1,32})[ ](-|\[[^\n]*?\])(?=[ \n])",
        ("host", "source", "pid", "msgid", "data"),
    ),
    "[pid n:tid n]": Piece(rf"{_GAP}\[pid[ ]({_PID})(?::tid[ ]([0-9]{{1,18}}))?\]", ("pid", "tid")),
    "pid#tid:": Piece(rf"{_GAP}({_PID})#({_PID}):", ("pid", "tid")),
    "#pid]": Piece(rf"[ \t]#({_PID})\]", ("pid",)),
    "[ n]name": Piece(rf"{_GAP}\[[ ]*({_PID})\](?=[^\s:])", ("number",)),
    "[pid]": Piece(rf"{_GAP}\[({_PID})\]:?", ("pid",)),
    "(pid):": Piece(rf"{_GAP}\(({_PID})\):", ("pid",)),
    "pid ---": Piece(rf"[ \t]+({_PID})[ \t]---(?=[ \t])", ("pid",)),
    "pid tid": Piece(rf"[ \t]+({_PID})[ \t]+({_PID})(?=[ \t]+[VTDIWEFA][ \t])", ("pid", "tid")),
    "number": Piece(r"[ \t]+([0-9]{1,9}|0x[0-9a-f]{1,16})(?=[ \t])", ("number",)),
    "[name]": Piece(
        rf"{_GAP}\[([^\[\]\n]{{0,160}}(?:\[[^\[\]\n]{{0,160}}\][^\[\]\n]{{0,160}}){{0,4}})\]:?", ("bracket",)
    ),
    "tag:": Piece(r"[ \t]([^:\n]{0,80}):(?=[ \t\n])", ("source",)),
    "name[pid]:": Piece(rf"{_GAP}({_NAME})\[({_PID})\]:?(?=[ \t\n])", ("source", "pid")),
    "name[id]:": Piece(rf"{_GAP}({_NAME}\[[^\]\s\[]{{1,60}}\]):(?=[ \t\n])", ("source",)),
    "name [pid]:": Piece(rf"{_GAP}({_NAME})[ \t]+\[({_PID})\]:?(?=[ \t\n])", ("source", "pid")),
    "file:n]": Piece(
        rf"""{_GAP}([^\s:\[\]"'=]{{1,120}}):([0-9]{{1,6}})(?:[\]:]|[ \t]+-)(?=[ \t\n])""", ("source", "at")
    ),
    "name:": Piece(rf"{_GAP}({_NAME}):(?=[ \t\n])", ("source",)),
    "name -": Piece(rf"{_GAP}({_NAME}(?:[ ][^\s:-]{{1,20}})?)[ \t]+(?:-{{1,3}}|:|\|)(?=[ \t])", ("source",)),
    "name|": Piece(r"([A-Za-z_][^\s|]{0,79})\|", ("source",)),
    "n|": Piece(rf"({_PID})\|", ("number",)),
    "name]": Piece(rf"{_GAP}({_NAME})\]", ("source",)),
    "name  ": Piece(r"""[ \t]*([^\s"'=]{1,80})(?:[ ]{2}|\t)""", ("source",)),
    "a.name": Piece(r"[ \t]+([A-Za-z_][\w$]*(?:(?:\.|::|/)[\w$<>-]{1,80}){1,12})(?=[ \t])", ("source",)),
    "word": Piece(r"""[ \t]+([^\s"'=()\[\]{}]{1,120})(?=[ \t])""", ("word",)),
    # a request, as access logs have it; one that is no request line is kept whole
    "request": Piece(
        rf'{_GAP}"(?:([A-Z]{{3,20}})[ ]([^\s"]+)[ ](HTTP/[0-9.]+)"|([^"\\\n]*(?:\\.[^"\\\n]*)*)")',
        ("method", "path", "protocol", "request"),
    ),
    "status": Piece(r"[ \t]+([1-5][0-9]{2})[ \t]+(?:([0-9]{1,15})|-)(?=[ \t\n])", ("status", "bytes")),
    "agent": Piece(rf"[ \t]+{_QUOTED}[ \t]+{_QUOTED}", ("referer", "agent")),
}


# Entries without a time, as Python's logging writes them unless it is told otherwise.
LEVELLED: Final = re.compile(rf"(?:({_CALM}|{_BAD}):([A-Za-z_][\w.<>/-]{{0,159}}):(.*)|.*)\n")


def piece(name: str) -> Piece:
    """Return a piece by its name. ``pairs:time`` are ``key=value`` up to the one whose value is the stamp."""
    if not name.startswith("pairs:"):
        return PIECES[name]
    key = re.escape(name.removeprefix("pairs:"))
    value = r'(?:"[^"\\\n]*(?:\\.[^"\\\n]*)*"|[^\s"]*)'
    return Piece(rf'((?:(?!{key}=)[\w.@/-]{{1,80}}={value}[ ])*){key}="?', ("pairs",))


@lru_cache(maxsize=256)
def matcher(name: str) -> re.Pattern[str]:
    return re.compile(piece(name).pattern)


def entry_pattern(before: Iterable[str], stamp: str, after: Iterable[str]) -> re.Pattern[str]:
    """Return one pattern that takes any line, with its newline: groups are empty where it begins no entry.

    Each piece after the stamp is tried only where the one before it was there; what remains is the message.
    """
    start = "".join(piece(name).pattern for name in before)
    rest = ""
    names = list(after)
    for name in reversed(names):
        rest = f"(?:{piece(name).pattern}{rest}|)"  # quicker than ``?``
    gap = _GAP if names else "[ \t]?"
    return re.compile(rf"(?:{start}{STAMPS[stamp].pattern}{END}{rest}{gap}(.*)|.*)\n")
