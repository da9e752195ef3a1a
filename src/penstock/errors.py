"""The few errors Penstock raises. Each says whose fault it is, what happened, and what to do next.

``CallerError``  the caller's input is wrong (a path, a page size, a setting); changing the call helps.
``ConfigError``  a configuration file, environment variable or argument is wrong.
``StoreError``   the store could not keep or give back a held result.
``UpstreamError``  the real server failed to answer.
"""

from __future__ import annotations


class PenstockError(Exception):
    """Base of all errors: ``what`` happened, and what to ``do`` about it."""

    def __init__(self, what: str, *, do: str = "") -> None:
        self.what = what
        self.do = do
        super().__init__(f"{what}; {do}" if do else what)


class CallerError(PenstockError):
    """The caller asked for something that cannot be done as asked."""


class ConfigError(CallerError):
    """A setting is unknown, of the wrong type, or out of range."""


class StoreError(PenstockError):
    """The store failed: nothing the caller did, and nothing the caller can repair by asking otherwise."""


class UpstreamError(PenstockError):
    """The upstream server died, hung, or answered nonsense."""
