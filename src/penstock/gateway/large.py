"""A large line of a server, which is put together and judged by one thread while others go on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from penstock.protocol.commands import Command, ToClient

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.protocol.exchange import Exchange
    from penstock.protocol.wire.lines import LargeLine

# The answer of a tool whose first block is a text: only of such a line can the text be lifted out before it is judged.
ONE_TEXT: Final = (
    rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?(?:"id"\s*:\s*(?:-?[0-9]+|"[^"\\]*")\s*,\s*)?'
    rb'(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"result"\s*:\s*\{\s*"content"\s*:\s*\[\s*\{\s*"type"\s*:\s*"text"\s*,\s*'
    rb'"text"\s*:\s*"'
)


def judged(line: LargeLine, exchange: Exchange, *, lifts: bool) -> Sequence[Command]:
    """What becomes of a line, which is used up. ``lifts`` is false where some tool's results must pass whole."""
    from penstock.core.json.long_text import drained, lift, put_back  # noqa: PLC0415

    if not (lifts and re.match(ONE_TEXT, line.parts[0])):
        return exchange.upstream_sent(b"".join(drained(line.parts)))
    lifted = lift(drained(line.parts))
    text = lifted.text
    commands = exchange.upstream_sent(lifted.line, text)
    if text is None:
        return commands
    return [replace(one, line=put_back(one.line, text)) if isinstance(one, ToClient) else one for one in commands]
