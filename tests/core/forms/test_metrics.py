"""Metrics: every sample with its labels and value, every family; other texts with comments are none."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms.metrics import FORM
from tests.kit.forms.facts import reading_of
from tests.kit.forms.reading import Read, read_as

PAGE = r"""# HELP http_requests_total Requests\nby \\ method.
# TYPE http_requests_total counter
http_requests_total{method="post",code="200"} 1027 1395066363000
http_requests_total{method="post",code="400",} 3 1395066363000
# a comment

# TYPE odd gauge
# HELP odd
odd{ path = "C:\\DIR\\\n\"x\"" , type="a"} 1.458255915e9
odd{ } -0.5
# TYPE latency histogram
latency_bucket{le="0.05"} 24054
latency_bucket{le="+Inf"} 144320 # {trace="x"} 0.5
latency_sum 53423
latency_count 144320
# TYPE s summary
s{quantile="0.5"} NaN
s_sum +Inf
s_total 5
other_total 1e-3
# UNIT s seconds
# TYPE never gauge
# TYPE bare
# EOF
"""


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def test_every_sample_and_every_family_is_told() -> None:
    found = read(PAGE)
    rows = found.rows()
    assert [row["value"] for row in rows] == [
        1027,
        3,
        1458255915,
        -0.5,
        24054,
        144320,
        53423,
        144320,
        None,
        None,
        5,
        0.001,
    ]
    assert rows[0]["timestamp"] == 1395066363000
    assert rows[2]["path"] == 'C:\\DIR\\\n"x"'
    assert rows[2]["label_type"] == "a"
    assert rows[0]["code"] == "200"
    assert [row["family"] for row in rows[4:]] == ["latency"] * 4 + ["s", "s", "s_total", "other_total"]
    assert [row["type"] for row in rows[8:]] == ["summary", "summary", "untyped", "untyped"]
    families = {row["family"]: row for row in found.rows("families")}
    assert families["http_requests_total"]["help"] == "Requests\nby \\ method."
    assert families["latency"] == {"family": "latency", "type": "histogram", "samples": 4, "help": None}
    assert found.words.what == "metrics: 12 samples of 6 families"
    assert found.words.facts == (
        "families by type: untyped ×3 · gauge ×2 · counter ×1 · histogram ×1 · summary ×1",
        "samples by family: latency ×4 · http_requests_total ×2 · odd ×2 · s ×2 · +2 values",
        "greatest values: odd 1458255915 (line 9) · latency_bucket 144320 (line 13) · latency_count 144320 (line 15)",
        "families without samples: 2",
        "values that are no numbers: NaN ×1 · +Inf ×1",
    )


names = st.from_regex(r"[a-z_:][a-z0-9_:]{0,8}", fullmatch=True)
labels = st.dictionaries(
    st.sampled_from(["code", "Code", "le", "line", "value", "host"]),
    st.text(st.sampled_from('ab"\\\n{}=, #0é'), max_size=6),
    max_size=4,
)
samples = st.lists(st.tuples(names, labels, st.floats(allow_nan=False, allow_infinity=False)), min_size=3)


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


@given(samples)
def test_labels_and_values_are_read_as_they_were_written(made: list[tuple[str, dict[str, str], float]]) -> None:
    lines = []
    for name, some, value in made:
        pairs = [f'{key}="{escaped(text)}"' for key, text in some.items()]
        lines.append(f"{name}{{{','.join(pairs)}}} {value!r}")
    found = read("# TYPE x counter\n" + "\n".join(lines))
    for row, (name, some, value) in zip(found.rows(), made, strict=True):
        assert row["name"] == name
        assert math.isclose(row["value"], value, rel_tol=0, abs_tol=0)
        told = Counter(str(cell) for key, cell in row.items() if key not in ("line", "name", "type", "family", "value"))
        assert Counter(text for text in some.values() if text) <= told


def test_batches_put_together_are_all_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.forms.text_form.BATCH", 3)
    text = "# TYPE a counter\n" + "".join(f'a{{n="{n}"}} {n}\n' for n in range(9))
    found = read(text)
    assert found.column("value") == list(range(9))
    assert found.column("n") == [str(n) for n in range(9)]
    assert found.words.facts[2].startswith("greatest values: a 8 (line 10) · a 7 (line 9)")


def test_only_values_that_are_no_numbers_have_no_greatest() -> None:
    assert not any("greatest" in fact for fact in read("# TYPE a gauge\n" + "a NaN\n" * 4).words.facts)


OTHERS = {
    "no type": 'a{b="c"} 1\n' * 9,
    "no samples": "# TYPE a counter\n" * 9,
    "a shell script": "# TYPE a counter\nset -e\necho 1\n",
    "a stray line": PAGE + "and more\n",
    "a stray line late": PAGE + "a 1\n" * 5_000 + "!\n" + "a 1\n" * 9_000,
    "a stray line in a run": PAGE + "a 1\n" * 800 + "b\n" * 3_000,
    "a label without quotes": PAGE + "a{b=c} 1\n",
    "a label without an end": PAGE + 'a{b="c 1\n',
    "two points": PAGE + "a 1.2.3\n",
    "no value": PAGE + "a \n",
    "empty": "",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS.keys())
def test_other_texts_are_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


def test_more_families_than_metrics_have_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.forms.metrics.MOST_FAMILIES", 5)
    assert read_as(FORM, PAGE) is None


@pytest.mark.parametrize(
    "line",
    [
        "a" * 1_000_000,
        'a{b="' + "\\" * 1_000_000,
        "a{" + 'b="c",' * 200_000 + "} 1",
        "a{" + " " * 1_000_000 + "} 1",
        "a " + "1" * 1_000_000,
        "a 1" + " " * 1_000_000 + "x",
        'a{b="\x00"} 1',
        "# HELP a " + "x" * 1_000_000,
    ],
)
def test_hostile_texts_are_read_or_refused(line: str) -> None:
    read_as(FORM, f"{PAGE}{line}\n")


def test_the_form_is_found_among_all_forms() -> None:
    assert reading_of(PAGE).form == "metrics"
