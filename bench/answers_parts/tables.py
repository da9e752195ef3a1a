"""Results that are tables of text: CSV, TSV, Markdown and ASCII tables."""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import Any

from bench.answers_parts.question import (
    Result,
    ask,
    count_of,
    greatest_of,
    most_of,
    range_end,
    result_of,
    search,
    sql,
    stands,
    total_of,
)
from bench.shapes.sampler import Sampler


@result_of("CSV")
def ferry_trips() -> Result:
    """Trips with quoted remarks, some of them over two lines, and codes that begin with a zero."""
    draw = Sampler(4401)
    routes = ("Alba-Corvo", "Corvo-Dune", "Dune-Alba")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["trip", "date", "route", "harbour_code", "passengers", "delay_min", "remark"])
    trips: list[list[Any]] = []
    for at in range(1_600):
        remark = draw.choices(("", "fog, slow", 'the "Heron" towed', "two\nlines"), (90, 4, 1, 2))[0]
        delay = max(0, int(draw.gauss(3, 6)))
        trip = [
            5_000 + at,
            f"2026-0{1 + at // 200}-{1 + at % 28:02}",
            draw.choices(routes, (5, 3, 1))[0],
            draw.choice(("0211", "0407", "1190")),
            draw.randrange(3, 300),
            delay,
            remark,
        ]
        trips.append(trip)
        writer.writerow(trip)
    by_route = Counter(str(trip[2]) for trip in trips)
    passengers = sum(int(trip[4]) for trip in trips)
    worst = max(trips, key=lambda trip: int(trip[5]))
    on_worst = Counter(str(trip[2]) for trip in trips if int(trip[5]) >= 15)
    return Result(
        content=out.getvalue(),
        questions=(
            most_of(
                "Which route is sailed most?",
                sql("SELECT route, count(*) FROM items GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
                "route",
                *by_route.most_common(1)[0],
            ),
            ask(
                "How many passengers were carried in all?",
                sql("SELECT sum(passengers) FROM items"),
                [passengers],
                first=[stands("passengers", f"sum {passengers}")],
            ),
            range_end("What was the longest delay?", sql("SELECT max(delay_min) FROM items"), "delay_min", worst[5]),
            ask(
                "On which route are delays of a quarter of an hour commonest?",
                sql("SELECT route, count(*) AS n FROM items WHERE delay_min >= 15 GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
                on_worst.most_common(1)[0],
            ),
            count_of(
                "How many trips left from harbour 0407?",
                sql("SELECT count(*) FROM items WHERE harbour_code = '0407'"),
                "harbour_code",
                "0407",
                sum(trip[3] == "0407" for trip in trips),
            ),
            total_of("How many trips are listed?", sql("SELECT count(*) FROM items"), "rows", len(trips)),
        ),
    )


@result_of("TSV")
def gene_counts() -> Result:
    """Tabs, a header, missing values, and numbers with exponents."""
    draw = Sampler(4402)
    lines = ["gene\tchromosome\tbiotype\treads\tp_value"]
    genes = []
    for at in range(1_500):
        gene = (
            f"ENS{at:06}",
            f"chr{draw.randint(1, 22)}",
            draw.choices(("protein_coding", "lncRNA", "pseudogene"), (6, 3, 1))[0],
            draw.randrange(50_000),
            f"{draw.random() / 1000:.3e}",
        )
        genes.append(gene)
        lines.append("\t".join(map(str, gene)))
    kinds = Counter(gene[2] for gene in genes)
    top = max(genes, key=lambda gene: gene[3])
    return Result(
        content="\n".join(lines) + "\n",
        questions=(
            count_of(
                "How many pseudogenes are there?",
                sql("SELECT count(*) FROM items WHERE biotype = 'pseudogene'"),
                "biotype",
                "pseudogene",
                kinds["pseudogene"],
            ),
            greatest_of(
                "Which gene has most reads?",
                sql("SELECT gene, reads FROM items ORDER BY reads DESC LIMIT 1"),
                "reads",
                top[0],
                top[3],
            ),
            ask(
                f"What is the p-value of {genes[700][0]}?",
                search(genes[700][0], context=0),
                [genes[700][0], genes[700][4]],
                first=[stands("p_value", genes[700][0], genes[700][4])],
            ),
        ),
    )


@result_of("Markdown table")
def release_table() -> Result:
    """A page with one long table between some text."""
    draw = Sampler(4403)
    rows = [
        (
            draw.name(2, "-"),
            draw.version(),
            draw.choices(("stable", "beta", "yanked"), (8, 2, 1))[0],
            draw.randrange(10, 9_000),
            draw.sentence(),
        )
        for _ in range(700)
    ]
    status = Counter(row[2] for row in rows)
    largest = max(rows, key=lambda row: row[3])
    body = "\n".join(f"| {a} | {b} | {c} | {d} | {e} |" for a, b, c, d, e in rows)
    return Result(
        content=(
            "# Packages\n\nAs of today.\n\n| Package | Version | Status | Size KB | "
            f"Notes |\n|---|---|---|---:|---|\n{body}\n"
            "\nEnd of list.\n"
        ),
        questions=(
            count_of(
                "How many packages were yanked?",
                sql("SELECT count(*) FROM items WHERE Status = 'yanked'"),
                "Status",
                "yanked",
                status["yanked"],
            ),
            greatest_of(
                "Which package is the largest?",
                sql('SELECT Package, "Size KB" FROM items ORDER BY "Size KB" DESC LIMIT 1'),
                "Size KB",
                largest[0],
                largest[3],
            ),
        ),
    )


@result_of("ASCII table")
def psql_output() -> Result:
    """What a database's shell prints."""
    draw = Sampler(4404)
    names = ("id", "plan", "seats", "country", "renewed")
    rows = [
        (
            str(10_000 + at),
            draw.choices(("free", "team", "scale"), (7, 3, 1))[0],
            str(draw.randrange(1, 400)),
            draw.choice(("NO", "PT", "JP", "BR")),
            f"2026-0{draw.randint(1, 9)}-2{draw.randrange(9)}",
        )
        for at in range(1_800)
    ]
    widths = [max(len(row[at]) for row in [names, *rows]) for at in range(5)]
    written = "\n".join(
        " " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
    )
    head = " " + " | ".join(name.ljust(width) for name, width in zip(names, widths, strict=True))
    rule = "-" + "-+-".join("-" * width for width in widths) + "-"
    plans = Counter(row[1] for row in rows)
    seats = sum(int(row[2]) for row in rows)
    return Result(
        content=f"{head}\n{rule}\n{written}\n({len(rows)} rows)\n",
        questions=(
            count_of(
                "How many customers are on the plan scale?",
                sql("SELECT count(*) FROM items WHERE plan = 'scale'"),
                "plan",
                "scale",
                plans["scale"],
            ),
            ask(
                "How many seats were sold in all?",
                sql("SELECT sum(seats) FROM items"),
                [seats],
                first=[stands("seats", f"sum {seats}")],
            ),
            range_end(
                "When was the last renewal?",
                sql("SELECT max(renewed) FROM items"),
                "renewed",
                max(row[4] for row in rows),
            ),
        ),
    )
