"""JSON whose weight is in its strings: long texts, another script, encoded pictures, diffs."""

from __future__ import annotations

from typing import Any, Final

from bench.shapes.changes import file_diff, source_lines
from bench.shapes.registry import KB, MB, shape
from bench.shapes.sampler import NAMES, Sampler, compact, grow, pretty

# Common characters, drawn at random: what matters is three bytes a character and no spaces between words.
HAN: Final = (
    "的一是不了人我在有他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学"
    "对可里后小么心多天而能好都然没日于起还发成事只作当想看文"
)
KANA: Final = (
    "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをんアイウエオカキクケコ"
)


@shape("json", 300 * KB, 3 * MB)
def long_texts(size: int) -> str:
    """Make records with a text of some kilobytes each: tickets, mails, pages of a wiki."""
    draw = Sampler(31)

    def ticket(number: int) -> dict[str, Any]:
        body = "\n\n".join(draw.paragraph(draw.randint(2, 7)) for _ in range(draw.randint(3, 14)))
        fields = {"priority": draw.choice(["low", "normal", "high"]), "labels": draw.some(NAMES, 4), "due": None}
        return {
            "key": f"OPS-{number + 1}",
            "summary": draw.sentence(),
            "description": body,
            "reporter": {"name": draw.person(), "active": True},
            "fields": fields,
            "created": draw.stamp(number),
        }

    return compact({"total": 9_000, "issues": grow(size, ticket)})


@shape("json", 200 * KB, 2 * MB)
def cjk_records(size: int) -> str:
    """Make records in Chinese and Japanese, keys included."""
    draw = Sampler(32)

    def text(shortest: int, longest: int, characters: str = HAN) -> str:
        return "".join(draw.choices(characters, k=draw.randint(shortest, longest)))

    def record(number: int) -> dict[str, Any]:
        return {
            "编号": number,
            "标题": text(4, 14),
            "作者": text(2, 3),
            "城市": draw.choice(["北京", "上海", "広州", "東京", "大阪"]),
            "正文": "。".join(text(8, 40) for _ in range(draw.randint(1, 8))),
            "コメント": draw.maybe(text(6, 30, KANA)),
            "标签": [text(2, 4) for _ in range(draw.randrange(4))],
            "发布时间": draw.stamp(number),
        }

    return compact(grow(size, record))


@shape("json", 500 * KB, 4 * MB)
def notebook(size: int) -> str:
    """Make a notebook: cells with source as lists of lines, printed tables, pictures in base64 of some 60 KB."""
    draw = Sampler(33)

    def output() -> dict[str, Any]:
        picture = {"image/png": draw.token(draw.randint(20_000, 100_000)) + "\n", "text/plain": ["<Figure 640x480>"]}
        printed = [f"{draw.identifier():<20} {draw.random():.6f}\n" for _ in range(draw.randint(3, 60))]
        if draw.random() < 0.4:
            return {"output_type": "display_data", "data": picture, "metadata": {}}
        return {"output_type": "stream", "name": "stdout", "text": printed}

    def cell(number: int) -> dict[str, Any]:
        if number % 3 == 0:
            source = [f"## {draw.sentence(2, 5)}\n", "\n", draw.paragraph(3)]
            return {"cell_type": "markdown", "metadata": {}, "source": source}
        source = [f"{line}\n" for line in source_lines(draw, draw.randint(3, 20))]
        outputs = [output() for _ in range(draw.randrange(3))]
        return {"cell_type": "code", "execution_count": number, "metadata": {}, "source": source, "outputs": outputs}

    kernel = {"kernelspec": {"display_name": "Python 3", "name": "python3"}}
    return pretty({"cells": grow(size, cell, pretty), "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}, 1)


@shape("json", 200 * KB, 2 * MB)
def diff_in_field(size: int) -> str:
    """Make the changed files of a commit, each with its unified diff in the field ``patch``."""
    draw = Sampler(34)

    def changed(_: int) -> dict[str, Any]:
        path = draw.path()
        patch = file_diff(draw, path, draw.randint(1, 6)).partition("\n@@")[2]
        added, removed = patch.count("\n+"), patch.count("\n-")
        return {
            "sha": draw.hex(40),
            "filename": path,
            "status": draw.choice(["modified", "modified", "added", "renamed"]),
            "additions": added,
            "deletions": removed,
            "changes": added + removed,
            "raw_url": f"https://forge.example/raw/{draw.hex(40)}/{path}",
            "patch": f"@@{patch}",
        }

    return compact({"sha": draw.hex(40), "stats": {"total": 4_711}, "files": grow(size, changed)})
