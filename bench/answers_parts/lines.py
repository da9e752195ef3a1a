"""Results that are lines of tools: logs, access logs, grep, linters, listings."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from bench.answers_parts.question import (
    Result,
    Stands,
    ask,
    count_of,
    most_of,
    result_of,
    search,
    sql,
    stands,
    total_of,
)
from bench.shapes.sampler import START, Sampler


@result_of("log")
def payment_log() -> Result:
    """An application's log: levels, loggers, numbers in messages, stack traces, one long silence."""
    draw = Sampler(4501)
    loggers = ("ledger", "api.cards", "api.refunds", "worker.mail", "cache")
    lines, entries = [], []
    now = START
    for at in range(4_200):
        now += timedelta(milliseconds=draw.randrange(20, 4_000) if at != 2_950 else 1_260_000)
        level = draw.choices(("DEBUG", "INFO", "WARN", "ERROR"), (20, 70, 6, 3))[0]
        logger = draw.choices(loggers, (5, 4, 2, 2, 1) if level != "ERROR" else (1, 6, 1, 1, 1))[0]
        message = {
            "DEBUG": f"pool has {draw.randrange(40)} idle connections",
            "INFO": f"charged card ending {draw.randrange(10_000):04} took_ms={draw.randrange(9, 800)}",
            "WARN": f"retry {draw.randint(1, 5)} of 5 for job {draw.hex(8)}",
            "ERROR": draw.choices(
                (
                    f"timeout after {draw.randrange(1_000, 9_000)} ms calling bank",
                    f"card {draw.randrange(10**6)} declined: code {draw.randrange(90)}",
                    "lock wait exceeded",
                ),
                (5, 3, 1),
            )[0],
        }[level]
        entries.append((now, level, logger, message))
        lines.append(f"{now:%Y-%m-%d %H:%M:%S},{now.microsecond // 1000:03} {level:<5} [{logger}] {message}")
        if level == "ERROR" and draw.random() < 0.3:
            lines += [
                "Traceback (most recent call last):",
                f'  File "/srv/{logger}.py", line {draw.randrange(300)}, in call',
                "TimeoutError: bank",
            ]
    errors = [one for one in entries if one[1] == "ERROR"]
    levels = Counter(one[1] for one in entries)
    sources = Counter(one[2] for one in errors)
    timeouts = sum(one[3].startswith("timeout after") for one in errors)
    lasted = errors[-1][0]
    hours = Counter(f"{one[0]:%Y-%m-%d %H}" for one in errors)
    return Result(
        content="\n".join(lines) + "\n",
        questions=(
            count_of(
                "How many errors are there?",
                sql("SELECT count(*) FROM items WHERE level = 'ERROR'"),
                "level",
                "ERROR",
                levels["ERROR"],
            ),
            most_of(
                "Which component logs most errors?",
                sql("SELECT source, count(*) FROM items WHERE level = 'ERROR' GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
                "ERROR",
                *sources.most_common(1)[0],
            ),
            ask(
                "How often did the bank time out?",
                sql("SELECT count(*) FROM items WHERE message LIKE 'timeout after%'"),
                [timeouts],
                first=[stands("top error messages", "timeout after # ms calling bank", timeouts)],
            ),
            ask(
                "When was the last error?",
                sql("SELECT max(time) FROM items WHERE level = 'ERROR'"),
                [f"{lasted:%H:%M:%S}"],
                first=[stands("last ERROR", f"{lasted:%H:%M:%S}")],
            ),
            ask(
                "In which hour were most errors?",
                sql(
                    "SELECT substr(time, 1, 13) AS hour, count(*) FROM items WHERE level = 'ERROR'"
                    " GROUP BY 1 ORDER BY 2 DESC LIMIT 1"
                ),
                [hours.most_common(1)[0][1]],
            ),
            ask(
                "How long was the longest silence?",
                search(f"{entries[2_950][0]:%Y-%m-%d %H:%M:%S}", context=1),
                [f"{entries[2_950][0]:%H:%M:%S}"],
                first=[stands("longest gap", "21 min")],
            ),
        ),
    )


@result_of("log")
def access_log() -> Result:
    """Requests as a web server logs them."""
    draw = Sampler(4502)
    paths = ("/", "/cart", "/api/items", "/api/pay", "/static/app.js", "/login")
    lines, requests = [], []
    for at in range(2_200):
        moment = draw.moment(at, 7)
        path = draw.choices(paths, (8, 4, 6, 2, 9, 2))[0]
        status = draw.choices((200, 304, 404, 503), (90, 8, 3, 12 if path == "/api/pay" else 1))[0]
        size = draw.randrange(100, 60_000)
        address = draw.choice(("10.2.7.9", "10.2.7.10", "172.16.0.4", draw.address()))
        requests.append((address, path, status, size))
        lines.append(
            f'{address} - - [{moment:%d/%b/%Y:%H:%M:%S} +0000] "GET {path} HTTP/1.1" '
            f'{status} {size} "-" "curl/8.{draw.randrange(9)}"'
        )
    failed = Counter(path for _, path, status, _ in requests if status == 503)
    statuses = Counter(status for _, _, status, _ in requests)
    clients = Counter(address for address, *_ in requests)
    return Result(
        content="\n".join(lines) + "\n",
        questions=(
            count_of(
                "How many requests got a 503?",
                sql("SELECT count(*) FROM items WHERE status = 503"),
                "status",
                503,
                statuses[503],
            ),
            most_of(
                "Which path fails most?",
                sql("SELECT path, count(*) FROM items WHERE status = 503 GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
                "5xx",
                *failed.most_common(1)[0],
            ),
            ask(
                "Which client sends most requests?",
                {"action": "sql", "sql": "SELECT client, count(*) FROM items GROUP BY 1 ORDER BY 2 DESC LIMIT 1"},
                clients.most_common(1)[0],
                first=[stands("client", *clients.most_common(1)[0])],
            ),
        ),
    )


@result_of("grep")
def grep_todo() -> Result:
    """Matches with file and line, many in one folder."""
    draw = Sampler(4503)
    files = sorted(
        {
            f"{draw.choice(('app', 'app', 'lib', 'third_party'))}/{draw.name(1)}/{draw.identifier()}.go"
            for _ in range(90)
        }
    )
    lines = []
    by_file: Counter[str] = Counter()
    for file in files:
        for line in sorted(draw.sample(range(1, 900), draw.randint(1, 25))):
            by_file[file] += 1
            lines.append(f"{file}:{line}:\t// TODO({draw.choice(('ana', 'lee', 'sam'))}): {draw.words(7)}")
    folders = Counter(path.split("/")[0] + "/" for path in by_file.elements())
    people = Counter(line.partition("TODO(")[2].partition(")")[0] for line in lines)
    top = by_file.most_common(1)[0]
    return Result(
        content="\n".join(lines) + "\n",
        questions=(
            ask(
                "How many TODOs has the file with most of them?",
                sql("SELECT file, count(*) FROM items GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
                [top[1]],
                first=[stands("file", top[0], top[1])],
            ),
            total_of(
                "In how many files are there TODOs?",
                sql("SELECT count(DISTINCT file) FROM items"),
                "files",
                len(by_file),
            ),
            count_of(
                "How many are in third_party?",
                sql("SELECT count(*) FROM items WHERE file LIKE 'third_party/%'"),
                "folder",
                "third_party/",
                folders["third_party/"],
            ),
            ask(
                "How many are for lee?",
                sql("SELECT count(*) FROM items WHERE text LIKE '%TODO(lee)%'"),
                [people["lee"]],
            ),
        ),
    )


@result_of("linter")
def type_errors() -> Result:
    """What a type checker prints."""
    draw = Sampler(4504)
    codes = ("arg-type", "union-attr", "return-value", "no-untyped-def")
    files = [draw.path() for _ in range(45)]
    lines = []
    counts: Counter[str] = Counter()
    per_file: Counter[str] = Counter()
    for file in files:
        for line in sorted(draw.sample(range(1, 700), draw.randint(4, 40))):
            code = draw.choices(codes, (5, 2, 2, 1))[0]
            counts[code] += 1
            per_file[file] += 1
            lines.append(f'{file}:{line}: error: {draw.sentence(6, 12)[:-1]} "{draw.identifier()}"  [{code}]')
    lines.append(f"Found {counts.total()} errors in {len(per_file)} files (checked 210 source files)")
    return Result(
        content="\n".join(lines) + "\n",
        questions=(
            most_of(
                "Which kind of error is the commonest?",
                sql("SELECT code, count(*) FROM items GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
                "code",
                *counts.most_common(1)[0],
            ),
            total_of("How many errors are there?", sql("SELECT count(*) FROM items"), "finding", counts.total()),
            ask(
                "How many errors has the worst file?",
                sql("SELECT file, count(*) FROM items GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
                [per_file.most_common(1)[0][1]],
                first=[stands("file", *per_file.most_common(1)[0])],
            ),
        ),
    )


@result_of("listing")
def find_files() -> Result:
    """Paths as ``find`` prints them."""
    draw = Sampler(4505)
    tops = ("./assets", "./src", "./docs", "./node_modules/left")
    weights = (2, 4, 1, 9)
    paths = sorted(
        {
            f"{draw.choices(tops, weights)[0]}/{draw.name(1)}/{draw.name(2)}-{draw.hex(3)}"
            f".{draw.choices(('ts', 'js', 'png', 'md'), (3, 6, 2, 1))[0]}"
            for _ in range(2_600)
        }
    )
    kinds = Counter(path.rpartition(".")[2] for path in paths)
    modules = sum(path.startswith("./node_modules/") for path in paths)
    return Result(
        content="\n".join(paths) + "\n",
        questions=(
            ask(
                "How many pictures (png) are there?",
                sql("SELECT count(*) FROM items WHERE path LIKE '%.png'"),
                [kinds["png"]],
                first=[stands("extension", "png", kinds["png"]), stands("extension", ".png", kinds["png"])],
            ),
            ask(
                "How many files are under node_modules?",
                sql("SELECT count(*) FROM items WHERE path LIKE '%node_modules/%'"),
                [modules],
                first=[
                    (Stands("folder", ("node_modules/", str(modules))),),
                    (Stands("folder", ("node_modules/left/", str(modules))),),
                ],
            ),
            total_of("How many files are listed?", sql("SELECT count(*) FROM items"), "paths", len(paths)),
        ),
    )


@result_of("listing")
def ls_long() -> Result:
    """Folders with sizes and dates, as ``ls -lR`` prints them."""
    draw = Sampler(4506)
    lines: list[str] = []
    files = []
    for folder in range(40):
        name = f"./var/{draw.name(1)}{folder}"
        lines += [f"{name}:", f"total {draw.randrange(9_000)}"]
        for _ in range(draw.randint(20, 50)):
            size = int(draw.lognormvariate(9, 2))
            file = f"{draw.name(2)}.{draw.choice(('log', 'gz', 'db'))}"
            files.append((f"{name}/{file}", size))
            lines.append(
                f"-rw-r--r-- 1 {draw.choice(('root', 'www', 'backup'))} staff {size:>10} "
                f"Mar {draw.randint(1, 28):>2} 0{draw.randrange(9)}:{draw.randrange(10, 59)} "
                f"{file}"
            )
        lines.append("")
    path, size = max(files, key=lambda one: one[1])
    return Result(
        content="\n".join(lines),
        questions=(
            ask(
                "Which file is the largest?",
                sql("SELECT folder, name, size FROM items ORDER BY size DESC LIMIT 1"),
                [path.rpartition("/")[2], size],
                first=[
                    (Stands("size", (f"to {size}",)), Stands("size", (path.rpartition("/")[2], str(size)))),
                    stands("largest", path.rpartition("/")[2], size),
                ],
            ),
            ask(
                "How many bytes are there in all?",
                sql("SELECT sum(size) FROM items"),
                [sum(one[1] for one in files)],
                first=[
                    stands("size", f"sum {sum(one[1] for one in files)}"),
                    stands("bytes", sum(one[1] for one in files)),
                ],
            ),
        ),
    )
