"""A count never raises and never lies about its bound.

For any text, valid or not: ``tokens <= upper <= bytes``, the same every time. A sampled count bounds what counting
the whole would have given. With the real vocabulary a count is that vocabulary's own.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from functools import cache
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import splintr
from bench.shapes import SHAPES
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.json.strings import quote_exactly
from penstock.core.tokens import count as tokens
from penstock.core.tokens import weights as _weights
from penstock.core.tokens.byte_classes import (
    ASCII_CLASSES,
    SPELLING_CLASSES,
    WIDE_CLASSES,
    byte_classes,
    spelling_classes,
)
from penstock.core.tokens.count import WHOLE_LIMIT, Count, count, count_json_string, escaped, fits, wire_size
from penstock.core.tokens.profiles import PROFILES
from penstock.errors import CallerError
from tests.kit.mapped import mapped

if TYPE_CHECKING:
    from collections.abc import Iterator

CLASSES = (*ASCII_CLASSES, *WIDE_CLASSES)
LABELLED = json.loads((Path(__file__).parent.parent.parent / "data" / "token_windows.json").read_text("utf-8"))

any_text = st.text(st.characters() | st.sampled_from("\ud800\udbff\udc00\udfff"))
profiles = st.sampled_from(PROFILES)

PIECES = (
    "The quick brown fox jumps over the lazy dog, and nobody minds it at all.\n",
    '{"id": 48213, "name": "Ada Lovelace", "tags": ["x", "y"], "score": 0.8731},\n',
    "    for index, value in enumerate(self.values):\n        yield index, value\n",
    "2026-11-15T09:12:44.120Z WARN  worker-7 retry 3 of 5 after 250 ms\n",
    base64.b64encode(bytes(range(200))).decode() + "\n",
    "Съешь же ещё этих мягких французских булок, да выпей чаю.\n",
    "我能吞下玻璃而不伤身体。\n",
    "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich 🙂\n",
    " " * 60 + "\n",
)


@st.composite
def large_texts(draw: st.DrawFn) -> str:
    """A text well beyond the limit: stretches of pieces, each stretch repeating some of them."""
    stretches = draw(st.lists(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4), min_size=1, max_size=6))
    length = 3 * WHOLE_LIMIT // len(stretches)
    return "".join(("".join(pieces) * length)[:length] for pieces in stretches)


@cache
def vocabulary(profile: str) -> splintr.AnyTokenizer:
    """The real vocabulary, asked directly."""
    return splintr.Tokenizer.from_pretrained(f"{profile}_base")


def weighed(data: bytes, profile: str) -> float:
    """The byte-class estimate of the whole, however large."""
    classes = byte_classes(data)
    tokens = sum(map(mul, classes, _weights.WEIGHTS[profile]))
    tokens += sum(map(mul, spelling_classes(data), _weights.SPELLINGS.get(profile, ())))
    return max(classes[CLASSES.index("pieces")], float(tokens))


def classes(text: str | bytes) -> dict[str, int]:
    """The classes of a text by name, those that are there."""
    data = text if isinstance(text, bytes) else text.encode()
    return {name: number for name, number in zip(CLASSES, byte_classes(data), strict=False) if number}


@pytest.fixture
def no_extra(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installation without the exact extra."""
    monkeypatch.setitem(sys.modules, "splintr", None)
    tokens._exact_counter.cache_clear()
    yield
    tokens._exact_counter.cache_clear()


@given(any_text, profiles, st.booleans())
def test_any_text_is_counted_within_its_bytes(text: str, profile: str, exact: bool) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    counted = count(text, profile, exact=exact)
    assert min(1, size) <= counted.tokens <= counted.upper <= size
    assert counted == count(text, profile, exact=exact)


@given(st.binary(), profiles, st.booleans())
def test_any_bytes_are_counted_within_their_number(data: bytes, profile: str, exact: bool) -> None:
    counted = count(data, profile, exact=exact)
    assert min(1, len(data)) <= counted.tokens <= counted.upper <= len(data)


@given(st.text(), profiles)
def test_a_text_and_its_utf8_cost_the_same(text: str, profile: str) -> None:
    assert count(text, profile) == count(text.encode(), profile)
    assert count_json_string(text, profile) == count_json_string(text.encode(), profile)


@settings(max_examples=25, deadline=None)
@given(large_texts(), profiles, st.booleans())
def test_a_sampled_bound_covers_the_estimate_of_the_whole(text: str, profile: str, as_bytes: bool) -> None:
    data = text.encode()
    counted = count(data if as_bytes else text, profile, exact=False)
    assert counted.method == "sampled"
    assert counted.tokens <= counted.upper <= len(data)
    whole = weighed(data, profile)
    assert counted.upper >= whole
    assert counted.tokens == pytest.approx(whole, rel=0.15)


# Three standard errors are passed once in a thousand: the same examples every time, or it would fail by chance.
@settings(max_examples=15, deadline=None, derandomize=True)
@given(large_texts(), st.sampled_from(["o200k", "cl100k"]))
def test_a_sampled_exact_bound_covers_the_truth(text: str, profile: str) -> None:
    counted = count(text, profile)
    assert counted.method == "exact-sampled"
    truth = len(vocabulary(profile).encode_ordinary(text))
    assert counted.upper >= truth
    assert counted.tokens == pytest.approx(truth, rel=0.15)


@settings(max_examples=15, deadline=None)
@given(large_texts(), profiles)
def test_a_large_json_string_is_bounded_without_escaping_it_whole(text: str, profile: str) -> None:
    counted = count_json_string(text, profile, exact=False)
    assert counted.method == "sampled"
    whole, _ = tokens._with_escapes(tokens._class_counter(profile))(text.encode())
    assert counted.upper >= whole


@given(any_text)
def test_escaped_text_is_what_a_json_string_holds(text: str) -> None:
    read = json.loads(b'"' + escaped(text) + b'"')
    assert read.encode("utf-16", "surrogatepass") == text.encode("utf-16", "surrogatepass")


@given(st.text())
def test_escaped_text_leaves_other_characters_as_they_are(text: str) -> None:
    assert escaped(text) == json.dumps(text, ensure_ascii=False)[1:-1].encode()
    assert escaped(text.encode()) == escaped(text)


@given(st.binary())
def test_escaping_any_bytes_leaves_no_quote_or_control_open(data: bytes) -> None:
    held = escaped(data)
    assert min(held, default=0x20) >= 0x20
    assert held.replace(b"\\\\", b"").replace(b'\\"', b"").count(b'"') == 0


@given(any_text, profiles, st.integers(-5, 400))
def test_fitting_is_a_bound_within_the_budget(text: str, profile: str, budget: int) -> None:
    assert fits(text, budget, profile) == (count(text, profile).upper <= budget)


@given(st.text(max_size=200), profiles)
def test_the_exact_counter_says_what_the_vocabulary_says(text: str, profile: str) -> None:
    counted = count(text, profile)
    if profile.startswith("claude"):
        assert counted.method in ("bytes", "classes")
    elif len(text.encode()) > 1:
        truth = len(vocabulary(profile).encode_ordinary(text))
        assert counted == Count(tokens=truth, upper=truth, method="exact")


@given(st.text(min_size=1, max_size=100), st.integers(2, 20), profiles)
def test_more_of_the_same_costs_no_less(text: str, times: int, profile: str) -> None:
    once, often = count(text, profile, exact=False), count(text * times, profile, exact=False)
    assert often.tokens >= once.tokens - 1
    assert often.upper >= once.upper - 1


@pytest.mark.parametrize("profile", PROFILES)
def test_labelled_texts_of_many_kinds_are_counted_closely(profile: str) -> None:
    """Short texts of our own with simple words, which are harder to estimate than documents are."""
    errors, short = [], []
    for row in LABELLED:
        counted = count(row["text"], profile, exact=False)
        truth = row["tokens"][profile]
        errors.append(abs(counted.tokens / truth - 1))
        short += [row["kind"]] if counted.upper < truth else []
    assert sum(errors) / len(errors) < 0.1
    assert max(errors) < 0.32
    assert short == []


@pytest.mark.parametrize("piece", PIECES[:-1])
def test_text_of_our_own_is_near_the_exact_count(piece: str) -> None:
    text = piece * 20
    truth = count(text, "o200k").tokens
    counted = count(text, "o200k", exact=False)
    assert counted.tokens == pytest.approx(truth, rel=0.35)
    assert counted.upper >= truth


@pytest.mark.parametrize("text", ["", b""])
def test_nothing_costs_nothing(text: str | bytes) -> None:
    assert count(text) == count_json_string(text) == Count(tokens=0, upper=0, method="bytes")
    assert fits(text, 0)


def test_the_default_profile_is_claude() -> None:
    assert count(PIECES[0]) == count(PIECES[0], "claude") != count(PIECES[0], "claude-4.6")


def test_a_wrong_profile_is_named_with_the_nearest() -> None:
    for call in (count, count_json_string):
        with pytest.raises(CallerError, match=r"'o200'.*claude, claude-4\.6, o200k, cl100k; the nearest is o200k"):
            call("text", "o200")
    with pytest.raises(CallerError, match=r"nearest is claude-4\.6"):
        fits("", 100, "claude-4.5")


def test_a_lone_surrogate_is_counted_and_escaped() -> None:
    assert escaped("한\ud83d!") == "한\\ud83d!".encode()
    for profile in PROFILES:
        assert 1 <= count("한\ud83d!", profile).tokens <= count("한\ud83d!", profile).upper <= 7


@given(st.text(st.sampled_from(["a", "\ud83d", "\udce9", "한", "😀", '"', "\x01", "\n"])))
def test_wire_size_is_the_length_of_the_json_string_lone_surrogates_included(text: str) -> None:
    assert wire_size(text.encode("utf-8", "surrogatepass")) == len(quote_exactly(text)) - 2
    assert escaped(text.encode("utf-8", "surrogatepass")) == escaped(text) == quote_exactly(text)[1:-1]


@pytest.mark.parametrize("profile", PROFILES)
def test_lone_surrogate_in_a_json_string_is_charged_as_its_escape(profile: str) -> None:
    for number in (10, 40_000):
        text = "\ud83d" * number
        assert (
            count_json_string(text, profile).upper >= 0.9 * count(quote_exactly(text)[1:-1], profile, exact=True).tokens
        )


def test_a_special_token_inside_a_text_is_ordinary_text() -> None:
    assert count("<|endoftext|>", "o200k").tokens > 3


@pytest.mark.usefixtures("no_extra")
def test_without_the_extra_openai_profiles_are_counted_by_classes() -> None:
    assert count(PIECES[0], "o200k") == count(PIECES[0], "o200k", exact=False)
    assert count(PIECES[0], "cl100k").method == "classes"


def test_importing_and_counting_for_claude_loads_no_vocabulary() -> None:
    code = "import sys; from penstock.core.tokens.count import count, fits; count('a b'); fits('a', 9, 'o200k')"
    code += "; sys.exit('splintr' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_bytes_that_are_no_utf8_are_sampled_too() -> None:
    data = b"\x80" * (2 * WHOLE_LIMIT)
    assert count(data).upper == len(data)
    assert count(data, "o200k").upper <= len(data)


def test_dense_text_of_any_length_stays_within_its_bytes() -> None:
    text = "ᏣᎳᎩ" * WHOLE_LIMIT
    counted = count(text)
    assert counted.upper == len(text.encode())
    assert counted.method == "sampled"


def test_a_period_in_the_data_does_not_fool_the_sample() -> None:
    stretch = len(PIECES[1]) * 100
    text = (PIECES[1] * 100 + " " * stretch) * 60
    assert count(text).tokens == pytest.approx(weighed(text.encode(), "claude"), rel=0.1)


@pytest.mark.parametrize("pieces", [(4, 7, 0, 4), (4, 6, 7, 0), (0, 5, 4)])
def test_a_period_near_the_step_of_the_windows_does_not_fool_the_sample(pieces: tuple[int, ...]) -> None:
    period = "".join(PIECES[piece] for piece in pieces)
    text = (period * WHOLE_LIMIT)[: 3 * WHOLE_LIMIT]
    truth = len(vocabulary("o200k").encode_ordinary(text))
    counted = count(text, "o200k")
    assert counted.upper >= truth
    assert counted.tokens == pytest.approx(truth, rel=0.02)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("ܫܠܡܐ" * 9, 72),
        ("ꆈꌠ" * 9, 54),
        ("ⵣⴰⵣ" * 9, 81),
        ("𐌰𐌱𐌲" * 9, 108),
        ("አማርኛ" * 9, 108),
        ("½²³" * 9, 54),
        (b"\xff\xfe\xc0" * 9, 27),
        (b"\x9f\x92" * 9, 18),
    ],
)
def test_what_no_vocabulary_knows_is_bounded_by_a_token_a_byte(text: str | bytes, size: int) -> None:
    for profile in PROFILES:
        assert size * 0.9 <= count(text, profile, exact=False).upper <= size


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "aB9 \n",
            {
                "lower": 1,
                "upper": 1,
                "digit": 1,
                "space": 1,
                "newline": 1,
                "rare_upper": 1,
                "lower_upper": 1,
                "numbers": 1,
                "pieces": 1,
            },
        ),
        (" the then", {"lower": 7, "space": 2, "words": 2, "pieces": 2}),
        (" der den", {"lower": 6, "space": 2, "words": 2, "foreign": 2, "pieces": 2}),
        ("{}\t\\", {"sign": 3, "paired": 2, "tab": 1, "backslash": 1, "signs": 1, "pieces": 1}),
        ("=====", {"sign": 5, "crowded": 2}),
        ("a é", {"lower": 1, "space": 1, "wide_words": 1, "latin": 1}),
        ("(я", {"sign": 1, "paired": 1, "wide_words": 1, "bare_words": 1, "cyrillic": 1}),
        ("ωא", {"greek": 2}),
        ("ع", {"arabic": 1}),
        ("हไთ", {"south": 3}),
        ("ગខ", {"deep_south": 2}),
        ("ಕ", {"late_south": 1}),
        ("a ệ", {"lower": 1, "space": 1, "wide_words": 1, "latin": 1}),
        ("“→，", {"symbols": 3}),
        ("⠿", {"far": 3}),
        ("かカ漢", {"kana": 2, "cjk": 1}),
        ("가한국", {"hangul": 2, "far": 3}),
        ("🙂", {"emoji": 1}),
        ("𝐀", {"far": 4}),
        (b"a\x80", {"lower": 1, "far": 1}),
    ],
)
def test_every_byte_falls_into_its_class(text: str | bytes, found: dict[str, int]) -> None:
    assert classes(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("queue", {"vowels": 1}),
        ("rhythms", {"consonants": 1}),
        ("a_b__c______d", {"underscores": 1}),
        ("aHump", {"humps": 1}),
        ("uno ", {"closing_o": 1}),
        ("(A", {"sign_upper": 1}),
        ("a (", {"space_sign": 1}),
        ("nation", {"ion": 1}),
        ("a:\n        b", {"deep_indents": 1}),
        ("HTTPError", {"consonants": 1, "capital_words": 1}),
        ("é" * 4, {}),
    ],
)
def test_spelling_is_counted_beside_the_classes(text: str, found: dict[str, int]) -> None:
    numbers = dict(zip(SPELLING_CLASSES, spelling_classes(text.encode()), strict=True))
    assert {name: number for name, number in numbers.items() if number} == found


@cache
def windows_of_the_standard_library() -> list[str]:
    """Windows of 2,000 characters out of files that no weight was fitted on, a few of each package."""
    folder = Path(os.__file__).parent
    packages = [[file] for file in sorted(folder.glob("*.py"))]
    packages += [sorted(place.rglob("*.py"))[:6] for place in sorted(folder.iterdir()) if place.name != "site-packages"]
    texts = [file.read_text("utf-8", "replace") for package in packages for file in package]
    return [text[len(text) // 3 :][:2_000] for text in texts if len(text) >= 3_000]


@pytest.mark.parametrize("profile", ["o200k", "cl100k"])
def test_sources_never_used_for_fitting_are_counted_closely(profile: str) -> None:
    errors, short = [], 0
    windows = windows_of_the_standard_library()
    for text in windows:
        truth, counted = len(vocabulary(profile).encode_ordinary(text)), count(text, profile, exact=False)
        errors.append(abs(counted.tokens / truth - 1))
        short += counted.upper < truth
    assert sum(errors) / len(errors) < 0.05
    assert sorted(errors)[int(0.95 * len(errors))] < 0.12
    assert 200 * short <= len(windows)


def yaml_records(number: int) -> str:
    return "".join(f"  - id: {at}\n    name: n{at}\n    labels: {{app: x, tier: t1}}\n" for at in range(number))


@pytest.mark.parametrize("number", [1, 20, 400, 4_000])
@pytest.mark.parametrize("profile", ["o200k", "cl100k"])
def test_the_bound_holds_for_indented_yaml_of_short_words(profile: str, number: int) -> None:
    text = yaml_records(number)
    truth = len(vocabulary(profile).encode_ordinary(text))
    counted = count(text, profile, exact=False)
    assert counted.upper >= truth
    assert counted.tokens == pytest.approx(truth, rel=0.05, abs=3)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("profile", ["o200k", "cl100k"])
def test_the_bound_holds_for_every_shape_of_result(profile: str, name: str) -> None:
    made = SHAPES[name].make(60_000)
    text = made if isinstance(made, str) else "\n".join(made)
    assert count(text, profile, exact=False).upper >= len(vocabulary(profile).encode_ordinary(text))


def test_hardly_a_text_has_fewer_tokens_than_pieces() -> None:
    for row in LABELLED:
        assert classes(row["text"]).get("pieces", 0) <= 1.02 * row["tokens"]["o200k"] + 1, row["kind"]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        (".name:n7", 2),  # the sign before a word is of its piece
        (" name: n", 3),  # a sign before a blank is not,
        (" {name", 2),  # nor one behind a blank, nor several
        ("x }],name", 2),
        ("x 1234567", 3),
        ("x};\ny\nz", 4),
        ("x\n    y", 3),
        ("x naïve é", 1),  # of other scripts nothing is counted
    ],
)
def test_pieces_are_what_no_token_spans(text: str, pieces: int) -> None:
    assert classes(text)["pieces"] == pieces


def test_every_class_has_a_weight_and_a_doubt_in_every_profile() -> None:
    for fitted in (_weights.WEIGHTS, _weights.DOUBTS):
        assert set(fitted) == set(PROFILES) == set(_weights.GRAINS)
        assert all(len(row) == len(CLASSES) and min(row) >= 0 for row in fitted.values())
    assert set(_weights.SPELLINGS) == {"o200k", "cl100k"}
    assert all(len(row) == len(SPELLING_CLASSES) for row in _weights.SPELLINGS.values())


@given(st.text(max_size=200))
def test_mapped_text_takes_as_many_bytes_in_a_json_string_as_the_same_bytes(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass") + b"end"
    assert wire_size(mapped(data)) == wire_size(data)
