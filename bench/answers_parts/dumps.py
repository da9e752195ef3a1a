"""Results that are dumps: SQL, HTTP, mail boxes."""

from __future__ import annotations

from collections import Counter

from bench.answers_parts.question import Result, ask, count_of, most_of, result_of, search, sql, stands
from bench.shapes.sampler import Sampler


@result_of("SQL dump")
def shop_dump() -> Result:
    """Tables with their definitions and rows."""
    draw = Sampler(4901)
    lines = [
        "-- dump of shop",
        "SET NAMES utf8;",
        "",
        "CREATE TABLE `customer` (",
        "  `id` int NOT NULL,",
        "  `name` varchar(80),",
        "  `city` varchar(40),",
        "  PRIMARY KEY (`id`)",
        ");",
        "",
    ]
    cities: Counter[str] = Counter()
    for at in range(600):
        city = draw.choices(("Bergen", "Porto", "Gent"), (4, 2, 1))[0]
        cities[city] += 1
        name = draw.person().replace("Ito", "O''Hara")
        lines.append(f"INSERT INTO `customer` VALUES ({at + 1},'{name}','{city}');")
    lines += [
        "",
        "CREATE TABLE `invoice` (",
        "  `id` int NOT NULL,",
        "  `customer_id` int,",
        "  `total` decimal(9,2),",
        "  `paid` tinyint",
        ");",
        "",
    ]
    invoices = [
        (at + 1, draw.randint(1, 600), round(draw.uniform(5, 900), 2), draw.choices((1, 0), (9, 1))[0])
        for at in range(1_100)
    ]
    for start in range(0, len(invoices), 50):
        rows = ",".join(f"({a},{b},{c},{d})" for a, b, c, d in invoices[start : start + 50])
        lines.append(f"INSERT INTO `invoice` VALUES {rows};")
    unpaid = sum(not one[3] for one in invoices)
    return Result(
        content="\n".join(lines) + "\n",
        questions=(
            count_of(
                "How many customers are from Porto?",
                sql("SELECT count(*) FROM customer WHERE city = 'Porto'"),
                "city",
                "Porto",
                cities["Porto"],
            ),
            ask(
                "How many invoices are unpaid?",
                sql("SELECT count(*) FROM invoice WHERE paid = 0"),
                [unpaid],
                first=[stands("paid", "0", unpaid)],
            ),
            ask(
                "Which tables are there?",
                search("CREATE TABLE", context=0),
                ["customer"],
                ["invoice"],
                first=[(stands("customer", 600)[0], stands("invoice", 1_100)[0])],
            ),
        ),
    )


@result_of("HTTP dump")
def http_exchange() -> Result:
    """Requests and responses as they went over the wire."""
    draw = Sampler(4902)
    parts = []
    statuses: Counter[str] = Counter()
    for _ in range(160):
        path = f"/v1/{draw.choice(('users', 'orders', 'stock'))}/{draw.randrange(999)}"
        status = draw.choices(("200 OK", "404 Not Found", "500 Internal Server Error"), (8, 2, 1))[0]
        statuses[status[:3]] += 1
        body = f'{{"id": {draw.randrange(999)}, "note": "{draw.sentence()}"}}'
        parts.append(
            f"GET {path} HTTP/1.1\r\nHost: api.example.org\r\n"
            f"Accept: */*\r\nX-Request-Id: {draw.uuid()}\r\n"
            f"\r\nHTTP/1.1 {status}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nDate: Mon, 05 Jan 2026 08:30:00 GMT\r\n"
            f"\r\n{body}\n\n"
        )
    return Result(
        content="".join(parts),
        questions=(
            ask(
                "How many responses were 500?",
                search("HTTP/1.1 500", context=0),
                ["total", statuses["500"]],
                first=[stands("status", "500", statuses["500"])],
            ),
            ask(
                "How many requests were made?",
                sql("SELECT count(*) FROM lines WHERE text LIKE 'GET %'"),
                [160],
                first=[stands("request", 160), stands("exchange", 160)],
            ),
        ),
    )


@result_of("mbox")
def mail_box() -> Result:
    """Mails of a list, one after the other."""
    draw = Sampler(4903)
    senders = ("Ana Costa <ana@example.org>", "Lee Ito <lee@example.org>", "Sam Berg <sam@example.org>")
    parts = []
    by_sender: Counter[str] = Counter()
    for at in range(170):
        sender = draw.choices(senders, (2, 5, 1))[0]
        by_sender[sender.partition(" <")[0]] += 1
        moment = draw.moment(at, 30_000)
        subject = draw.words(4) if at != 99 else "Hangar keys"
        body = draw.paragraph(6) if at != 99 else "The keys are with Mrs. Novak in room 214."
        parts.append(
            f"From {draw.name(1)}@example.org {moment:%a %b %d %H:%M:%S %Y}\n"
            f"From: {sender}\nTo: crew@example.org\nSubject: {subject}\n"
            f"Date: {moment:%a, %d %b %Y %H:%M:%S} +0000\n"
            f"Message-ID: <{draw.hex(12)}@example.org>\n"
            f"\n{body}\n\n{draw.sentence()}\n"
        )
    top = by_sender.most_common(1)[0]
    return Result(
        content="\n".join(parts) + "\n",
        questions=(
            ask(
                "How many mails did Lee Ito send?",
                sql("SELECT count(*) FROM lines WHERE text LIKE 'From: Lee Ito%'"),
                [by_sender["Lee Ito"]],
                first=[
                    stands("from", "Lee Ito", by_sender["Lee Ito"]),
                    stands("from", senders[1], by_sender["Lee Ito"]),
                ],
            ),
            ask("Who has the hangar keys?", search("The keys are", context=0), ["Novak"]),
            most_of(
                "Who writes most?",
                sql("SELECT sender, email, count(*) FROM items GROUP BY 1 ORDER BY 3 DESC LIMIT 1"),
                "from",
                top[0],
                top[1],
            ),
        ),
    )
