"""JsonLogic (https://jsonlogic.com): a rule, as JSON, that is asked of every note.

A rule sees ``path``, ``frontmatter``, ``tags``, ``stat`` (ctime, mtime, size; times in milliseconds) and ``content``.
Its operators are those of the JsonLogic page but ``log`` and ``method``, and two more, as Obsidian's REST interface has
them: ``{"glob": [pattern, path]}`` and ``{"regexp": [expression, text]}``.

A rule is compiled once into functions: fifty thousand notes are then a fraction of a second. Loops and texts that a
rule makes are limited, since a short rule can ask for more steps than there is time.

``compiler``   from a rule to a function; the operators that do not evaluate all of their values, and the loops
``operators``  those that take values and give a value
``values``     what is true, equal and less, as in JavaScript
"""

from __future__ import annotations

from vault_server.jsonlogic.compiler import EXAMPLE, compiled

__all__ = ["EXAMPLE", "compiled"]
