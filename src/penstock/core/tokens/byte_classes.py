"""The byte classes of a text: what its UTF-8 is made of, counted at the speed of C.

``bytes.translate`` turns every byte into the letter of its class, and ``bytes.count`` counts the letters and
the pairs of neighbours that say where words, numbers and lines begin. Their numbers, times the weights in
``weights.py``, are an estimate of tokens. Scripts are told apart by the lead bytes of their characters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

CONTINUATION = bytes(range(0x80, 0xC0))
_ASCII = bytes(range(0x80))
_LOWER = b"abcdefghijklmnopqrstuvwxyz"
_DIGITS = b"0123456789"
_LETTERS = _LOWER + _LOWER.upper()
_BLANKS = b" \n\r\t"
_SIGNS = bytes(set(range(0x80)) - set(_LETTERS + _DIGITS + _BLANKS))


def _table(classes: dict[str, Iterable[int]], other: str = ".") -> bytes:
    """Return a translation table: each byte becomes the letter of the class that lists it."""
    table = bytearray(other.encode() * 256)
    for letter, members in classes.items():
        for byte in members:
            table[byte] = ord(letter)
    return bytes(table)


_KIND = _table(
    {
        "a": _LOWER,
        "A": _LOWER.upper(),
        "d": _DIGITS,
        "s": b" ",
        "n": b"\n\r",
        "t": b"\t",
        "p": _SIGNS,
        "x": range(0x80, 0x100),
    }
)
# A word with letters that are rare in English is less likely to be in a vocabulary whole. Quotes and brackets
# fuse with their neighbours less often than other signs do.
_NOTABLE = _table({"r": b"bgjkqvwxyz", "R": b"BGJKQVWXYZ", "q": b"\"'`()[]{}<>"})
# One question a table: the pair ".1" is then the beginning of a run.
_LETTER_RUNS = _table({"1": _LETTERS})
_DIGIT_RUNS = _table({"1": _DIGITS})
_SIGN_RUNS = _table({"1": _SIGNS})
_SOUNDS = _table({"v": b"aeiouAEIOU", "c": bytes(set(_LETTERS) - set(b"aeiouAEIOU"))})
_WIDE_RUNS = _table({"1": range(0x80, 0x100), "s": b" "})

_LEADS = (b"l", b"2", b"g", b"c", b"a", b"S", b"E", b"y", b"k", b"h", b"K", b"H", b"f", b"4", b"!")
# Lead bytes by script. "2" are two-byte scripts no vocabulary knows well (marks, Syriac, Thaana, N'Ko, the
# extensions of Cyrillic); "!" cannot occur in UTF-8.
_SCRIPT = _table(
    {
        "l": range(0xC2, 0xCA),
        "2": (*range(0xCA, 0xCE), 0xD2, 0xD3, *range(0xDC, 0xE0)),
        "g": (0xCE, 0xCF, *range(0xD4, 0xD8)),
        "c": (0xD0, 0xD1),
        "a": range(0xD8, 0xDC),
        "S": (0xE0,),
        "E": (0xE1,),
        "y": (0xE2,),
        "k": (0xE3,),
        "h": range(0xE4, 0xEA),
        "K": (0xEA,),
        "H": range(0xEB, 0xEE),
        "f": (0xEE, 0xEF),
        "4": range(0xF0, 0xF5),
        "!": (0xC0, 0xC1, *range(0xF5, 0x100)),
    }
)


def _prefixes(lead: int, *seconds: int) -> tuple[bytes, ...]:
    return tuple(bytes((lead, second)) for second in seconds)


# The lead bytes E0, E1 and E2 each begin many scripts, which cost from one to three tokens a character; the
# second byte tells them apart. What none of these lists names is counted as far: see ``_wide_classes``.
# Devanagari, Bengali, Tamil, Thai.
_SOUTH = _prefixes(0xE0, 0xA4, 0xA5, 0xA6, 0xA7, 0xAE, 0xAF, 0xB8, 0xB9)
# Gujarati, Oriya, Telugu, Malayalam, Sinhala, Tibetan.
_DEEP_SOUTH = _prefixes(0xE0, 0xAA, 0xAB, 0xAC, 0xAD, 0xB0, 0xB1, 0xB4, 0xB5, 0xB6, 0xB7, 0xBC, 0xBD, 0xBE)
# Gurmukhi and Kannada: two tokens a character or half of one, as the vocabulary has them or not.
_LATE_SOUTH = _prefixes(0xE0, 0xA8, 0xA9, 0xB2, 0xB3)
# Georgian; Myanmar and Khmer; the Latin of Vietnamese.
_EASTERN = (
    _prefixes(0xE1, 0x82, 0x83),
    _prefixes(0xE1, 0x80, 0x81, 0x9E, 0x9F),
    _prefixes(0xE1, 0xB8, 0xB9, 0xBA, 0xBB),
)
# Braille, Glagolitic, Coptic, Tifinagh: three tokens a character, among the cheap symbols of E2.
_FAR_SYMBOLS = _prefixes(0xE2, 0xA0, 0xA1, 0xA2, 0xA3, 0xB0, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5)
_PUNCTUATION = b"\xe2\x80"
_EMOJI = b"\xf0\x9f"

# The order of the weights. The second part is only looked at in text that is not ASCII.
ASCII_CLASSES = (
    *("lower", "upper", "digit", "newline", "tab", "space", "sign", "paired", "backslash"),
    *("rare_lower", "rare_upper", "words", "numbers", "signs", "lower_upper", "upper_lower"),
    *("lower_digit", "space_digit", "lower_newline", "sign_lower", "indents", "foreign", "crowded", "pieces"),
)
PIECES = ASCII_CLASSES.index("pieces")
WIDE_CLASSES = (
    *("wide_words", "bare_words", "latin", "greek", "cyrillic", "arabic", "south", "deep_south"),
    *("late_south", "symbols", "kana", "cjk", "hangul", "emoji", "far"),
)
# What says how well a vocabulary knows the words of a text, beyond the classes.
SPELLING_CLASSES = (
    *("vowels", "consonants", "underscores", "humps", "closing_o", "sign_upper", "space_sign"),
    *("ion", "deep_indents", "capital_words"),
)


def byte_classes(data: bytes) -> tuple[int, ...]:
    """Count the classes of ``data``: ``ASCII_CLASSES``, then ``WIDE_CLASSES`` if there is any such byte."""
    # The lead byte stands for its character: without the rest, wide text is a third as long.
    narrow = data.isascii()
    thin = data if narrow else data.translate(None, CONTINUATION)
    pairs = thin.translate(_KIND).count
    notable = thin.translate(_NOTABLE).count
    sign = pairs(b"p")
    words = thin.translate(_LETTER_RUNS).count(b".1")
    numbers = thin.translate(_DIGIT_RUNS).count(b".1")
    signs = thin.translate(_SIGN_RUNS).count(b".1")
    space_digit, lower_newline, sign_lower = pairs(b"sd"), pairs(b"an"), pairs(b"pa")
    # The pieces that tokenizers cut a text into before they look into their vocabulary. No token spans two of them, so
    # that hardly a text has fewer tokens: a word, with the one sign before it unless a blank stands before that; three
    # digits; a run of signs, with the line breaks behind it; line breaks behind anything else; several blanks.
    # Of other scripts nothing is counted here.
    pieces = words if narrow else words - pairs(b"xa") - pairs(b"xA")
    pieces += numbers + pairs(b"dddd") + signs + space_digit + lower_newline + pairs(b"dn") + pairs(b"nss")
    pieces -= sign_lower + pairs(b"pA") - pairs(b"spa") - pairs(b"ppa")
    classes = (
        pairs(b"a"),
        pairs(b"A"),
        pairs(b"d"),
        pairs(b"n"),
        pairs(b"t"),
        pairs(b"s"),
        sign,
        notable(b"q"),
        thin.count(b"\\"),
        notable(b"r"),
        notable(b"R"),
        words,
        numbers,
        signs,
        pairs(b"aA"),
        pairs(b"Aa"),
        pairs(b"ad"),
        space_digit,
        lower_newline,
        sign_lower,
        pairs(b"ns"),
        # Words after a space, less the share that English has in "th": what is left is another language,
        # whose words are in no vocabulary whole.
        max(0, pairs(b"sa") - 8 * thin.count(b"th")),
        # Signs beyond three in a row: a drawn line is cheap, but a soup of signs costs a token each. The run
        # at the very beginning is not among the runs counted.
        max(0, sign - 3 * (signs + 1)),
        max(0, pieces),
    )
    return classes if narrow else classes + _wide_classes(data, thin)


def spelling_classes(data: bytes) -> tuple[int, ...]:
    """Count what tells words that a vocabulary has whole from words that it has not: ``SPELLING_CLASSES``."""
    thin = data if data.isascii() else data.translate(None, CONTINUATION)
    pairs = thin.translate(_KIND).count
    sounds = thin.translate(_SOUNDS).count
    return (
        # Rows of vowels or of consonants are rare in English and in names for programmers.
        sounds(b"vvv"),
        sounds(b"cccc"),
        # Between words; a drawn line has pairs of them.
        max(0, thin.count(b"_") - 2 * thin.count(b"__")),
        pairs(b"aAa"),
        # Words of Italian, Spanish, Portuguese and others end so, those of English hardly ever.
        thin.count(b"o "),
        pairs(b"pA"),
        pairs(b"sp"),
        thin.count(b"ion"),
        pairs(b"nssssssss"),
        pairs(b"AAa"),
    )


def _wide_classes(data: bytes, thin: bytes) -> tuple[int, ...]:
    """Count characters by script, from their lead bytes.

    ``far`` counts bytes, not characters, of everything no vocabulary knows: rare scripts, marks, bytes that
    are no UTF-8. There a byte may cost a whole token.
    """
    scripts = thin.translate(_SCRIPT, _ASCII)  # of most texts little is left
    # A search for what is absent is far cheaper than a count of it, and most scripts are absent.
    latin, two, greek, cyrillic, arabic, south, east, symbols, kana, cjk, early, late, forms, four, bad = (
        scripts.count(lead) if lead in scripts else 0 for lead in _LEADS
    )
    continued = latin + two + greek + cyrillic + arabic + 3 * four
    continued += 2 * (south + east + symbols + kana + cjk + early + late + forms)

    near_south = _total(data, _SOUTH) if south else 0
    deep_south = _total(data, _DEEP_SOUTH) if south else 0
    late_south = _total(data, _LATE_SOUTH) if south else 0
    georgian, khmer, latin_east = (_total(data, _EASTERN[i]) if east else 0 for i in range(3))
    far_symbols = _total(data, _FAR_SYMBOLS) if symbols > data.count(_PUNCTUATION) else 0
    # Korean spreads over the lead bytes EA to ED; where EA outweighs the others it is Yi, Vai, Javanese, ...
    far_early = max(0, early - late)
    emoji = data.count(_EMOJI) if four else 0
    far_three = south - near_south - deep_south - late_south + east - georgian - khmer - latin_east
    far_three += far_symbols + far_early
    stray = max(0, len(data) - len(thin) - continued) + bad

    runs = thin.translate(_WIDE_RUNS)
    bare = runs.count(b".1")
    words = bare + runs.count(b"s1")
    # European words have an accent here and there; accents in a row are no word of any language.
    accents = max(0, latin - 2 * words)
    return (
        words,
        bare,
        latin - accents + latin_east,
        greek,
        cyrillic,
        arabic,
        near_south + georgian,
        deep_south + khmer,
        late_south,
        symbols - far_symbols + forms,
        kana,
        cjk,
        early + late - far_early,
        emoji,
        2 * (two + accents) + 3 * far_three + 4 * (four - emoji) + stray,
    )


def _total(data: bytes, prefixes: tuple[bytes, ...]) -> int:
    return sum(map(data.count, prefixes))
