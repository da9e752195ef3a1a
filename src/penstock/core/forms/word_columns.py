"""Columns of words without a header: ``apt list``, ``nm``, ``/proc/*/maps``, ``uniq -c``, ``git ls-tree``, ``file``.

All lines begin with the same number of words, and the words of each of these columns are of one class: numbers and
times, hashes and addresses, paths, ``key=value``, in brackets, of few values. What follows is the last column, which
some lines may lack. One word may be of any class, if one that is sure follows it. The table has ``line`` and the
columns ``c1``, ``c2``, ...; a colon behind all words of a column belongs to none of them. Prose has no such words; a
list with numbers has one, and its text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import compress, pairwise
from typing import TYPE_CHECKING, Final

from penstock.core.forms.delimited import texts_of, typed
from penstock.core.forms.headers import HeaderVerdict, class_of, judge_header
from penstock.core.forms.left_out import PrintedSize, is_dotted, is_in_blocks, printed_size, shown_part
from penstock.core.forms.text_form import LONGEST_LINE, Excerpt, LineParser, TextForm, Words, facts
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.forms.text_form import Batch, Columns, Options, Sample, Tables

LEAST: Final = 8  # rows: in fewer lines any words may be alike
MOST_WORDS: Final = 20  # that are looked at
SPARE: Final = 2  # lines that are no rows: a title, a total,
UNFIT: Final = 100  # and one in so many
FEW: Final = 12  # different words that say what kind of row it is,
REPEATED: Final = 4  # each of them so often, on average
FEW_TEXTS: Final = 4  # one line in so many has more than its one word

# By class, what all words of a column are like: the first ones say by themselves that they are data, the last do not.
_CLASSES: Final = {
    "data": r"[+-]?+[0-9](?:[\w.,:%/+~-]*[\w%~])?+:?+",
    "digits": r"(?:0x)?+[0-9a-fA-F]{4,}+(?:[-:][0-9a-fA-F]++)*+:?+",
    "path": r"[^\s/]*+/\S*+",
    "pair": r"[A-Za-z][\w.-]*+=\S*+",
    "bracketed": r"\[\S*+(?<=\]):?+|\(\S*+(?<=\)):?+|<\S*+(?<=>):?+",
    "mark": r"[^\w\s\"'`()\[\]{}#*>]++",
    "compound": r"\w(?:[^\W_]*+_\w|\w*+[-.:@+]++\w)\S*+|[A-Za-z]++[0-9]\S*+",
}
_SURE: Final = ("data", "digits", "path", "pair", "bracketed")
_STRICT: Final = ("data", "digits", "pair", "bracketed", "mark")  # another word in its place is no row
_ALONE: Final = ("digits", "path", "pair")  # before nothing but text; numbers as well, if they are not those of lines
_NO_STARTS: Final = "<{|│┃║"  # Markup, code and tables with bars begin with these; columns of words do not.
_CUT: Final = "cut"  # the class of words with an open bracket: the text goes on in the next word
_WORD: Final = {name: re.compile(pattern) for name, pattern in _CLASSES.items()}
_WORDS: Final = {name: re.compile(rf"(?:(?:{_CLASSES[name]})\n)*+") for name in _STRICT}


def recognise(sample: Sample) -> Options | None:
    """Return the classes of the columns that the lines of a sample begin with."""
    if is_in_blocks(map(str.rstrip, sample.short)):
        return None
    lines = [line for line in sample.short if line[0] not in _NO_STARTS and not is_dotted(line)]
    rows = [line.split(None, MOST_WORDS) for line in lines]
    spare = _spare(len(rows))
    usual = sorted(map(len, rows))[spare] if len(rows) >= LEAST + spare else 0
    classes = [_class_of([row[at] for row in rows if len(row) > at], spare) for at in range(min(usual, MOST_WORDS))]
    classes = _sure_of(classes[: classes.index(_CUT) if _CUT in classes else None])
    rows = [row for row in rows if len(row) >= len(classes) and _are_of(classes, row)]
    rest = [row for row in rows if len(row) > len(classes)]
    texts = [row for row in rest if len(row) > len(classes) + 1]
    goes_on = 0 < len(rest) < len(rows) and any(row[len(classes)][0].isalpha() for row in rest)
    while classes and classes[-1] == "few" and (goes_on or len(texts) * 2 > len(rows)):
        classes.pop()  # the text begins with words that other texts begin with
        rest = rows
    constant = sum(len({row[at] for row in rows}) == 1 and rows[0][at].isalpha() for at in range(len(classes)))
    if (
        len(classes) + bool(rest) < 2
        or constant * 2 >= max(2, len(classes))
        or not (set(_SURE) & {*classes} or "mark" in classes[1:])
    ):
        return None
    if len(classes) == 1 and (len(rest) * FEW_TEXTS < len(rows) or not _stands_alone(classes[0], rows)):
        return None
    if _is_headed([row[: len(classes)] for row in rows]):
        return None
    colons = [at for at in range(len(classes)) if all(row[at][-1] == ":" != row[at] for row in rows)]
    if 0 in colons and classes[0] not in _SURE:
        return None  # keys with values: YAML, perhaps
    return {"classes": classes, "rest": bool(rest), "colons": colons, "text": []}


def _is_headed(rows: list[list[str]]) -> bool:
    """Return True if the first row has numbers that name the columns, such as years."""
    first, *others = rows
    return {class_of(cell) for cell in first} == {"number"} and judge_header(first, others) is HeaderVerdict.YES


def _sure_of(classes: list[str]) -> list[str]:
    """Return the classes up to the first word of none; one such word may stand between or before sure ones."""
    none = [at for at, one in enumerate(classes) if not one]
    first, second, *_ = (*none, len(classes), len(classes))
    is_sure = any(one in (*_SURE, "mark") for one in classes[first + 1 : second])
    return classes[: second if is_sure else first]


def _spare(rows: int) -> int:
    """Return how many of some lines may be no rows."""
    return SPARE + rows // UNFIT


def _class_of(words: Sequence[str], spare: int) -> str:
    """Return the class that nearly all of some words are of; empty for none."""
    for name, pattern in _WORD.items():
        if sum(pattern.fullmatch(word) is None for word in words) <= spare:
            return name
    if sum(word.count("[") > word.count("]") or word.count("(") > word.count(")") for word in words) > spare:
        return _CUT
    return "few" if _are_few(words) else ""


def _are_few(words: Sequence[str]) -> bool:
    different = len(set(words))
    return different <= FEW and different * REPEATED <= len(words)


def _are_of(classes: Sequence[str], row: Sequence[str]) -> bool:
    """Tell whether the first words of a row are of these classes, as far as another word would be no row."""
    pairs = zip(classes, row, strict=False)
    return all(name not in _STRICT or _WORD[name].fullmatch(cell) is not None for name, cell in pairs)


def _stands_alone(name: str, rows: list[list[str]]) -> bool:
    """Tell whether lines are data because their first word is: numbers that count up are those of lines, or of items
    in a list."""
    numbers = [int(row[0]) for row in rows if row[0].isdecimal() and len(row[0]) < LEAST + LEAST]
    steps = sum(after - before == 1 for before, after in pairwise(numbers))
    if name == "bracketed":
        return _are_few([row[0] for row in rows])
    return name in _ALONE or (len(numbers) * 2 > len(rows) and steps * 2 < len(numbers))


@dataclass(slots=True, kw_only=True)
class WordColumnsParser(LineParser):
    first: int = 0  # the line of the first row
    dotted: int = 0  # lines of dots in place of rows
    size: PrintedSize | None = None  # the size of the table in the words of its printer

    def read(self, lines: list[str]) -> Batch:
        width = len(self.options["classes"])
        rows = [[] if is_dotted(line) else line.split(None, width) for line in lines]
        self.dotted += sum(map(is_dotted, lines))
        numbers = list(range(self.seen + 1, self.seen + 1 + len(lines)))
        if min(map(len, rows)) < width or not all(map(self._fit, range(width), zip(*rows, strict=False))):
            fits = self._fitting(rows)
            for number, line, row, fit in zip(numbers, lines, rows, fits, strict=True):
                if row and not fit:
                    self._reject(number, line)
            numbers, rows = list(compress(numbers, fits)), list(compress(rows, fits))
        self.first = self.first or next(iter(numbers), 0)
        self.count += len(rows)
        return {"items": self._columns(numbers, rows)} if rows else {}

    def holds(self) -> bool:
        # A line of as many words before the first row is a header whose names have other borders.
        width = len(self.options["classes"]) + self.options["rest"]
        if any(number < self.first and len(line.split(None, width)) >= width for number, line in self.notes):
            return False
        is_sized = self.size is None or self.size.fits(self.count, has_dots=self.dotted > 0)
        return self.count >= LEAST and self.unfit <= _spare(self.count) and is_sized

    def _reject(self, number: int, line: str) -> None:
        """Take a line that is no row: a title, a remark, or one that tells how many rows there are."""
        size = printed_size(line[:LONGEST_LINE])
        self.size = size or self.size
        if size is None:
            self.note(number, line)

    def _fit(self, at: int, words: Sequence[str]) -> bool:
        """Tell whether all words of a column are what they have to be."""
        name = self.options["classes"][at]
        return name not in _STRICT or _WORDS[name].fullmatch("\n".join((*words, ""))) is not None

    def _fitting(self, rows: list[list[str]]) -> list[bool]:
        """Tell of each row whether it has all words, and these are what they have to be."""
        classes = self.options["classes"]
        fits = [len(row) >= len(classes) for row in rows]
        for at, name in enumerate(classes):
            if not self._fit(at, [row[at] for row in compress(rows, fits)]):
                match = _WORD[name].fullmatch
                fits = [fit and match(row[at]) is not None for row, fit in zip(rows, fits, strict=True)]
        return fits

    def _columns(self, numbers: list[int], rows: list[list[str]]) -> Columns:
        width = len(self.options["classes"]) + self.options["rest"]
        if min(map(len, rows)) < width:
            rows = [row if len(row) == width else [*row, ""] for row in rows]
        columns: Columns = {"line": numbers}
        for at, words in zip(range(width), zip(*rows, strict=False), strict=True):
            cells: Sequence[str] = words
            if at in self.options["colons"]:
                cells = [cell.removesuffix(":") for cell in words]
            elif at == width - 1:
                cells = list(map(str.rstrip, words))
            name = f"c{at + 1}"
            columns[name] = texts_of(cells) if name in self.options["text"] else typed(cells)
        return columns

    def words(self, tables: Tables) -> Words:
        [table] = tables
        columns = len(table.fields) - 1
        is_titled = any(number < self.first for number, _ in self.notes)  # That line may be a header, or a title.
        header = "" if is_titled else " without a header"
        what = f"columns of words{header}: {counted(table.count, 'row')} of {columns} columns"
        if part := shown_part(table.count, columns, self.size, has_dots=self.dotted > 0):
            what += f"; {part}"
        rest = facts((self.unfit, f"no rows, and in no table: {counted(self.unfit, 'line')}"))
        return Words(what=what, facts=rest, excerpts=Excerpt.of("lines that are no rows", self.notes))


FORM: Final = TextForm(
    name="word_columns", title="columns of words", recognise=recognise, make=WordColumnsParser, is_costly=True
)
