"""``Plain``: what a class of fields is made from where its values are neither decoded nor replaced.

``dataclass`` writes and compiles several functions for each class, at every start of the program; a ``Struct`` needs
none of them, a fortieth of the time. By this name its annotations are for readers and type checkers alone: what they
name may be imported for type checking only, unlike those of a ``Struct`` that is decoded, as the linter knows.
"""

from __future__ import annotations

from msgspec import Struct as Plain

__all__ = ["Plain"]
