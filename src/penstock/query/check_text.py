"""Check what jq, SQL and search have in common: the length and the characters of the text that a model wrote."""

from __future__ import annotations

from penstock.errors import CallerError


def check_text(text: str, *, what: str, longest: int) -> None:
    """Raise CallerError for a text that is too long, or that has NUL (it would end the text for C parsers) or lone
    surrogates."""
    if len(text) > longest:
        raise CallerError(f"the {what} is longer than {longest:,} characters", do="write a shorter one")
    if "\x00" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise CallerError(f"the {what} has characters in it that are no text", do="take them out")
