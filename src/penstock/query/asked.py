"""What every question has to be, whatever language it is in: a text, of a length that someone may have written."""

from __future__ import annotations

from penstock.errors import CallerError


def check_asked(text: str, *, what: str, longest: int) -> None:
    """Refuse what cannot be a question, before any work is done. NUL would end the text for the parsers behind us."""
    if len(text) > longest:
        raise CallerError(f"the {what} is longer than {longest:,} characters", do="write a shorter one")
    if "\x00" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise CallerError(f"the {what} has characters in it that are no text", do="take them out")
