"""Files are private from their first moment, whatever the umask, and lie where the platform wants them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from penstock.stores.state_folder import make_private, open_to_others, state_folder


@pytest.mark.parametrize(
    ("platform", "env", "folder"),
    [
        ("linux", {}, "HOME/.local/state/penstock"),
        ("linux", {"XDG_STATE_HOME": "/state"}, "/state/penstock"),
        ("linux", {"XDG_STATE_HOME": "relative"}, "HOME/.local/state/penstock"),
        ("freebsd14", {"XDG_STATE_HOME": ""}, "HOME/.local/state/penstock"),
        ("darwin", {"XDG_STATE_HOME": "/state"}, "HOME/Library/Application Support/penstock"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/penstock"),
        ("win32", {}, "HOME/AppData/Local/penstock"),
    ],
)
def test_each_platform_has_its_folder(platform: str, env: dict[str, str], folder: str) -> None:
    assert state_folder(platform=platform, env=env) == Path(folder.replace("HOME", str(Path.home())))


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o777])
def test_the_modes_hold_whatever_the_umask(umask: int, tmp_path: Path) -> None:
    file = tmp_path / "folder" / "held.db"
    before = os.umask(umask)
    try:
        make_private(file)
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_what_is_there_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "held.db"
    file.write_bytes(b"here")
    file.chmod(0o640)
    tmp_path.chmod(0o750)
    make_private(file)
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(tmp_path.stat().st_mode)) == (
        b"here",
        0o640,
        0o750,
    )


def test_missing_folders_above_are_made_too(tmp_path: Path) -> None:
    make_private(tmp_path / "a" / "b" / "held.db")
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700


def test_another_process_that_makes_the_folder_first_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "exists", lambda _: False)
    make_private(tmp_path / "held.db")
    assert (tmp_path / "held.db").is_file()


def test_a_link_to_a_missing_file_is_followed_and_that_file_is_private(tmp_path: Path) -> None:
    """Regression: SQLite made the file, by the umask."""
    link = tmp_path / "held.db"
    link.symlink_to(tmp_path / "elsewhere" / "new.db")
    make_private(link)
    assert stat.S_IMODE((tmp_path / "elsewhere" / "new.db").stat().st_mode) == 0o600


def test_a_file_that_others_can_read_is_told_by_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "held.db"
    assert open_to_others(file) == ""
    for mode, expected in ((0o600, ""), (0o644, "0644"), (0o666, "0666"), (0o620, "0620")):
        file.touch()
        file.chmod(mode)
        assert open_to_others(file) == expected
