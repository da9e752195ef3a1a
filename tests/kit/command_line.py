"""Wrong use of the command line: one clear line on standard error, and exit code 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.cli import main

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest


def refused(words: Sequence[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that is said of these words; nothing else is."""
    assert main([*words]) == 2, words
    shown = capsys.readouterr()
    assert shown.err.count("\n") == 1, shown.err
    assert shown.out == "", shown.out
    return shown.err
