"""Read a text: try one form after the other, and learn the facts of the tables of the first that holds for it."""

from __future__ import annotations

import codecs
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, Literal

from penstock.core.forms.api import DoesNotHoldError, Sample, Told, Words
from penstock.core.forms.reading import Cells, Field, Reading, Table, TextSpec
from penstock.core.forms.registry import known_forms
from penstock.core.forms.shape import shape_of_rows
from penstock.core.profile import Column
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from penstock.core.forms.api import Columns, Form, Options
    from penstock.core.forms.document import TextErrors
    from penstock.core.json.buffer import Bytes
    from penstock.core.json.path import Path

CHUNK: Final = 65_536  # bytes of a text that are turned into lines at a time: few enough for a processor's cache
EXACT: Final = 16_777_216  # bytes up to which all lines are parsed; of a longer text some stretches are
NUMBERS: Final = (int, float)  # what is not counted before that is asked for, where all cells are kept
KEPT_ROWS: Final = 20  # rows at the beginning of a longer text that are kept
RETAINED: Final = 2_097_152  # bytes of a text whose cells are kept until its notice is written: no second parse
HEAD: Final = 400  # lines at the beginning that a text is recognised by,
HEAD_BYTES: Final = 65_536  # in the first bytes,
LEAST_HEAD: Final = 8  # or so many lines, where they are long,
LONG_HEAD_BYTES: Final = 1_048_576  # in more bytes,
RUNS: Final = 8  # and runs of lines from all over it,
RUN: Final = 25  # each of so many
RUN_BYTES: Final = 8_192  # in so many bytes
FEW_LINES: Final = 12  # lines of each part of a sample that costly forms are asked with first
STRETCHES: Final = 16  # parts of a very long text that are parsed,
STRETCH: Final = 262_144  # each of so many bytes

Batches = dict[str, list[list[Any]]]  # the cells of columns, batch by batch: those of few columns are all needed


def joined(batches: list[list[Any]]) -> list[Any]:
    """Return the cells of a column."""
    return list(chain.from_iterable(batches))


class Parsed:
    """A text as one form reads it: the facts of all columns, and all cells while they are few."""

    def __init__(self, form: Form, options: Options, lines: int = 0) -> None:
        self.form = form
        self.lines = lines
        self.options = options
        self.nouns: dict[str, str] = {"items": form.noun}
        self._told: Told | None = None
        self.columns: dict[str, dict[str, Column]] = {}
        self.counts: dict[str, int] = {}
        self.batches: dict[str, Batches] | None = None  # the cells of each table
        self.first: Columns = {}
        self.last: Columns = {}

    def run(self, lines: Iterable[str], *, retain: bool) -> None:
        """Parse all lines. Unless all cells are to be kept, those of the first rows and of the last batch are."""
        self.batches = {} if retain else None
        batches = self.form.read(lines, self.options)
        if isinstance(batches, Told):
            self._told, self.nouns = batches, batches.nouns
        for batch in batches:
            for name, columns in batch.items():
                self._learn(name, columns)

    def words(self, tables: Sequence[Table]) -> Words:
        """Return what the form says of the text, which was read."""
        return (self.form if self._told is None else self._told).words(tables)

    @property
    def cells(self) -> dict[str, Columns]:
        """Return all cells by table and column; none where they were not kept."""
        every = (self.batches or {}).items()
        return {table: {name: joined(batches) for name, batches in columns.items()} for table, columns in every}

    def mixed(self) -> list[str]:
        """Return columns in which some cells were taken for numbers or booleans: they are all texts."""
        return [
            name
            for columns in self.columns.values()
            for name, column in columns.items()
            if not column.kinds.keys().isdisjoint((str, bool)) and len(column.kinds) > 1
        ]

    def tables(self, *, exact: bool = True, path: Path = ()) -> list[Table]:
        """Return the tables with the facts of their columns."""
        return [
            Table(
                name=name,
                noun=self.nouns.get(name, "rows"),
                count=self.counts[name],
                fields=tuple(Field(name=one, column=column) for one, column in columns.items()),
                spec=TextSpec(form=self.form.name, table=name, options=self.options, path=path),
                exact=exact,
            )
            for name, columns in self.columns.items()
        ]

    def _learn(self, table: str, columns: Columns) -> None:
        first = self.counts.get(table, 0)
        size = len(next(iter(columns.values()), ()))
        known = self.columns.setdefault(table, {})
        width = max(len(columns), sum(map(len, self.columns.values())))
        for name, cells in columns.items():
            column = known.setdefault(name, Column())
            keep = self.batches is not None and any(type(one) in NUMBERS for one in cells[-2:])
            column.learn(cells, width, keep=keep)
            if self.batches is not None:
                kept = self.batches.setdefault(table, {})
                if name not in kept:
                    kept[name] = [[None] * first] if first else []
                kept[name].append(cells)
        if table == "items" and size:
            self.first = self.first or {name: cells[:KEPT_ROWS] for name, cells in columns.items()}
            self.last = {name: cells[-1:] for name, cells in columns.items()}
        self.counts[table] = first + size
        for name, column in known.items():
            column.rows = first + size
            if self.batches is not None and name not in columns:
                self.batches[table][name].append([None] * size)


def _cells(parsed: Parsed, *, first_only: bool = False) -> Cells:
    """Return the cells of the main table of a text, or only those of the first rows and the last one of a long text.
    With ``first_only``, the last row is left out, because its number is not known."""
    count = parsed.counts.get("items", 0)
    if parsed.batches is not None and not first_only:
        return Cells(range(count), parsed.cells.get("items", {}))
    few = list(range(len(next(iter(parsed.first.values()), ()))))
    ends = [] if first_only or count <= len(few) else [count - 1]
    cells = {
        name: [*parsed.first.get(name, [None] * len(few)), *parsed.last.get(name, [None])[: len(ends)]]
        for name in parsed.columns.get("items", ())
    }
    return Cells([*few, *ends], cells)


def read_text(
    body: Bytes, errors: TextErrors, count: int, path: Path = (), forms: Iterable[Form] | None = None
) -> Reading | None:
    """Return the reading of a text of ``count`` lines, which lies at ``path`` in JSON if it is a string there; None for
    text without a form, or with none of these ``forms``."""
    sample = sample_of(body, errors, count)
    few = Sample(head=sample.head[:FEW_LINES], runs=tuple(run[:FEW_LINES] for run in sample.runs[::3]), count=count)
    for form in known_forms() if forms is None else forms:
        if form.needs_whole and len(body) > EXACT:
            continue
        if form.is_costly and form.recognise(few) is None:
            continue
        options = form.recognise(sample)
        if options is None:
            continue
        try:
            parsed = text_table(form, options, body, errors)
        except DoesNotHoldError:
            continue
        return _reading(parsed, count, exact=len(body) <= EXACT, path=path)
    return None


def text_table(form: Form, options: Options, text: Bytes, errors: TextErrors) -> Parsed:
    """Parse all of a text, or stretches of a very long one. A column in which only some cells look like numbers is
    parsed again, as texts."""
    body = text[:] if len(text) <= EXACT else _stretches(text)
    parsed = Parsed(form, options, body.count(b"\n"))
    parsed.run(lines_of(body, errors), retain=len(body) <= RETAINED)
    if mixed := parsed.mixed():
        parsed = Parsed(form, {**options, "text": [*options.get("text", ()), *mixed]}, parsed.lines)
        parsed.run(lines_of(body, errors), retain=len(body) <= RETAINED)
    return parsed


def _stretches(body: Bytes) -> bytes:
    """Yield whole lines from all over a very long text, from its beginning on."""
    parts: list[bytes] = []
    for number in range(STRETCHES):
        start = body.find(b"\n", len(body) * number // STRETCHES) + 1 if number else 0
        parts.append(_whole_lines(body, start, STRETCH))
    return b"".join(parts)


def _reading(parsed: Parsed, count: int, *, exact: bool, path: Path) -> Reading:
    tables = parsed.tables(exact=exact, path=path)
    words = parsed.words(tables)
    if not exact:
        return _sampled(parsed, tables, count)
    return Reading(
        form=parsed.form.name,
        words=words.what,
        shape=shape_of_rows(tables[0].fields, tables[0].count),
        tables=tuple(tables),
        cells=_cells(parsed),
        facts=words.facts,
        excerpts=words.excerpts,
        exact=exact,
    )


def _sampled(parsed: Parsed, tables: list[Table], count: int) -> Reading:
    """Return the reading of a very long text, of which only the lines are counted: columns have the facts of a part,
    and the numbers of lines are left out, as they are those of the part."""
    rows = round(count * tables[0].count / max(1, parsed.lines))
    fields = tuple(one for one in tables[0].fields if one.name != "line")
    main = replace(tables[0], fields=fields, total=rows, about="about")
    return Reading(
        form=parsed.form.name,
        words=f"{counted(count, 'line')}, as far as sampled {plain(parsed.form.title)} of about {rows:,} {main.noun}",
        shape=shape_of_rows(tables[0].fields, tables[0].count),
        tables=(main,),
        cells=_cells(parsed, first_only=True),
        exact=False,
    )


def lines_of(body: bytes, errors: TextErrors | Literal["replace"]) -> Iterator[str]:
    """Return the lines of a text without their ends; a newline at the very end opens no further line."""
    return chain.from_iterable(_lines_of(body, errors))


def _lines_of(body: bytes, errors: TextErrors | Literal["replace"]) -> Iterator[list[str]]:
    """Return the same, some at a time."""
    decode = codecs.getincrementaldecoder("utf-8")(errors).decode
    rest: list[str] = []  # of a line that goes on, in parts: put together once, however long it is
    for at in range(0, len(body), CHUNK):
        end = at + CHUNK
        text = decode(body[at:end], final=end >= len(body))
        if "\n" not in text:
            rest.append(text)
            continue
        text = "".join((*rest, text))
        lines = text.split("\n")
        rest = [lines.pop()]
        yield [line.removesuffix("\r") for line in lines] if "\r" in text else lines
    if last := "".join(rest):
        yield [last.removesuffix("\r")]


def sample_of(body: Bytes, errors: TextErrors, count: int) -> Sample:
    """Return lines from the beginning and from all over a text."""
    end = _after(body, 0, HEAD)
    head = tuple(lines_of(body[:end] if end <= HEAD_BYTES else _sampled_lines(body, 0, HEAD_BYTES), errors))
    if len(head) < LEAST_HEAD:
        head = tuple(islice(lines_of(_sampled_lines(body, 0, LONG_HEAD_BYTES), errors), LEAST_HEAD))
    runs: list[tuple[str, ...]] = []
    if count > HEAD:
        end = _after(body, 0, len(head))
        for number in range(1, RUNS + 1):
            at = body.find(b"\n", len(body) * number // (RUNS + 1)) + 1
            if at >= end:  # no line is in the sample twice: forms count how many of their lines repeat
                stop = _after(body, at, RUN)
                run = body[at:stop] if stop - at <= RUN_BYTES else _sampled_lines(body, at, RUN_BYTES)
                runs.append(tuple(lines_of(run, errors)))
                end = _after(body, at, len(runs[-1]))
    return Sample(head=head, runs=tuple(runs), count=count)


def _after(body: Bytes, at: int, count: int) -> int:
    """Return the place after so many lines."""
    near = body[at : at + HEAD_BYTES]
    lines = near.split(b"\n", count)
    if len(lines) > count:
        return at + len(near) - len(lines[-1])
    for _ in range(count):
        at = body.find(b"\n", at) + 1 or len(body)
    return at


def _sampled_lines(body: Bytes, start: int, size: int) -> bytes:
    """Return the same as ``_whole_lines``, but of a very long line only its beginning: no form is told by more."""
    some = _whole_lines(body, start, size)
    if len(some) <= LONG_HEAD_BYTES:
        return some
    starts = (at for at in range(LONG_HEAD_BYTES, LONG_HEAD_BYTES - 4, -1) if some[at] & 0xC0 != 0x80)
    return some[: next(starts, LONG_HEAD_BYTES)]  # no character is torn in two


def _whole_lines(body: Bytes, start: int, size: int) -> bytes:
    """Return the lines that lie between two positions, without the last one if it goes on; a longer line is there
    whole."""
    end = body.rfind(b"\n", start, start + size) + 1 if start + size < len(body) else len(body)
    if end <= start:
        end = body.find(b"\n", start) + 1 or len(body)
    return body[start:end]
