"""The parsers as the gate hands them to core: each text is converted in a worker process of admissions' own."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from penstock.core.forms.converted import Conversion
from penstock.errors import CallerError
from penstock.query.sandbox.jobs import ParseText
from penstock.query.sandbox.process import Text, Worker
from penstock.query.sandbox.sandbox import JobLimits, Load, Sandbox

BOOT: Final = Path(__file__).with_name("boot.py")
PACKAGES: Final = ("msgspec", "ryml", "deprecation", "packaging", "selectolax")
OBJECTS: Final = 4  # a tree of objects takes four times what jq takes of the same bytes
MOST: Final = 33_554_432  # bytes of a text that is converted at all; a longer one stays text
# A hostile text may take all of this. An honest one takes a tenth of a second for each MB.
LIMITS: Final = JobLimits(seconds=3.0, memory=2_147_483_648, output=134_217_728, queue=5.0)


class Converter:
    """Converts texts to JSON. It starts a process with the first text, and another if two come at once."""

    def __init__(self, *, workers: int = 2, limits: JobLimits = LIMITS) -> None:
        self._sandbox = Sandbox(workers=workers, limits=limits, start=_worker)

    def __call__(self, language: str, text: bytes) -> Conversion | None:
        """Return the text as JSON; None if it is not what it looked like, if a limit was reached, or without the
        parser."""
        if len(text) > MOST:
            return None
        load = Load(size=len(text), at_once=OBJECTS * len(text))
        try:
            texts = [[Text(pieces=(text,))]]
            answered = self._sandbox.ask(ParseText(language=language), texts, load=load, what="conversion")
        except (CallerError, OSError):
            return None
        return Conversion(language=language, body=answered.output, figures=answered.summary)

    def close(self) -> None:
        """Let the processes go; another text starts new ones."""
        self._sandbox.close()


def _worker() -> Worker:
    return Worker(BOOT, PACKAGES)
