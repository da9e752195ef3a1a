"""Results that are pages to read: accessibility snapshots, Markdown sections, prose, HTML, notebooks."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from bench.answers_parts.question import (
    Result,
    ask,
    count_of,
    result_of,
    search,
    sql,
    stands,
    total_of,
)
from bench.shapes.sampler import Sampler


@result_of("aria snapshot")
def shop_page() -> Result:
    """What a browser's tool sees of a page, with a ref for each element."""
    draw = Sampler(4701)
    lines = [
        "- banner [ref=e1]:",
        '  - link "Home" [ref=e2]:',
        "    - /url: /",
        "- main [ref=e3]:",
        '  - heading "Lamps" [level=1] [ref=e4]',
        "  - list [ref=e5]:",
    ]
    ref = 6
    roles: Counter[str] = Counter({"link": 1, "heading": 1})
    wanted = answer = ""
    for at in range(260):
        name = f"{draw.name(2, ' ')} {at}"
        lines += [
            f"    - listitem [ref=e{ref}]:",
            f'      - heading "{name}" [level=3] [ref=e{ref + 1}]',
            f'      - link "Details of {name}" [ref=e{ref + 2}] [cursor=pointer]:',
            f"        - /url: /lamp/{at}",
            f"      - text: {draw.sentence(4, 9)}",
            f'      - button "Add to cart" [ref=e{ref + 3}]' + (" [disabled]" if draw.random() < 0.1 else ""),
        ]
        if at == 171:
            wanted = name
            answer = f"e{ref + 2}"
        roles.update(("heading", "link", "button"))
        ref += 4
    lines += [f"- contentinfo [ref=e{ref}]:", "  - text: All prices in EUR"]
    disabled = sum(line.endswith("[disabled]") for line in lines)
    return Result(
        content="\n".join(lines) + "\n",
        questions=(
            count_of(
                "How many buttons has the page?",
                sql("SELECT count(*) FROM items WHERE role = 'button'"),
                "role",
                "button",
                roles["button"],
            ),
            ask(f"Which ref has the link to {wanted}?", search(f"Details of {wanted}", context=0), [f"ref={answer}"]),
            ask(
                "How many buttons are disabled?",
                search("[disabled]", context=0),
                ["total", disabled],
                first=[stands("disabled", disabled)],
            ),
        ),
    )


@result_of("Markdown")
def handbook() -> Result:
    """A handbook with headings, lists and code."""
    draw = Sampler(4702)
    parts = ["# Operations handbook\n"]
    titles: list[tuple[str, list[str]]] = []
    for chapter in range(14):
        title = f"{draw.words(2).title()} {chapter + 1}"
        sections = [f"{draw.words(3).capitalize()} {chapter + 1}.{at + 1}" for at in range(draw.randint(3, 7))]
        titles.append((title, sections))
        parts.append(f"\n## {title}\n\n{draw.paragraph(5)}\n")
        for section in sections:
            parts.append(f"\n### {section}\n\n{draw.paragraph(9)}\n\n- {draw.sentence()}\n- {draw.sentence()}\n")
            if draw.random() < 0.3:
                parts.append(f"\n```sh\nsystemctl restart {draw.name(1)}\n```\n")
    parts.insert(20, "\nThe pager number is 555-0142; ask for the duty lead.\n")
    chapters = len(titles)
    return Result(
        content="".join(parts),
        questions=(
            ask("What is the pager number?", search("pager number", context=0), ["555-0142"]),
            ask(
                "Which chapters are there?",
                {"action": "outline"},
                *([title] for title, _ in titles),
                first=[tuple(stands(title, title)[0] for title, _ in titles)],
            ),
            ask(
                "How many chapters has it?",
                sql("SELECT count(*) FROM items WHERE level = 2"),
                [chapters],
                first=[
                    stands("headings", "level 2", chapters),
                    stands("level", 2, chapters),
                    stands("level", "##", chapters),
                ],
            ),
        ),
    )


@result_of("prose")
def meeting_minutes() -> Result:
    """Paragraphs without any structure."""
    draw = Sampler(4703)
    paragraphs = [draw.paragraph(8) for _ in range(220)]
    paragraphs[130] += " The board agreed to lease the Rowan hangar for 48,500 a year from June."
    return Result(
        content="\n\n".join(paragraphs) + "\n",
        questions=(
            ask("What does the Rowan hangar cost?", search("Rowan hangar", context=0), ["48,500"]),
            ask("When does the lease of the hangar begin?", search("lease the", context=0), ["June"]),
        ),
    )


@result_of("HTML")
def status_page() -> Result:
    """A page with a table of incidents, navigation, styles and scripts."""
    draw = Sampler(4704)
    rows = [
        (
            f"INC-{1_000 + at}",
            draw.choice(("Billing", "Search", "Login")),
            draw.choices(("resolved", "open"), (9, 1))[0],
            draw.randrange(3, 700),
            draw.sentence(),
        )
        for at in range(420)
    ]
    status = Counter(row[2] for row in rows)
    longest = max(rows, key=lambda row: row[3])
    cells = "\n".join(
        f"<tr><td><a href='/i/{row[0]}'>{row[0]}</a></td>" + "".join(f"<td>{cell}</td>" for cell in row[1:]) + "</tr>"
        for row in rows
    )
    style = "".join(f".c{at}{{color:#{draw.hex(6)}}}" for at in range(400))
    return Result(
        content=(
            "<!DOCTYPE html>\n<html lang='en'><head><title>Incidents &amp; outages</title>"
            f"<style>{style}</style></head>\n<body><nav><a href='/'>Home</a></nav>"
            "<h1>Incidents</h1><h2>This year</h2><table><thead><tr><th>Incident</th>"
            "<th>Service</th><th>Status</th><th>Minutes</th><th>Summary</th></tr></thead>"
            f"\n<tbody>{cells}</tbody></table>"
            f"<script>var a={draw.randrange(9)};</script></body></html>\n"
        ),
        questions=(
            count_of(
                "How many incidents are open?",
                sql("SELECT count(*) FROM items WHERE Status = 'open'"),
                "Status",
                "open",
                status["open"],
            ),
            ask(
                "Which incident lasted longest?",
                sql("SELECT Incident, Minutes FROM items ORDER BY Minutes DESC LIMIT 1"),
                [longest[3]],
                first=[(stands("Minutes", f"to {longest[3]}")[0], stands("Minutes", longest[0], longest[3])[0])],
            ),
            ask(
                "What is the page's title?",
                search("<title>", context=0),
                ["Incidents"],
                first=[stands("title", "Incidents & outages")],
            ),
        ),
    )


@result_of("notebook")
def notebook() -> Result:
    """Cells with code, text and outputs, one of them a picture, one an error."""
    draw = Sampler(4705)
    cells: list[dict[str, Any]] = []
    for at in range(70):
        kind = draw.choices(("code", "markdown"), (3, 2))[0] if at != 44 else "code"
        source = (
            [f"{draw.identifier()} = {draw.randrange(90)}\n", f"print({draw.identifier()})\n"]
            if kind == "code"
            else [f"## {draw.words(3)}\n", "\n", draw.paragraph(4)]
        )
        cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": source}
        if kind == "code":
            outputs: list[dict[str, object]] = [
                {"output_type": "stream", "name": "stdout", "text": [draw.paragraph(6)]}
            ]
            if at % 9 == 0:
                outputs.append(
                    {"output_type": "display_data", "data": {"image/png": draw.token(4_000)}, "metadata": {}}
                )
            if at == 44:
                outputs.append(
                    {"output_type": "error", "ename": "KeyError", "evalue": "'rainfall'", "traceback": [draw.words(30)]}
                )
            cell |= {"execution_count": at, "outputs": outputs}
        cells.append(cell)
    kinds = Counter(str(cell["cell_type"]) for cell in cells)
    return Result(
        content=json.dumps(
            {"cells": cells, "metadata": {"kernelspec": {"name": "python3"}}, "nbformat": 4, "nbformat_minor": 5},
            indent=1,
        ),
        questions=(
            count_of(
                "How many code cells are there?",
                sql("SELECT count(*) FROM items WHERE cell_type = 'code'"),
                "cell_type",
                "code",
                kinds["code"],
            ),
            ask(
                "Which error occurred?",
                search("evalue", context=1),
                ["KeyError"],
                first=[stands("error", "KeyError"), stands("ename", "KeyError")],
            ),
            total_of("How many cells has it?", sql("SELECT count(*) FROM items"), "cells", len(cells)),
        ),
    )
