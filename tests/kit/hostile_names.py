"""Names and values that try to be more than a name or a value: lines, separators, marks and signs of their own."""

from __future__ import annotations

from hypothesis import strategies as st

PIECES = (
    *("\n", "\r\n", "\r", "\t", "\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\x00", "\x1b[2J", "\x7f"),
    *(" · ", "·", " | ", "|", "×", " ×9", "…", ": ", ", ", '"', "\\", "'", "[", "{"),
    *("\u202e", "\u2066", "\u200b", "\u200d", "\ufeff", "\U000e0001", "\ud800", "\udfff"),
    *(
        "rows 1-9:",
        "all 5 rows:",
        "always: ",
        "sampled ",
        "absent",
        "null",
        "true",
        "12",
        "1 more",
        "a",
        "status",
        "é",
        "語",
    ),
)

texts = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
long_texts = st.builds(lambda text, times: (text or "x") * times, texts, st.integers(1, 90))
sendable = texts.map(lambda text: "".join(one for one in text if not "\ud800" <= one <= "\udfff"))
names = texts | st.sampled_from(["status", "id", "title", "at", "url"])
scalars = (
    texts | long_texts | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans() | st.none()
)
cells = (
    scalars
    | st.lists(scalars, max_size=8)
    | st.dictionaries(names, scalars, max_size=3)
    | st.lists(st.dictionaries(names, scalars, max_size=2), max_size=3)
)
records = st.lists(st.dictionaries(names, cells, max_size=5), min_size=1, max_size=12).map(lambda rows: rows * 3)
