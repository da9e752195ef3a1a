"""What the tests of every example's start have in common: its help, its settings file, its sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def help_of(main: Callable[[list[str]], int], capsys: pytest.CaptureFixture[str]) -> str:
    """What a command line prints about itself."""
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


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


def same_files(one: Path, other: Path) -> list[Path]:
    """The files of a folder; the other one has the same, with the same bytes in them."""
    files = _files(one)
    assert files == _files(other)
    assert [file for file in files if (one / file).read_bytes() != (other / file).read_bytes()] == []
    return files


def _files(folder: Path) -> list[Path]:
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())


def leaves_alone_what_is_there(make: Callable[[Path], None], folder: Path) -> None:
    """Make a sample where another process was faster: that one stays as it is, and nothing else beside it."""
    sample = folder / "sample"
    sample.mkdir()
    (sample / "mine.txt").write_text("mine")
    make(sample)
    assert [path.name for path in sample.iterdir()] == ["mine.txt"]
    assert [path.name for path in folder.iterdir()] == ["sample"]
