"""Forms of text that other packages add through the entry point group ``penstock.forms``.

The gate adds them when a text is first read. A worker process adds them when it starts, because it opens no files
later.
"""

from __future__ import annotations

import logging
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from penstock.core.forms.plugins import add_form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

GROUP: Final = "penstock.forms"
_LOG = logging.getLogger(__name__)


@lru_cache(maxsize=1)
def places() -> tuple[str, ...]:
    """Return the places of all forms that installed packages name: ``package.module:FORM``."""
    from importlib.metadata import entry_points  # noqa: PLC0415  (slow to import, and needed once)

    return tuple(sorted({entry.value for entry in entry_points(group=GROUP)}))


def packages() -> tuple[str, ...]:
    """Return the packages that a process must be able to import to have all forms."""
    return tuple(dict.fromkeys(place.partition(":")[0].partition(".")[0] for place in places()))


def add_plugins() -> None:
    """Add the forms of all installed packages. They are added again if asked for again, in their own place."""
    add_places(places(), time.monotonic)


def add_places(found: Iterable[str], clock: Callable[[], float] | None = None) -> None:
    """Add the forms at these places. One that cannot be imported or used is left out, and the log says why. Only the
    gate has a clock by which they may be too slow: a worker is stopped from outside."""
    from importlib.metadata import EntryPoint  # noqa: PLC0415

    for place in found:
        try:
            made = EntryPoint(name="form", value=place, group=GROUP).load()
            add_form(made() if isinstance(made, type) else made, clock)
        except Exception as error:  # noqa: BLE001  (whatever the code of a plug-in raises)
            _LOG.warning("Penstock left out the form %s: %s: %s", place, type(error).__name__, error)
