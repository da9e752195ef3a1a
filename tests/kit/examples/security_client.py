"""A conversation with the server, through FastMCP's client over standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastmcp import Client
from tests.kit.examples import client as talk
from tests.kit.examples.client import EXAMPLES, piped

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FOLDER: Final = EXAMPLES / "security"


class Talk(talk.Talk):
    """A server, and a client that talks with it."""

    def __init__(self, options: Sequence[str], *, cwd: Path) -> None:
        super().__init__(Client(piped(FOLDER, options, cwd)))
