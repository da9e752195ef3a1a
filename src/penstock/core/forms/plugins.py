"""The forms of plug-ins, which are asked before all others.

Core imports no plug-in. The program that starts Penstock says how to add them, before the first text is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.forms.api import Form

_added: list[Form] = []
_waiting: list[Callable[[], None]] = []


def add_later(add: Callable[[], None]) -> None:
    """Have a function add forms before the first text is read. A process that reads none does not wait for it."""
    if add not in _waiting:
        _waiting.append(add)


def added_forms() -> tuple[Form, ...]:
    """Return the forms of plug-ins."""
    while _waiting:
        _waiting.pop()()
    return tuple(_added)


def add_form(form: Form, clock: Callable[[], float] | None = None) -> None:
    """Add the form of a plug-in in place of one with its name. With a clock, a form that is too slow is left out.
    ``ValueError`` if it is not a form."""
    from penstock.core.forms.guarded import GuardedForm  # noqa: PLC0415  (without plug-ins nothing needs it)

    guarded = GuardedForm(form, clock)
    remove_form(guarded.name)
    _added.append(guarded)


def remove_form(name: str) -> None:
    """Remove the form of a plug-in."""
    _added[:] = [form for form in _added if form.name != name]
