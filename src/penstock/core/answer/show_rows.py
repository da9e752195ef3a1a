"""Rows of a table as lines of text: the columns that tell most, and rows from its beginning, middle and end."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from penstock.core.answer.columns import (
    FOR_PROGRAMS,
    MANY_LINKS,
    OF_OTHERS,
    divides,
    greatest_row,
    has_codes,
    is_amount,
    is_amount_in_text,
    is_link,
    is_of_other,
    is_of_outer,
    is_state,
    last_word,
    others_in,
    unwanted,
)
from penstock.core.answer.facts import listed, name_of
from penstock.core.forms.path_counts import file_of
from penstock.core.forms.reading import TextSpec
from penstock.core.text import plain, split_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.core.forms.reading import Field, Table

MOST_COLUMNS: Final = 6
LEAST_COLUMNS: Final = 4  # columns shown however wide they are
WIDEST: Final = 90  # characters of a row, on average
MOST_GREATEST: Final = 2  # rows that are shown because they have the most of something
LONG_CELL: Final = 40  # characters of a cell
LONG_LAST: Final = 60  # characters of the last one: most often the text that says what a row is about
LONG_TEXT: Final = 400  # characters on average of a text that is no label any more

# What a row is known by, the most telling first.
_LABELS = {
    word: at
    for at, word in enumerate(
        split_words(
            "key id number name title subject full_name package login username path file filename file_name message "
            "summary uri url command cmd line time timestamp date created_at level method text label email value "
            "description body content"
        )
    )
}
# Words that tell as much as one of these; a label names its row.
_LABELS |= {"identifier": _LABELS["number"], "label": _LABELS["title"], "address": _LABELS["path"]}
_LABELS |= {"pid": _LABELS["number"], "heading": _LABELS["name"], "plain_text": _LABELS["title"]}
_LABELS |= {"nodeid": _LABELS["name"], "place": _LABELS["title"], "headline": _LABELS["title"]}
_ENDS: Final = ("name", "title", "subject")  # of a word that names rows: ``dealname``
_ADDRESSES: Final = frozenset(("uri", "url"))
# What names a thing to programs; a row's own id is of use in a question.
_OPAQUE: Final = FOR_PROGRAMS | {"id", "uid", "node_id"}
_OF_PATHS: Final = frozenset(("name", "folder", "extension"))  # what a listing makes of the path that is shown
NEARLY_EMPTY: Final = 20  # rows for each that has a value, of a column whose cells are hardly ever seen:
SPARE_SCORE: Final = 2.0  # it comes so much later
MOST_AMOUNTS: Final = 3  # columns of amounts; more come as much later
LEAST_FILLED: Final = 3  # columns, beside which no nearly empty one is shown
NEARLY: Final = 10  # rows, of which all but one have a value that is always the same
_OF_LOGS: Final = ("line", "time", "level", "message")
NUMBER_SCORE: Final = 0.9  # of a column with amounts: a model that asks for the most of something looks there
MIXED: Final = 10  # one cell in so many is a plain value, in a column that is shown beside arrays and objects
PLAIN_SCORE: Final = 0.6  # of such a column: without it there would be rows without a cell
FILE_SCORE: Final = 0.2  # of the column that names files, however deep it lies
KNOWN_SCORE: Final = 0.3  # of a type or a status with more values than divide the rows
CODE_SCORE: Final = 1.5  # of an id that means nothing to people, where others name the rows
OWN_SCORE: Final = 0.05  # of the id of a row that is called by what the rows are: ``InstanceId`` of instances
FLAT_SCORE: Final = 0.4  # of a column that is nearly always the same
LINK_SCORE: Final = 1.3  # of an address, where rows have a name or a title,
VERSION_SCORE: Final = 0.6  # and of the version of what they name
LEAST_NAMED: Final = 4  # rows: of fewer, any two texts differ
TRIED: Final = 16  # rows that tell whether two columns say the same, at even distances
NAMING: Final = 14  # of these labels name a row by themselves
NAMING_SCORE: Final = 0.2  # of the text that names rows which have none of those


def columns_to_show(table: Table) -> list[Field]:
    """Return the columns that tell most of a row, in the order of the table; a long text comes last."""
    return table.once("columns to show", _columns_to_show)


def _columns_to_show(table: Table) -> list[Field]:
    few_links = sum(map(is_link, table.fields)) <= MANY_LINKS
    ranked: list[tuple[float, int, Field]] = []
    path = table.field("path") if isinstance(table.spec, TextSpec) else None
    parts = frozenset() if path is None else _OF_PATHS if _average(path) <= LONG_LAST else _OF_PATHS - {"name"}
    file, naming, others = file_of(table), _naming(table), others_in(table)
    is_titled = any(map(_is_title, table.fields))
    always = _OF_LOGS if isinstance(table.spec, TextSpec) and table.spec.form == "logs" else ()
    noun = table.noun.lower().removesuffix("s")
    own = {f"{noun}{mark}{word}" for mark in ("", "_") for word in ("id", "name") if noun}
    for number, field in enumerate(table.fields):
        if field.name in parts:
            continue
        score = (
            FILE_SCORE
            if field is file and not field.column.is_constant
            else _score(field, table.count, few_links=few_links, is_titled=is_titled)
        )
        score = 0.0 if field.name in always and score is not None else score
        score = OWN_SCORE if field.name.lower() in own and score is not None else score
        if score is not None:
            score += OF_OTHERS if others and is_of_other(field, others) else 0
            score += LINK_SCORE if is_titled and _is_address(field) else 0
            score = min(score, VERSION_SCORE) if is_titled and _is_version(field, table.count) else score
            ranked.append((NAMING_SCORE if field is naming else score, number, field))
    ranked.sort(key=lambda one: one[:2])
    amounts = [at for at, one in enumerate(ranked) if is_amount(one[2])]
    times = [at for at, one in enumerate(ranked) if one[2].column.is_time]
    for at in (*amounts[MOST_AMOUNTS:], *times[1:]):
        ranked[at] = (ranked[at][0] + SPARE_SCORE, *ranked[at][1:])
    ranked.sort(key=lambda one: one[:2])
    chosen: list[tuple[int, Field]] = []
    width = 0.0
    for _, number, field in ranked:
        if any(_says_the_same(field, other) for _, other in chosen):
            continue
        if len(chosen) >= LEAST_FILLED and _is_nearly_empty(field, table.count):
            break
        width += min(LONG_CELL, _average(field)) + 1
        if len(chosen) >= MOST_COLUMNS or (width > WIDEST and len(chosen) >= LEAST_COLUMNS):
            break
        chosen.append((number, field))
    chosen.sort(key=lambda one: (_average(one[1]) > LONG_CELL, one[0]))
    return [field for _, field in chosen]


def _is_title(field: Field) -> bool:
    """Tell whether a column names its rows to people: most of its texts differ."""
    label = _LABELS.get(field.name.rpartition(".")[2].lower(), len(_LABELS))
    is_name = _LABELS["name"] <= label <= _LABELS["summary"] and not is_of_outer(field) and str in field.column.kinds
    return is_name and _differs(field)


def _differs(field: Field) -> bool:
    """Tell whether most cells of a column differ."""
    return (field.column.different or field.filled) * 2 >= field.filled


def _end_of(word: str) -> str:
    """Return the word for names that a longer one ends in."""
    return next((one for one in _ENDS if word.endswith(one)), "")


def _is_version(field: Field, rows: int) -> bool:
    return field.name == "version" and str in field.column.kinds and field.filled * 2 > rows


def _is_address(field: Field) -> bool:
    return last_word(field.name) in _ADDRESSES


def _says_the_same(field: Field, other: Field) -> bool:
    """Tell whether the cells of a column are those of another, behind a beginning that is always the same if there is
    one: a path from the root beside one from the project, an address that ends in the id. Some rows tell."""
    cells, others = field.column.cells, other.column.cells
    if cells is None or others is None or len(cells) != len(others) or len(cells) < LEAST_NAMED:
        return False
    step = max(1, len(cells) // TRIED)
    pairs = list(zip(cells[::step], others[::step], strict=True))
    if not all(type(one) is type(same) is str and one.endswith(same) for one, same in pairs):
        return False
    return len({one.removesuffix(same) for one, same in pairs}) == 1 < len(set(pairs))


def _naming(table: Table) -> Field | None:
    """Return the first short text that is another in every row, of a table where no column is called by a name for
    names: it names the rows, whatever it is called."""
    named = [one for one in table.fields if _LABELS.get(one.name.rpartition(".")[2].lower(), NAMING) < NAMING]
    if table.count < LEAST_NAMED or any(one.filled and _differs(one) for one in named):
        return None
    texts = (field for field in table.fields if field.column.are_all(str) and not is_link(field))
    each = (field for field in texts if field.column.different == table.count and _average(field) <= LONG_CELL)
    return next((field for field in each if not _is_opaque(field)), None)


def rows_to_show(table: Table, at_hand: Sequence[int]) -> Iterator[int]:
    """Yield numbers of rows in the order in which they are shown as room allows: the first, those with the greatest
    numbers of columns that are shown, the last, the second, one in the middle, and then all others in their order."""
    count = len(at_hand)
    greatest = [row for row in _greatest_rows(table) if row in at_hand]
    places = [at_hand[at] for at in (count - 1, 1, count // 2) if 0 <= at < count]
    first = list(dict.fromkeys([*at_hand[:1], *greatest, *places]))
    yield from first
    yield from (row for row in at_hand if row not in first)


def _greatest_rows(table: Table) -> list[int]:
    """Return the rows that people ask for: with the most of something, or the latest."""
    if not table.exact:
        return []
    rows = (greatest_row(one) for one in sorted(columns_to_show(table), key=unwanted))
    return list(islice((row for row in rows if row is not None), MOST_GREATEST))


def row_text(cells: list[Any]) -> str:
    """Return one row as a line."""
    last = len(cells) - 1
    return "|".join(_cell(cell, LONG_LAST if at == last else LONG_CELL) for at, cell in enumerate(cells))


def header_text(fields: list[Field]) -> str:
    return "|".join(map(name_of, fields))


def _cell(value: Any, limit: int) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        if any(isinstance(one, list | dict) for one in value) or len(value) > 6:
            return f"[{len(value):,} items]"
        return f"[{', '.join(listed(one, 24) for one in value)}]"
    if isinstance(value, dict):
        return f"{{{len(value):,} fields}}"
    return plain(value, limit)


def _score(field: Field, rows: int, *, few_links: bool, is_titled: bool) -> float | None:
    """Rate how much a column tells of a row, the lower the more; None for one that is not shown."""
    column, place, filled = field.column, field.place, field.filled
    if not filled or column.encoded or (is_link(field) and not few_links):
        return None
    if place is not None and (place.objects or place.arrays):
        each = place.each
        is_list = place.arrays and each is not None and each.is_only(each.column.filled) and place.most <= 6
        is_mixed = column.filled * MIXED >= rows
        return PLAIN_SCORE if is_mixed else 3.0 if is_list else None
    if filled * NEARLY > rows * (NEARLY - 1) and rows > 1 and column.is_constant:
        return None
    depth = field.name.count(".") * 0.3
    word = field.name.rpartition(".")[2].lower()
    label = _LABELS.get(word)
    if label is None and (end := last_word(field.name)):
        behind = _LABELS.get(end)
        if behind is None and not is_titled and (named := _end_of(end)) and _differs(field):
            behind = _LABELS[named]
        label = behind + 10 if behind is not None else None
    sparse = 1.0 - filled / max(1, rows)
    sparse += SPARE_SCORE if _is_nearly_empty(field, rows) else 0.0
    is_long = _average(field) > LONG_TEXT and (label is None or label >= _LABELS["text"])
    if is_long or _is_opaque(field) or (is_link(field) and label is None):
        return 5.0 + sparse
    quality = divides(field, rows)
    if label is not None and (quality is None or "." not in field.name):  # or else it is the name of another thing
        return label / 20 + depth + sparse + CODE_SCORE * (word != "key" and has_codes(field))
    if quality is None and is_state(field) and not column.is_constant:
        quality = KNOWN_SCORE
    elif quality is not None and not is_state(field) and column.commonest * NEARLY > column.filled * (NEARLY - 1):
        quality += FLAT_SCORE
    is_much = quality is None and (is_amount(field) or is_amount_in_text(field))
    return (NUMBER_SCORE if is_much else 2.0 if quality is None else 0.5 + quality) + depth + sparse


def _is_nearly_empty(field: Field, rows: int) -> bool:
    return field.filled * NEARLY_EMPTY < rows


def _is_opaque(field: Field) -> bool:
    """Tell whether a column names things to programs. A row's own id does not, nor does that of a rule or a test, which
    many rows have."""
    column, word = field.column, field.name.rpartition(".")[2].lower()
    if word in _OPAQUE:
        return word != "id" or ("." in field.name and not (is_of_outer(field) and str in column.kinds))
    if word != "key" and has_codes(field):
        return True
    if last_word(field.name) not in _OPAQUE:
        return False
    return not (str in column.kinds and 0 < (column.different or 0) * 3 <= column.filled)


def _average(field: Field) -> float:
    """Return the characters of a cell, on average."""
    column = field.column
    texts = column.kinds.get(str, 0)
    return (column.bulk + 6 * (column.filled - texts)) / max(1, column.filled) if column.filled else 20.0
