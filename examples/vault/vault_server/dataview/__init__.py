"""Dataview's query language: TABLE, LIST, TASK and CALENDAR over front matter, inline fields, tags, links and tasks.

    TABLE [WITHOUT ID] expression [AS name], ...      LIST [WITHOUT ID] [expression]      TASK      CALENDAR expression
    FROM #tag | "folder" | "note" | [[note]] | outgoing([[note]]), with and, or, -, ( )
    WHERE expression      SORT expression [ASC | DESC], ...      LIMIT number
    GROUP BY expression [AS name]      FLATTEN expression [AS name]

Commands are carried out in the order in which they are written, as the plugin does. Expressions: fields by name (case
and blanks as Dataview has them), ``file.name`` and its like, links ``[[note]]`` with the fields of the note behind
them, texts, numbers, lists, ``true``, ``false``, ``null``; ``= != < <= > >= and or ! + - * / %``, ``[index]``,
``.field``, a field of every item of a list; ``(x) => ...``; ``date(today)``, ``dur(7 days)``; and the functions of
``functions``.

Unlike in the plugin, a comparison with null, or of two kinds, is false, and SORT puts null last. There is no current
note, and so no ``this`` and no ``[[]]``; both are refused by name.

``lexer``        words and signs of a query, with their place
``parser``       from them to a ``Query``: its commands, and where notes come from
``expressions``  what stands behind WHERE and SORT, and in a TABLE's columns, each a function of a row
``rows``         what expressions see: a page, a task, a group, and the vault that they are in
``values``       comparing, adding, dates, links
``dates``        Luxon's tokens for dateformat and durationformat
``functions``    what can be called
``query``        a query that was read, its commands, and what is shown of a row
"""

from __future__ import annotations

from vault_server.dataview.parser import parse
from vault_server.dataview.rows import Pages

__all__ = ["Pages", "parse"]
