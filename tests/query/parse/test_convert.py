"""Texts are converted in a process of their own; whatever happens there, they stay texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.kit.waiting import PATIENCE

from penstock.query.parse import convert as converting
from penstock.query.parse.convert import Converter
from penstock.query.sandbox import process
from penstock.query.sandbox.sandbox import JobLimits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def converter() -> Iterator[Converter]:
    made = Converter(workers=1)
    yield made
    made.close()


def test_every_language_is_converted_with_what_is_known_beside(converter: Converter) -> None:
    for language, text, body in (
        ("yaml", b"a: 1\n", b'{"a":1}'),
        ("xml", b"<a><b>1</b></a>", b'{"a":{"b":1}}'),
        ("html", b"<title>x</title>", b'{"title":"x","sections":[],"links":[]}'),
    ):
        found = converter(language, text)
        assert found is not None
        assert (found.language, found.body) == (language, body)
        assert found.figures


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("yaml", b"a: &b\n  c: *b\n"),  # ends the process
        ("yaml", b"a: [1"),
        ("yaml", b"a: \xff\xfe"),
        ("xml", b"<a>"),
        ("html", b"<div>" * 100_000),  # takes longer than any time that it is given
        ("yaml", b"# only\n"),
        ("none", b""),
    ],
)
def test_a_text_that_ends_the_process_or_takes_too_long_is_not_converted(language: str, text: bytes) -> None:
    with_limits = Converter(workers=1, limits=JobLimits(seconds=0.5))
    assert with_limits(language, text) is None
    with_limits._sandbox.limits = JobLimits(seconds=PATIENCE)  # however much else the machine does
    found = with_limits("xml", b"<a/>")
    assert found is not None
    with_limits.close()


def test_a_text_that_is_too_long_is_not_even_sent(converter: Converter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(converting, "MOST", 10)
    assert converter("xml", b"<a>text text</a>") is None


def test_without_the_packages_xml_is_still_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import msgspec

    import penstock

    for package in (penstock, msgspec):
        (tmp_path / package.__name__).symlink_to(package.__path__[0])
    monkeypatch.setattr(process, "_folders", lambda _: [str(tmp_path)])
    bare = Converter(workers=1)
    assert bare("yaml", b"a: 1\n") is None
    assert bare("html", b"<p>") is None
    found = bare("xml", b"<a/>")
    assert found is not None
    bare.close()
