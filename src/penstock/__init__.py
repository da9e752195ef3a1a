"""Penstock keeps oversized results out of a model's context, and loses none of their bytes.

``penstock.api`` lists the public names. They are imported when the first of them is used: ``import penstock`` and the
command line cost next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # neither ``typing`` nor ``importlib`` here: a relay starts before they are imported

if TYPE_CHECKING:
    from typing import Any

    from penstock.api import *

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    names = {} if name.startswith("_") else _public()
    if name not in names:
        raise AttributeError(f"module 'penstock' has no attribute {name!r}")
    globals().update(names)
    return names[name]


def __dir__() -> list[str]:
    return ["__version__", *_public()]


def _public() -> dict[str, object]:
    from importlib import import_module  # noqa: PLC0415

    names = vars(import_module("penstock.api"))
    return {name: value for name, value in names.items() if not name.startswith("_")}
