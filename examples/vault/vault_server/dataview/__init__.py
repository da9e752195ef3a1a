"""A subset of Dataview's query language: TABLE and LIST over front matter and tags.

    TABLE [WITHOUT ID] expression [AS name], ...      LIST [WITHOUT ID] [expression]
    FROM #tag | "folder" | "note", with and, or, -, ( )
    WHERE expression      SORT expression [ASC | DESC], ...      LIMIT number

Expressions: fields of front matter by name (case and blanks as Dataview has them), ``file.name``, ``path``, ``folder``,
``ext``, ``size``, ``ctime``, ``mtime``, ``cday``, ``mday``, ``day``, ``tags``, ``frontmatter``; texts, numbers, lists,
``true``, ``false``, ``null``; ``= != < <= > >= and or ! + - * / %``, ``[index]``, ``.field``; ``date(today)``,
``date(2026-01-31)``, ``dur(7 days)``; and the functions of ``functions``. A comparison of null, or of two kinds, is
false; SORT puts null last. TASK, CALENDAR, FLATTEN, GROUP BY, links between notes and inline fields are not here, and a
query that uses them is refused by name.

``lexer``      words and signs of a query, with their place
``parser``     from them to a ``Query``, whose expressions are functions of a note
``expressions``  what stands behind WHERE and SORT, and in a TABLE's columns
``fields``     what a query can name
``values``     comparing, adding, dates
``functions``  what can be called
``run``        a query over notes
"""

from __future__ import annotations

from vault_server.dataview.parser import parse
from vault_server.dataview.run import run, shown

__all__ = ["parse", "run", "shown"]
