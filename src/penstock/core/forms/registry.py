"""All forms of text, in order of preference. Without its line here, a form is gone.

The first form that recognises a text, and holds for all of it, is used. What quotes other texts comes before them
(commits before diffs, grep before logs). A log with comma decimals, or a table in a box, is separated values too, so
those come before delimited. What nearly any text could be comes last. Forms of plug-ins are asked before all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.core.forms.plugins import added_forms
from penstock.core.forms.text import (
    aligned,
    commits,
    delimited,
    diffs,
    file_trees,
    grep,
    joined_files,
    kinds,
    linters,
    listings,
    logs,
    markdown,
    outlines,
    path_lists,
    settings,
    snapshots,
    stanzas,
    test_runs,
    text_tables,
)

if TYPE_CHECKING:
    from penstock.core.forms.api import Form

FORMS: Final[tuple[Form, ...]] = (
    snapshots.FORM,
    commits.FORM,
    diffs.FORM,
    text_tables.FORM,
    listings.FORM,
    test_runs.FORM,
    linters.FORM,
    grep.FORM,
    grep.HEADINGS,
    joined_files.FORM,
    logs.FORM,
    settings.FORM,
    stanzas.FORM,
    aligned.FORM,
    delimited.FORM,
    file_trees.FORM,
    path_lists.FORM,
    markdown.FORM,
    outlines.FORM,
    kinds.FORM,
)


def known_forms() -> tuple[Form, ...]:
    """Return all forms, those of plug-ins first."""
    return (*added_forms(), *FORMS)


def form_named(name: str) -> Form | None:
    """Return the form of this name; None if there is none any more."""
    return next((form for form in known_forms() if form.name == name), None)
