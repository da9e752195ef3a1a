"""Binary data is told by its type, its size, and the size of a picture."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms.binary import stub_text
from tests.kit.forms.facts import reading_of


def png(width: int, height: int) -> bytes:
    size = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    return b"\x89PNG\r\n\x1a\n" + b"\x00\x00\x00\rIHDR" + size + bytes(range(256)) * 4


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + width.to_bytes(2, "little") + height.to_bytes(2, "little") + bytes(range(256)) * 4


def jpeg(width: int, height: int, before: int) -> bytes:
    other = b"\xff\xe0" + (before + 2).to_bytes(2, "big") + b"\x00" * before
    frame = b"\xff\xc0\x00\x11\x08" + height.to_bytes(2, "big") + width.to_bytes(2, "big")
    return b"\xff\xd8" + other + frame + bytes(range(256)) * 4


sizes = st.integers(1, 60_000)


@given(sizes, sizes, st.integers(0, 5_000))
def test_pictures_are_told_by_width_and_height(width: int, height: int, before: int) -> None:
    for kind, data in (("png", png(width, height)), ("gif", gif(width, height)), ("jpeg", jpeg(width, height, before))):
        reading = reading_of(data)
        assert reading.form == "binary"
        assert reading.words == f"image/{kind}, {width}x{height}, {len(data):,} bytes"
        assert reading.shape == f"image/{kind}"


def test_the_same_as_base64() -> None:
    data = png(640, 480)
    text = base64.b64encode(data)
    expected = f"image/png, 640x480, {len(data):,} bytes, base64"
    assert reading_of(text).words == expected
    assert reading_of(base64.encodebytes(data)).words == expected
    assert reading_of(b"data:image/png;base64," + text).words == expected


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b"\xff\xd8\xff\xe0\x00\x02", "image/jpeg, 6 bytes"),
        (b"\xff\xd8\xff\xe0\x00\x04\x00\x00ab" + b"\x00" * 90, "image/jpeg, 100 bytes"),
        (b"\x89PNG\r\n\x1a\n\x00", "image/png, 9 bytes"),
        (b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0e", "application/octet-stream, 10 bytes"),
    ],
)
def test_what_is_cut_short_has_no_width(head: bytes, words: str) -> None:
    assert reading_of(head).words == words


def test_one_line_stands_for_a_block() -> None:
    data = png(3, 2)
    text = base64.b64encode(data).decode()
    assert stub_text(text, "image/png") == f"[image/png, 3x2, {len(data):,} bytes, base64; not shown]"
    assert stub_text(text, None) == f"[image/png, 3x2, {len(data):,} bytes, base64; not shown]"
    assert stub_text(f"data:image/png;base64,{text}", None).startswith("[image/png, 3x2, ")
    assert stub_text(data, None) == f"[image/png, 3x2, {len(data):,} bytes; not shown]"
    assert stub_text(b"\x00\x01", None) == "[application/octet-stream, 2 bytes; not shown]"
    assert stub_text("A!===", "audio/wav").startswith("[audio/wav, ")


def test_a_media_type_is_no_text_of_ours() -> None:
    stub = stub_text(b"\x00", 'x"; not shown]\n[' + "y" * 200)
    assert "\n" not in stub
    assert len(stub) < 150
