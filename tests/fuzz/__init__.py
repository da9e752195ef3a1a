"""Structure-aware fuzzing. A target makes cases from a seed and checks each of them; all else is shared.

``target``        what a target is, and how a case is written to a file and read back
``made``          draws JSON, texts and MCP results, in spellings that no serializer would choose
``oracles``       what must hold of every answer: its cost by a real vocabulary, its form, what reads back
``gate``          a result through ``Gate.admit``, then every action of the fetch tool on what was held
``exchange``      lines of client and upstream through an exchange and the carrier, byte by byte
``http``          requests in bytes against the HTTP gateway, on a real socket
``config_files``  configuration files in three formats
``corpus/``       cases that once failed, one file each; they are checked first

``make test`` checks the corpus and a few seeds of each target. ``make fuzz SECONDS=600`` goes on with new seeds, and
prints for each finding the command that repeats it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.fuzz.config_files import ConfigFilesTarget
from tests.fuzz.exchange import ExchangeTarget
from tests.fuzz.gate import GateTarget
from tests.fuzz.http import HttpTarget

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fuzz.target import Target

TARGETS: Final[dict[str, Callable[[], Target]]] = {
    "gate": GateTarget,
    "exchange": ExchangeTarget,
    "http": HttpTarget,
    "config_files": ConfigFilesTarget,
}
