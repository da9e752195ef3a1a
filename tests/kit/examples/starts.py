"""What the tests of every example's settings have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def refused_settings(load_settings: Callable[[Path], Any], file: Path, text: str) -> str:
    """What is said about a settings file that has a mistake in it; it names the file."""
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_settings(file)
    assert file.name in str(caught.value)
    return str(caught.value)


def with_penstock(text: str) -> str:
    """The text of a TOML file that has Penstock's section too, which every settings file needs."""
    return text if "[penstock]" in text or text == "not toml" else f"{text}\n[penstock]\n"
