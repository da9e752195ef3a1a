"""Numbers and truths among texts: XML and HTML write all values alike, as texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

FIRST: Final = 40  # texts that most often show that there are others than numbers

_TRUTHS: Final = frozenset(("true", "false"))
# Written as Python and JSON write numbers; 15 digits are exact in every reader of JSON.
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,14})")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,8})\.([0-9]{1,6})")


def as_scalars(texts: Sequence[str]) -> list[Any] | None:
    """Return all of these texts as truths, if each is ``true`` or ``false``; or as numbers, if each can be written back
    as it stands here, perhaps with a fixed number of decimals. ``02139`` and ``1e3`` cannot, nor can versions: of
    ``1.9`` and ``1.10`` the second could be ``1.1``."""
    if len(texts) > FIRST and as_scalars(texts[:FIRST]) is None:
        return None
    if all(map(_TRUTHS.__contains__, texts)):
        return [text == "true" for text in texts]
    if all(map(_WHOLE.fullmatch, texts)):
        return list(map(int, texts))
    matches = [_DECIMAL.fullmatch(text) or _WHOLE.fullmatch(text) for text in texts]
    if not all(matches):
        return None
    decimals = {len(one[1]) for one in matches if one is not None and one.re is _DECIMAL}
    if len(decimals) > 1 and any(
        one is not None and one.re is _DECIMAL and one[1][1:].endswith("0") for one in matches
    ):
        return None
    return [float(text) if "." in text else int(text) for text in texts]
