"""Penstock keeps oversized results out of a model's context, and loses none of their bytes.

The names below are the public ones. Each is imported when it is first used, so that ``import penstock`` costs
next to nothing in a program that may need only one of them.
"""

from __future__ import annotations

TYPE_CHECKING = False  # neither ``typing`` nor ``importlib`` here: a relay starts before they are imported

if TYPE_CHECKING:
    from typing import Any

    from penstock.config import Config, Rule, load
    from penstock.core.answer.result import Result
    from penstock.core.answer.shown import Preview
    from penstock.core.answer.suggestions.offer import Suggestion
    from penstock.core.budget import Room
    from penstock.core.fit import Budget, Call, Compact, Hold, Pass, Plan, fit, fit_document
    from penstock.core.forms.document import Document, Kind, read
    from penstock.core.forms.reading import Reading
    from penstock.core.forms.recognise import read_form
    from penstock.core.json.index import Index
    from penstock.core.measure import Measure, measure
    from penstock.core.reading.indicator import Indicator
    from penstock.core.reading.outline import Outline, outline
    from penstock.core.reading.page import Page, Pages, page, paginate, render_page
    from penstock.core.reading.window import ListWindow, Window, list_window, ruler, window
    from penstock.core.tokens.calibrate import Calibration
    from penstock.core.tokens.count import PROFILES, Count, count, fits
    from penstock.core.toolkit.allocate import Allocation, allocate
    from penstock.core.toolkit.select import Selection, select
    from penstock.errors import CallerError, ConfigError, PenstockError, StoreError, UpstreamError
    from penstock.gate import Gate
    from penstock.stores import Store, open_store

__version__ = "0.1.0"

_HOMES = {
    "config": ("Config", "Rule", "load"),
    "core.toolkit.allocate": ("Allocation", "allocate"),
    "core.budget": ("Room",),
    "core.tokens.calibrate": ("Calibration",),
    "core.forms.document": ("Document", "Kind", "read"),
    "core.forms.reading": ("Reading",),
    "core.forms.recognise": ("read_form",),
    "core.fit": ("Budget", "Call", "Compact", "Hold", "Pass", "Plan", "fit", "fit_document"),
    "core.json.index": ("Index",),
    "core.measure": ("Measure", "measure"),
    "core.reading.outline": ("Indicator", "Outline", "outline"),
    "core.reading.page": ("Page", "Pages", "page", "paginate", "render_page"),
    "core.answer.result": ("Result",),
    "core.answer.shown": ("Preview",),
    "core.answer.suggestions.offer": ("Suggestion",),
    "core.toolkit.select": ("Selection", "select"),
    "core.tokens.count": ("PROFILES", "Count", "count", "fits"),
    "core.reading.window": ("ListWindow", "Window", "list_window", "ruler", "window"),
    "gate": ("Gate",),
    "stores": ("Store", "open_store"),
    "errors": ("CallerError", "ConfigError", "PenstockError", "StoreError", "UpstreamError"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "PROFILES",
    "Allocation",
    "Budget",
    "Calibration",
    "Call",
    "CallerError",
    "Compact",
    "Config",
    "ConfigError",
    "Count",
    "Document",
    "Gate",
    "Hold",
    "Index",
    "Indicator",
    "Kind",
    "ListWindow",
    "Measure",
    "Outline",
    "Page",
    "Pages",
    "Pass",
    "PenstockError",
    "Plan",
    "Preview",
    "Reading",
    "Result",
    "Room",
    "Rule",
    "Selection",
    "Store",
    "StoreError",
    "Suggestion",
    "UpstreamError",
    "Window",
    "__version__",
    "allocate",
    "config",
    "count",
    "errors",
    "fit",
    "fit_document",
    "fits",
    "list_window",
    "load",
    "measure",
    "open_store",
    "outline",
    "page",
    "paginate",
    "read",
    "read_form",
    "render_page",
    "ruler",
    "select",
    "window",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'penstock' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    value = getattr(import_module(f"penstock.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
