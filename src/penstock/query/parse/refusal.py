"""The error by which a parser says that a text is not what it looked like."""

from __future__ import annotations


class Refusal(Exception):  # noqa: N818  # no error: the text stays plain text
    """The text cannot be read whole in this language, or not within the limits."""
