"""Packed files are unpacked, damaged ones are one clear line, and none fills the memory."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.cli import main
from penstock.cli.unpack import unpacked
from penstock.errors import CallerError
from penstock.stores.zstd import Compressor
from tests.kit.command_line import refused

if TYPE_CHECKING:
    from pathlib import Path


def zstd(data: bytes) -> bytes:
    return Compressor().frame(memoryview(data))


@given(st.binary(max_size=3_000), st.binary(max_size=3_000))
def test_what_was_packed_comes_back_also_in_several_parts(one: bytes, other: bytes) -> None:
    for pack in (gzip.compress, zstd):
        assert unpacked("x", pack(one)) == one
        assert unpacked("x", pack(one) + pack(other)) == one + other


@pytest.mark.parametrize("data", [b"", b"plain", b"\x1f", b"{}"])
def test_what_is_not_packed_stays_as_it_is(data: bytes) -> None:
    assert unpacked("x", data) is data


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
def test_a_cut_or_endless_file_is_refused(pack: type[bytes]) -> None:
    packed = pack(b"words " * 50_000)
    with pytest.raises(CallerError, match="x is packed, and damaged"):
        unpacked("x", packed[: len(packed) // 2])
    with pytest.raises(CallerError, match="more than 1,000 bytes"):
        unpacked("x", packed, most=1_000)


@pytest.mark.parametrize(("name", "pack"), [("rows.json.gz", gzip.compress), ("rows.json.zst", zstd)])
def test_inspect_reads_packed_files(
    name: str, pack: type[bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    file.write_bytes(pack(json.dumps([{"id": number} for number in range(500)]).encode()))
    assert main(["inspect", "--json", str(file)]) == 0
    assert json.loads(capsys.readouterr().out)["items"] == 500


def test_an_empty_file_is_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "empty.json.gz"
    file.write_bytes(gzip.compress(b" \n"))
    assert "is empty" in refused(["inspect", str(file)], capsys)
