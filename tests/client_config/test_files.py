"""A file is replaced whole or not at all, and keeps what it is: its mode, its links, its owner."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from penstock.client_config import files
from penstock.errors import CallerError
from tests.kit import permissions

folder = permissions.shared_folder


def made(path: Path, data: bytes = b"{}") -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o660])
@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_file_and_backup_have_the_mode_that_the_file_had(mode: int, umask: int, tmp_path: Path) -> None:
    path = made(tmp_path / "mcp.json")
    path.chmod(mode)
    before = os.umask(umask)
    try:
        file = files.read(path)
        files.keep(file)
        files.replace(file, b"new")
    finally:
        os.umask(before)
    assert (path.read_bytes(), file.backup.read_bytes()) == (b"new", b"{}")
    assert [stat.S_IMODE(one.stat().st_mode) for one in (path, file.backup)] == [mode, mode]


def test_a_link_stays_a_link_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    real = made(tmp_path / "dotfiles" / "real.json")
    link, other = tmp_path / "link.json", tmp_path / "other.json"
    link.symlink_to(other)
    other.symlink_to(Path("dotfiles", "real.json"))
    file = files.read(link)
    files.replace(file, b"new")
    assert (link.is_symlink(), other.is_symlink(), real.is_symlink(), real.read_bytes()) == (True, True, False, b"new")
    assert file.backup == tmp_path / "dotfiles" / "real.json.penstock-backup"


def test_a_file_that_somebody_else_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    file = files.read(made(tmp_path / "mcp.json"))
    made(tmp_path / "mcp.json", b"theirs")
    with pytest.raises(CallerError, match="was changed by another program meanwhile; run the command again"):
        files.replace(file, b"ours")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("mcp.json", b"theirs")]


def test_a_byte_order_mark_is_no_part_of_the_text_and_is_kept(tmp_path: Path) -> None:
    file = files.read(made(tmp_path / "mcp.json", b"\xef\xbb\xbf{}"))
    assert (file.text, file.encoded("new")) == ("{}", b"\xef\xbb\xbfnew")


def test_what_is_no_file_of_text_is_one_clear_line(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "dangling").symlink_to("nowhere")
    made(tmp_path / "latin", b'{"a": "\xe4"}')
    made(tmp_path / "wide", "{}".encode("utf-16"))
    made(tmp_path / "huge")
    os.truncate(tmp_path / "huge", files.MAX_BYTES + 1)
    for name, words in {
        "": "is not a file",
        "pipe": "is not a file",
        "circle": "cannot be read",
        "dangling": "no such file",
        "latin": "is not UTF-8 text",
        "wide": "is not UTF-8 text",
        "huge": "is larger than",
    }.items():
        with pytest.raises(CallerError, match=words) as caught:
            files.read(tmp_path / name)
        assert "\n" not in str(caught.value)


def test_a_file_that_may_not_be_read_or_written_is_left_alone(folder: Path) -> None:
    path = made(folder / "mcp.json")
    for mode, words in ((0o000, "cannot be read: Permission denied"), (0o444, "cannot be written: it is read-only")):
        path.chmod(0o644)
        file = files.read(path)
        path.chmod(mode)
        with permissions.ordinary_user(), pytest.raises(CallerError, match=words):
            files.replace(file, b"new")
        assert path.read_bytes() == b"{}"
    assert [one.name for one in folder.iterdir()] == ["mcp.json"]


def test_a_folder_that_may_not_be_written_leaves_the_file_as_it_is(folder: Path) -> None:
    path = made(folder / "mcp.json")
    path.chmod(0o666)
    folder.chmod(0o555)
    with permissions.ordinary_user(), pytest.raises(CallerError, match="cannot be written: Permission denied"):
        files.keep(files.read(path))
    assert [(one.name, one.read_bytes()) for one in folder.iterdir()] == [("mcp.json", b"{}")]


def test_a_write_that_fails_half_way_leaves_nothing_behind(tmp_path: Path) -> None:
    file = files.read(made(tmp_path / "mcp.json"))
    file.backup.mkdir()
    with pytest.raises(CallerError, match=r"mcp\.json\.penstock-backup cannot be written: Is a directory"):
        files.keep(file)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["mcp.json", "mcp.json.penstock-backup"]
    files.drop_backup(file)
    assert file.backup.is_dir()
    assert files.read_backup(file) is None


def test_a_file_with_a_second_name_is_left_alone(tmp_path: Path) -> None:
    """Regression: a new file took one of the names, and the other kept the old one without a word."""
    path = made(tmp_path / "mcp.json")
    os.link(path, tmp_path / "other.json")
    file = files.read(path)
    with pytest.raises(CallerError, match=r"it has a second name \(a hard link\)"):
        files.keep(file)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["mcp.json", "other.json"]
