"""Files of exports: in the folder, private, and never over or through what is there."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import CallerError, StoreError
from penstock.gate.acts import export_folder
from penstock.gate.acts.export_folder import clean_name, write_file

if TYPE_CHECKING:
    from pathlib import Path


@given(st.text(), st.sampled_from(["csv", "json"]))
def test_a_name_is_always_one_plain_name(wanted: str, form: str) -> None:
    name = clean_name(wanted, form)
    assert name == os.path.basename(name) == name.strip()
    assert name.endswith(f".{form}")
    assert not name.startswith((".", "-"))
    assert len(name.encode()) <= 110
    assert not set(name) & set('/\\:*?"<>|\0\n\r')


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("report", "report.csv"),
        ("report.csv", "report.csv"),
        ("../../etc/passwd", "passwd.csv"),
        ("/etc/cron.d/job", "job.csv"),
        ("..\\..\\boot.ini", "boot.ini.csv"),
        ("C:\\Windows\\x", "C__Windows_x.csv"),
        ("..", "export.csv"),
        ("", "export.csv"),
        (".ssh", "ssh.csv"),
        ("nul", "_nul.csv"),
        ("com1.txt", "_com1.txt.csv"),
        ("a\0b\nc", "a_b_c.csv"),
        ("Umsätze 2026", "Umsätze 2026.csv"),
    ],
)
def test_names_are_cleaned(wanted: str, name: str) -> None:
    assert clean_name(wanted, "csv") == name


def test_the_folder_and_the_file_are_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        path = write_file(str(tmp_path / "a" / "exports"), "rows.csv", b"a\r\n")
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "a" / "exports").stat().st_mode) == 0o700


def test_a_file_that_is_there_stays_and_the_new_one_gets_a_number(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes(b"mine")
    assert write_file(str(tmp_path), "rows.csv", b"new") == str(tmp_path / "rows-2.csv")
    assert write_file(str(tmp_path), "rows.csv", b"newer") == str(tmp_path / "rows-3.csv")
    assert [(tmp_path / name).read_bytes() for name in ("rows.csv", "rows-2.csv", "rows-3.csv")] == [
        b"mine",
        b"new",
        b"newer",
    ]


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_in_the_folder_is_not_followed(tmp_path: Path, exists: bool) -> None:
    outside = tmp_path / "outside.csv"
    if exists:
        outside.write_bytes(b"theirs")
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / "rows.csv").symlink_to(outside)
    assert write_file(str(folder), "rows.csv", b"new") == str(folder / "rows-2.csv")
    assert outside.exists() is exists
    assert not exists or outside.read_bytes() == b"theirs"


def test_a_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "exports").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="is a link"):
        write_file(str(tmp_path / "exports"), "rows.csv", b"new")
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_folder_that_cannot_be_written_is_an_error_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError, match="cannot be written"):
        write_file(str(tmp_path / "file"), "rows.csv", b"new")


def test_half_a_file_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def opened(path: object, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        found = real(str(path), flags, mode, dir_fd=dir_fd)
        if not flags & os.O_EXCL:
            return found
        os.close(found)
        return real("/dev/full", os.O_WRONLY)

    monkeypatch.setattr(os, "supports_dir_fd", {*os.supports_dir_fd, opened})
    monkeypatch.setattr(os, "open", opened)
    with pytest.raises(StoreError, match="No space left"):
        write_file(str(tmp_path), "rows.csv", b"x" * 100_000)
    assert list(tmp_path.iterdir()) == []


def test_names_are_not_numbered_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_folder, "MOST_NUMBERED", 2)
    for _ in range(2):
        write_file(str(tmp_path), "rows.csv", b"")
    with pytest.raises(CallerError, match="give another name"):
        write_file(str(tmp_path), "rows.csv", b"")


def test_a_folder_that_is_replaced_by_a_link_meanwhile_is_still_the_one_that_is_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, outside = tmp_path / "exports", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    held_open = export_folder._held_open

    def replaced(place: Path) -> int | None:
        found = held_open(place)
        folder.rename(tmp_path / "moved")
        folder.symlink_to(outside)
        return found

    monkeypatch.setattr(export_folder, "_held_open", replaced)
    write_file(str(folder), "rows.csv", b"new")
    assert list(outside.iterdir()) == []
    assert (tmp_path / "moved" / "rows.csv").read_bytes() == b"new"
