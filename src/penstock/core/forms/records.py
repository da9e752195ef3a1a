"""Records: items of an array, members of a map, or all items of arrays of one kind, one row each.

The table has a column for every field, with dots for nested objects; ``key`` for members; and a few columns of the
items that the rows lie in (``packages.name``). This is the form that all other tables of JSON fall back to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.core.forms.path_counts import facts_of_files, file_of
from penstock.core.forms.rows import RowSpec
from penstock.core.json.path import KEY, render
from penstock.core.text import counted, tally

if TYPE_CHECKING:
    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.reading import Reading, Table


ACTIONS: Final = ("index", "create", "update", "delete")  # rows of a bulk request that say what is done with the next


def read(view: JsonView) -> Reading | None:
    """Read the main table, if there is one that matters."""
    if not view.tables:
        return None
    main = view.tables[0]
    is_values = len(main.fields) == 1 and main.fields[0].name == "value"
    noun = "values" if is_values else "records"
    variants = [one for one in view.tables[1:] if one.path.startswith(f"{render_rows(main)}.") and not one.inside]
    if sum(one.count for one in variants) * 10 > main.count * 9:
        kinds = tally([(one.name, one.count) for one in variants], 8)
        return view.reading("variants", words_of(main, noun), view.tables, [f"each row has one field: {kinds}"])
    actions = [(one, place.count) for one, place in view.rows_of(main).items() if one in ACTIONS]
    if actions and sum(count for _, count in actions) * 2 == main.count:
        facts = [f"{main.count // 2:,} rows are actions, the others documents: {tally(actions)}"]
        return view.reading("bulk", words_of(main, noun), view.tables, facts)
    file = file_of(main)
    facts = facts_of_files(file) if file is not None else []
    return view.reading("values" if is_values else "records", words_of(main, noun), view.tables, facts)


def render_rows(table: Table) -> str:
    """Return the path of a table with its rows."""
    return render((*table.spec.outer, *table.spec.inner)) if isinstance(table.spec, RowSpec) else table.path


def words_of(table: Table, noun: str) -> str:
    """Write ``412 tickets in .tickets (26 columns)``, ``66 vulnerabilities in .results[].vulnerabilities[] (18
    columns)``."""
    singular = noun.removesuffix("s")
    keyed = isinstance(table.spec, RowSpec) and table.spec.inner[-1:] == (KEY,)
    what = f"{table.rows_text} {table.noun or (singular if table.rows == 1 else noun)}"
    where = f" in {table.path}" if table.path != "." else ""
    least = "at least " if isinstance(table.spec, RowSpec) and table.spec.is_open else ""
    columns = f" ({least}{counted(len(table.fields), 'column')})" if len(table.fields) > 1 else ""
    return f"{what}{' by key' if keyed else ''}{where}{columns}"
