"""Binary data is one line that tells its type and its true size, and nothing of the rest."""

from __future__ import annotations

import base64
import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penstock.core.budget import Room
from penstock.core.preview.stub import HEAD, stub, stub_text
from tests.core.preview.promises import growing, must_show, shown
from tests.strategies import any_text

PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
    + struct.pack(">II", 640, 480)
    + b"\x08\x02\x00\x00\x00"
    + bytes(range(256)) * 4
)
GIF = b"GIF89a" + struct.pack("<HH", 32, 16) + b"\xff\x00\x00" * 300
JPEG = (
    b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
    + b"\xff\xc0\x00\x11\x08"
    + struct.pack(">HH", 1080, 1920)
    + b"\x03\x00\xff" * 200
)


@given(st.binary(max_size=2_000) | any_text)
@example(PNG)
@example(PNG[:18])
@example(b"GIF89a\x00\xff")
@example(b"\xff\xd8\xff\xe0\x00\x00\x00\x00" * 90)
@example(base64.b64encode(PNG))
def test_whatever_the_bytes_the_line_fits_and_can_be_sent(data: bytes | str) -> None:
    growing(stub, data)
    line = stub_text(data, None)
    line.encode()
    assert line.startswith("[")
    assert line.endswith("; not shown]")
    assert "\n" not in line


@given(st.binary(max_size=3_000))
def test_the_size_of_base64_is_the_size_of_what_it_stands_for(data: bytes) -> None:
    assert f", {len(data):,} bytes, base64" in stub_text(base64.b64encode(data).decode(), "image/x-any")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (PNG, "[image/png, 640x480, 1,053 bytes; not shown]"),
        (GIF, "[image/gif, 32x16, 910 bytes; not shown]"),
        (JPEG, "[image/jpeg, 1920x1080, 629 bytes; not shown]"),
        (base64.b64encode(PNG), "[image/png, 640x480, 1,053 bytes, base64; not shown]"),
        (base64.encodebytes(PNG), "[image/png, 640x480, 1,053 bytes, base64; not shown]"),
        (b"data:image/gif;base64," + base64.b64encode(GIF), "[image/gif, 32x16, 910 bytes, base64; not shown]"),
        (b"%PDF-1.7\n\x00" + b"\xff\xfe" * 400, "[application/pdf, 810 bytes; not shown]"),
        (b"\x00\x01\x02" * 300, "[application/octet-stream, 900 bytes; not shown]"),
    ],
)
def test_the_line_tells_type_dimensions_and_size(data: bytes, said: str) -> None:
    found = must_show(stub, data)
    assert (found.text, found.style, found.shown.end) == (said, "stub", 0)
    assert stub_text(data, None) == said


def test_images_cut_short_or_without_a_frame_have_no_dimensions() -> None:
    endless = b"\xff\xd8" + b"\xff\xe1\xff\xff" + b"\x00" * HEAD * 2
    for data in (PNG[:20], GIF[:8], JPEG[:24], endless, b"\xff\xd8\xff\xe0\x00\x04\x00\x00junk junk junk"):
        assert "x" not in stub_text(data, "image/any")


def test_a_block_of_an_image_says_the_type_it_came_with() -> None:
    data = base64.b64encode(PNG).decode()
    assert stub_text(data, "image/webp") == "[image/webp, 640x480, 1,053 bytes, base64; not shown]"
    assert stub_text(data[:8], "audio/wav") == "[audio/wav, 6 bytes, base64; not shown]"
    assert stub_text("data:image/png;base64," + data, None).startswith("[image/png, 640x480, ")
    assert stub_text("not base64 at all!", None).startswith("[application/octet-stream, ")
    assert stub_text("", None) == "[application/octet-stream, 0 bytes, base64; not shown]"


def test_a_media_type_is_cut_and_cleaned_as_it_comes_from_elsewhere() -> None:
    line = stub_text("AAAA", "image/\ud800" + "x" * 500)
    assert line.startswith("[image/\ufffdxxx")
    assert len(line) < 150


def test_text_has_no_stub_and_a_stub_without_room_is_not_shown() -> None:
    assert shown(stub, "just text") is None
    assert shown(stub, PNG, Room(tokens=3)) is None
    assert must_show(stub, PNG).headline == "image/png, 1,053 bytes"
