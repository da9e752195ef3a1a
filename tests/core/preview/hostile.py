"""JSON as nobody wants it, for the previews of data: written by hand, because no writer would write it."""

from __future__ import annotations

from hypothesis import strategies as st

scalars = st.sampled_from(
    [
        b"null",
        b"true",
        b"0",
        b"-1.0",
        b"1e999",
        b"-1e999",
        b"9007199254740993",
        b"9" * 4_301,
        b"1767225600",
        b'""',
        b'"x"',
        b'"12"',
        b'"src/a.ts"',
        b'"2026-01-01T00:00:00Z"',
        rb'"\u4e2d\ud83d\ude00\"\n"',
        '"ünï… [+3]"'.encode(),
        b'"' + b"long words " * 40 + b'"',
        b'"' + b"aB3" * 60 + b'"',
        b"[]",
        b"{}",
    ]
)
keys = st.sampled_from(
    [
        *(b'""', b'"id"', b'"name"', b'"file"', b'"line"', b'"text"', b'"matches"', b'"time"', b'"value"', b'"key"'),
        *(rb'"\"\n\\"', b'"' + b"k" * 200 + b'"', '"…"'.encode(), rb'"\u00e9"'),
    ]
)


def _array(parts: list[bytes]) -> bytes:
    return b"[ " + b" , ".join(parts) + b"]"


def _object(parts: list[tuple[bytes, bytes]]) -> bytes:
    """Keys may come twice."""
    return b"{" + b",\n".join(key + b": " + value for key, value in parts) + b"}"


values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=6).map(_array) | st.lists(st.tuples(keys, inner), max_size=6).map(_object),
    max_leaves=15,
)
arrays = st.lists(values, max_size=20).map(_array)
objects = st.lists(st.tuples(keys, values), max_size=12).map(_object)
records = st.lists(st.lists(st.tuples(keys, values), min_size=1, max_size=6).map(_object), min_size=4, max_size=25)
lines = st.lists(st.lists(st.tuples(keys, scalars), max_size=4), min_size=2, max_size=20).map(
    lambda rows: b"\n".join(_object(row).replace(b"\n", b"") for row in rows)
)
wrapped = records.map(lambda rows: b'{"total": 3, "data": {"rows": ' + _array(rows) + b', "next": null}}')
repeated = st.tuples(values, st.integers(20, 100)).map(lambda drawn: _array([drawn[0]] * drawn[1]))


def records_of(*fields: bytes, values: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Many records that all have these fields, among others."""
    fixed = st.tuples(*(values for _ in fields)).map(lambda drawn: list(zip(fields, drawn, strict=True)))
    record = st.tuples(fixed, st.lists(st.tuples(keys, values), max_size=2)).map(
        lambda parts: _object(parts[0] + parts[1])
    )
    return st.tuples(st.lists(record, min_size=1, max_size=6), st.integers(10, 20)).map(
        lambda drawn: _array(drawn[0] * drawn[1])
    )


documents = arrays | objects | records.map(_array) | lines | wrapped | repeated

fixed = {
    "an empty array": b"[]",
    "an empty object": b" { } ",
    "empty arrays": b"[" + b"[]," * 5_000 + b"[]]",
    "empty objects": b"[" + b"{}," * 500 + b"{}]",
    "400 arrays in each other": b"[" * 400 + b"]" * 400,
    "399 objects in each other": b'{"a":' * 399 + b"1" + b"}" * 399,
    "a number of 4,301 digits": b"[" + b"9" * 4_301 + b"]",
    "numbers of 4,301 digits": b"[" + b",".join([b"9" * 4_301] * 60) + b"]",
    "numbers beyond all bounds": b"[" + b"1e999,-1e999," * 100 + b"0]",
    "mixed types": b'[1,"a",null,{"a":1},[2],true,1.5,{},[]]' * 1,
    "a key of 100,000 characters": b'{"' + b"k" * 100_000 + b'": [1, 2, {"a": "b"}]}',
    "a string of 100,000 escapes": b'["' + rb"\ud83d\ude00" * 100_000 + b'"]',
    "a string of 100,000 bytes in UTF-8": b'["' + "語".encode() * 100_000 + b'"]',
    "2,000 keys": b"{" + b",".join(b'"k%d": [%d]' % (number, number) for number in range(2_000)) + b"}",
    "a map of 2,000 records": b"{" + b",".join(b'"k%d":{"a":%d}' % (number, number) for number in range(2_000)) + b"}",
    "one key all over": b"{" + b",".join([b'"a": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]'] * 600) + b"}",
    "no JSON at all": b"just text\nand more",
    "nothing": b"",
    "bytes": bytes(range(256)),
}
