"""Results that are lists or maps of records: API objects, packages, scanner findings, code search, query results."""

from __future__ import annotations

from collections import Counter
from typing import Any

from bench.answers_parts.question import (
    Result,
    Stands,
    ask,
    count_of,
    greatest_of,
    jq,
    most_of,
    range_end,
    result_of,
    sql,
    stands,
    total_of,
)
from bench.shapes.sampler import Sampler, compact, pretty


@result_of("records")
def purchase_orders() -> Result:
    """Orders of a shop's API: nested customer, lines, optional refund."""
    draw = Sampler(4101)
    shops = ("Lisbon", "Graz", "Turku", "Split")
    orders: list[dict[str, Any]] = [
        {
            "id": f"ord_{draw.token(14)}",
            "object": "order",
            "number": 20_400 + at,
            "state": draw.choices(("paid", "shipped", "refunded", "disputed"), (60, 30, 8, 2))[0],
            "shop": {"city": draw.choices(shops, (5, 3, 2, 1))[0], "region": "eu"},
            "customer": {
                "name": draw.person(),
                "email": f"{draw.name(2, '.')}@example.org",
                "vip": draw.random() < 0.1,
            },
            "amount": draw.randrange(500, 90_000),
            "currency": "EUR",
            "placed_at": draw.stamp(at, 5_000),
            "refund": {"reason": draw.choice(("damaged", "late", "unwanted"))} if draw.random() < 0.1 else None,
            "lines": [
                {"sku": f"SKU-{draw.randrange(900):03}", "quantity": draw.randint(1, 4), "title": draw.words(3)}
                for _ in range(draw.randint(1, 5))
            ],
            "note": draw.sentence(),
        }
        for at in range(380)
    ]
    states = Counter(one["state"] for one in orders)
    cities = Counter(one["shop"]["city"] for one in orders)
    greatest = max(orders, key=lambda one: one["amount"])
    last = max(str(one["placed_at"]) for one in orders)
    reasons = Counter(one["refund"]["reason"] for one in orders if one["refund"])
    lines = sum(len(one["lines"]) for one in orders)
    by_sku: Counter[str] = Counter()
    for one in orders:
        for line in one["lines"]:
            by_sku[line["sku"]] += line["quantity"]
    [(sku, pieces)] = by_sku.most_common(1)
    asked = orders[217]
    city, number = cities.most_common(1)[0]
    return Result(
        content=compact({"object": "list", "has_more": True, "data": orders}),
        questions=(
            count_of(
                "How many orders were refunded?",
                sql("SELECT count(*) FROM items WHERE state = 'refunded'"),
                "state",
                "refunded",
                states["refunded"],
            ),
            most_of(
                "Which shop has most orders?",
                sql('SELECT "shop.city", count(*) FROM items GROUP BY 1 ORDER BY 2 DESC LIMIT 1'),
                "city",
                city,
                number,
            ),
            greatest_of(
                "Which order is the most expensive?",
                sql("SELECT number, amount FROM items ORDER BY amount DESC LIMIT 1"),
                "amount",
                greatest["number"],
                greatest["amount"],
            ),
            range_end("When was the last order placed?", sql("SELECT max(placed_at) FROM items"), "placed_at", last),
            count_of(
                "How many were refunded because they were damaged?",
                sql("SELECT count(*) FROM items WHERE \"refund.reason\" = 'damaged'"),
                "reason",
                "damaged",
                reasons["damaged"],
            ),
            total_of("How many order lines are there in all?", jq("[.data[].lines[]] | length"), "lines", lines),
            ask(
                "Which article was sold most often, in pieces?",
                jq(
                    "[.data[].lines[]] | group_by(.sku) | map({sku: .[0].sku, n: (map(.quantity) | add)})"
                    " | sort_by(-.n) | .[0]"
                ),
                [sku, pieces],
            ),
            ask(
                f"What is the state of order {asked['number']}?",
                sql(f"SELECT number, state FROM items WHERE number = {asked['number']}"),
                [asked["number"], asked["state"]],
                first=[stands("state", asked["number"], asked["state"])],
            ),
        ),
    )


@result_of("records")
def deployments() -> Result:
    """Workflow runs: what ran, on which branch, how it ended, how long it took."""
    draw = Sampler(4102)
    names = ("build", "lint", "integration tests", "publish image")
    runs: list[dict[str, Any]] = []
    for at in range(260):
        name = draw.choices(names, (5, 5, 4, 1))[0]
        failed = draw.random() < (0.22 if name == "integration tests" else 0.05)
        runs.append(
            {
                "id": 7_000_100 + at,
                "name": name,
                "head_branch": draw.choices(("main", f"feature/{draw.name()}"), (2, 3))[0],
                "status": "completed" if at < 255 else "in_progress",
                "conclusion": None if at >= 255 else "failure" if failed else "success",
                "event": draw.choices(("push", "pull_request", "schedule"), (5, 6, 1))[0],
                "run_attempt": draw.choices((1, 2, 3), (20, 3, 1))[0],
                "created_at": draw.stamp(at, 2_000),
                "duration_s": draw.randrange(40, 2_400),
                "actor": {
                    "login": draw.choice(("priya", "sven", "noor", "renovate[bot]")),
                    "id": draw.randrange(9_999),
                },
                "head_commit": {"id": draw.hex(40), "message": draw.sentence()},
                "html_url": f"https://git.example.org/acme/shop/runs/{7_000_100 + at}",
            }
        )
    failed_by = Counter(one["name"] for one in runs if one["conclusion"] == "failure")
    worst, failures = failed_by.most_common(1)[0]
    slowest = max(runs, key=lambda one: one["duration_s"])
    last = [one for one in runs if one["conclusion"] == "failure"][-1]
    return Result(
        content=pretty({"total_count": 1_904, "workflow_runs": runs}),
        questions=(
            count_of(
                "How many runs failed?",
                sql("SELECT count(*) FROM items WHERE conclusion = 'failure'"),
                "conclusion",
                "failure",
                failed_by.total(),
            ),
            ask(
                "Which workflow fails most often?",
                sql("SELECT name, count(*) FROM items WHERE conclusion = 'failure' GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
                [worst, failures],
                first=[stands("failure", worst, failures)],
            ),
            greatest_of(
                "Which run took longest?",
                sql("SELECT id, duration_s FROM items ORDER BY duration_s DESC LIMIT 1"),
                "duration_s",
                slowest["id"],
                slowest["duration_s"],
            ),
            ask(
                "Which run failed last, and with which commit message?",
                sql(
                    "SELECT id, \"head_commit.message\" FROM items WHERE conclusion = 'failure'"
                    " ORDER BY created_at DESC LIMIT 1"
                ),
                [last["id"]],
            ),
            total_of(
                "How many runs are there in all, with those on other pages?", jq(".total_count"), "total_count", "1904"
            ),
        ),
    )


@result_of("map")
def sensors_by_id() -> Result:
    """Devices by their ids, as home automation answers."""
    draw = Sampler(4103)
    rooms = ("kitchen", "attic", "garage", "office", "nursery")
    devices: dict[str, dict[str, Any]] = {
        f"0x{draw.hex(16)}": {
            "label": f"{draw.choice(rooms)} {draw.name(1)}",
            "room": draw.choice(rooms),
            "model": draw.choice(("TH-2", "TH-3", "PIR-9", "PLUG-1")),
            "battery": draw.maybe(draw.randint(1, 100), 0.8),
            "lowBattery": False,
            "firmware": {"installed": f"2.{draw.randrange(9)}", "latest": "2.8"},
            "lastSeen": draw.stamp(draw.randrange(400), 900),
            "rssi": -draw.randrange(40, 95),
            "capabilities": draw.sample(("temperature", "humidity", "motion", "power", "identify"), 3),
            "description": draw.sentence(6, 14),
        }
        for _ in range(300)
    }
    models = Counter(one["model"] for one in devices.values())
    key, weakest = min(
        ((key, one) for key, one in devices.items() if one["battery"]), key=lambda one: one[1]["battery"]
    )
    wanted = list(devices)[150]
    motion = sum("motion" in one["capabilities"] for one in devices.values())
    return Result(
        content=compact({"version": 3, "devices": devices}),
        questions=(
            count_of(
                "How many PIR-9 devices are there?",
                sql("SELECT count(*) FROM items WHERE model = 'PIR-9'"),
                "model",
                "PIR-9",
                models["PIR-9"],
            ),
            ask(
                "Which device has the least battery?",
                sql('SELECT "key", battery FROM items WHERE battery IS NOT NULL ORDER BY battery LIMIT 1'),
                [key],
                first=[
                    (
                        Stands("battery", (f"{weakest['battery']} to",)),
                        Stands("battery", (key, str(weakest["battery"]))),
                    )
                ],
            ),
            ask(
                f"In which room is {wanted}?",
                sql(f"SELECT room FROM items WHERE \"key\" = '{wanted}'"),
                [devices[wanted]["room"]],
                first=[stands("room", wanted, devices[wanted]["room"])],
            ),
            count_of(
                "How many can sense motion?",
                jq('[.devices[] | select(.capabilities | index("motion"))] | length'),
                "capabilities",
                "motion",
                motion,
            ),
        ),
    )


@result_of("sibling arrays")
def advisories() -> Result:
    """A dependency scanner's report: vulnerabilities of packages of several lock files."""
    draw = Sampler(4104)
    severities = ("LOW", "MODERATE", "HIGH", "CRITICAL")
    results: list[dict[str, Any]] = []
    for source in ("web/package-lock.json", "api/poetry.lock", "jobs/go.mod"):
        packages = []
        for _ in range(draw.randint(9, 14)):
            found = [
                {
                    "id": f"GHSA-{draw.hex(4)}-{draw.hex(4)}-{draw.hex(4)}",
                    "severity": draw.choices(severities, (3, 5, 3, 1))[0],
                    "published": draw.stamp(draw.randrange(300), 86_400),
                    "summary": draw.sentence(6, 12),
                    "details": draw.paragraph(6),
                    "fixed": draw.maybe(draw.version(), 0.8),
                }
                for _ in range(draw.randint(1, 9))
            ]
            packages.append({"package": {"name": draw.name(), "version": draw.version()}, "vulnerabilities": found})
        results.append({"source": {"path": source, "type": "lockfile"}, "packages": packages})
    every = [(pack, one) for result in results for pack in result["packages"] for one in pack["vulnerabilities"]]
    severity = Counter(one["severity"] for _, one in every)
    by_package = Counter({id(pack): len(pack["vulnerabilities"]) for pack, _ in every})
    most = max(by_package.values())
    unfixed = sum(one["fixed"] is None for _, one in every)
    newest = max(every, key=lambda one: str(one[1]["published"]))[1]
    return Result(
        content=pretty({"results": results, "experimental_config": {"licenses": None}}),
        questions=(
            total_of(
                "How many vulnerabilities were found?",
                sql("SELECT count(*) FROM items"),
                "vulnerabilities",
                len(every),
            ),
            count_of(
                "How many are critical?",
                sql("SELECT count(*) FROM items WHERE severity = 'CRITICAL'"),
                "severity",
                "CRITICAL",
                severity["CRITICAL"],
            ),
            ask(
                "How many has the package with the most of them?",
                jq("[.results[].packages[] | {name: .package.name, n: (.vulnerabilities | length)}] | max_by(.n)"),
                [most],
            ),
            count_of(
                "For how many is there no fix?",
                sql("SELECT count(*) FROM items WHERE fixed IS NULL"),
                "fixed",
                "null",
                unfixed,
            ),
            greatest_of(
                "Which was published last?",
                sql("SELECT id, published FROM items ORDER BY published DESC LIMIT 1"),
                "published",
                newest["id"],
                newest["published"],
            ),
        ),
    )


@result_of("columnar")
def warehouse_rows() -> Result:
    """A query's result as columns and rows."""
    draw = Sampler(4105)
    columns = ["order_day", "warehouse", "carrier", "parcels", "late", "cost_eur"]
    carriers = ("DHL", "GLS", "PostNord")
    rows: list[list[Any]] = [
        [
            f"2026-0{1 + at % 9}-{1 + at % 28:02}",
            draw.choice(("Malmö", "Kraków", "Porto")),
            draw.choices(carriers, (6, 3, 2))[0],
            draw.randrange(20, 900),
            draw.randrange(40),
            round(draw.uniform(90, 4_000), 2),
        ]
        for at in range(1_500)
    ]
    parcels = sum(int(row[3]) for row in rows)
    late: Counter[str] = Counter()
    for row in rows:
        late[str(row[2])] += int(row[4])
    carrier, number = late.most_common(1)[0]
    dearest = max(rows, key=lambda row: float(row[5]))
    return Result(
        content=compact({"columns": columns, "rows": rows, "truncated": False, "elapsed_ms": 412}),
        questions=(
            ask(
                "How many parcels were sent in all?",
                sql("SELECT sum(parcels) FROM items"),
                [parcels],
                first=[stands("parcels", f"sum {parcels}")],
            ),
            ask(
                "Which carrier has most late parcels?",
                sql("SELECT carrier, sum(late) FROM items GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
                [carrier, number],
                first=[stands("late", carrier, number)],
            ),
            ask(
                "What was the highest cost, and where?",
                sql("SELECT warehouse, cost_eur FROM items ORDER BY cost_eur DESC LIMIT 1"),
                [dearest[1], dearest[5]],
                first=[
                    (Stands("cost_eur", (f"to {dearest[5]}",)), Stands("cost_eur", (str(dearest[1]), str(dearest[5]))))
                ],
            ),
        ),
    )


@result_of("matches")
def code_search() -> Result:
    """Matches of a code search as JSON, many in generated folders."""
    draw = Sampler(4106)
    files = [
        f"{draw.choice(('src', 'src', 'tests', 'vendor/lib'))}/{draw.name(1)}/{draw.identifier()}.ts" for _ in range(70)
    ]
    weights = [draw.randint(1, 12) for _ in files]
    matches: list[dict[str, Any]] = [
        {
            "path": draw.choices(files, weights)[0],
            "line": draw.randrange(1, 900),
            "column": draw.randrange(1, 60),
            "text": f"{draw.words(2)} = await fetchUser({draw.identifier()}, {{ {draw.words(4)} }});",
        }
        for _ in range(900)
    ]
    matches.sort(key=lambda one: (str(one["path"]), one["line"]))
    by_file = Counter(str(one["path"]) for one in matches)
    path, number = by_file.most_common(1)[0]
    vendored = sum(str(one["path"]).startswith("vendor/") for one in matches)
    return Result(
        content=compact({"matches": matches, "truncated": False}),
        questions=(
            ask(
                "How many calls of fetchUser has the file with most of them?",
                sql("SELECT path, count(*) FROM items GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
                [number],
                first=[stands("file", path, number), stands("path", path, number)],
            ),
            total_of(
                "In how many files is it called?", sql("SELECT count(DISTINCT path) FROM items"), "files", len(by_file)
            ),
            count_of(
                "How many calls are in vendored code?",
                sql("SELECT count(*) FROM items WHERE path LIKE 'vendor/%'"),
                "folder",
                "vendor/",
                vendored,
            ),
        ),
    )


@result_of("findings")
def static_analysis() -> Result:
    """Findings of a static analyser with file, line, rule and severity."""
    draw = Sampler(4107)
    rules = {
        "S101": "use of assert",
        "S608": "SQL built from strings",
        "S311": "weak random numbers",
        "S105": "a secret",
    }
    weights = (50, 6, 20, 4)
    levels = {"S101": "LOW", "S608": "MEDIUM", "S311": "LOW", "S105": "HIGH"}
    files = [draw.path() for _ in range(60)]
    found: list[dict[str, Any]] = []
    for _ in range(420):
        rule = draw.choices(list(rules), weights)[0]
        found.append(
            {
                "code": f"{draw.randrange(400)} {draw.words(8)}",
                "filename": draw.choice(files),
                "issue_confidence": draw.choice(("HIGH", "MEDIUM")),
                "issue_severity": levels[rule],
                "issue_text": f"{rules[rule].capitalize()} found: {draw.words(6)}",
                "line_number": draw.randrange(1, 1_200),
                "more_info": f"https://example.org/rules/{rule.lower()}.html",
                "test_id": rule,
            }
        )
    severities = Counter(str(one["issue_severity"]) for one in found)
    ids = Counter(str(one["test_id"]) for one in found)
    secrets = Counter(str(one["filename"]) for one in found if one["test_id"] == "S105")
    path, number = secrets.most_common(1)[0]
    return Result(
        content=pretty({"errors": [], "generated_at": "2026-07-02T09:11:00Z", "results": found}),
        questions=(
            count_of(
                "How many findings are of high severity?",
                sql("SELECT count(*) FROM items WHERE issue_severity = 'HIGH'"),
                "issue_severity",
                "HIGH",
                severities["HIGH"],
            ),
            most_of(
                "Which rule fires most?",
                sql("SELECT test_id, count(*) FROM items GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
                "test_id",
                ids.most_common(1)[0][0],
                ids.most_common(1)[0][1],
            ),
            ask(
                "How many secrets has the file with most of them?",
                sql("SELECT filename, count(*) FROM items WHERE test_id = 'S105' GROUP BY 1 ORDER BY 2 DESC LIMIT 3"),
                [number] if list(secrets.values()).count(number) > 1 else [path, number],
            ),
        ),
    )


@result_of("object")
def cluster_health() -> Result:
    """One object: settings and figures of a cluster, and long texts beside them."""
    draw = Sampler(4108)
    data: dict[str, Any] = {
        "cluster": "kestrel-eu-1",
        "version": "8.14.2",
        "status": "yellow",
        "uptime_s": 1_203_441,
        "nodes": {"total": 11, "data": 8, "failed": 1},
        "settings": {
            draw.identifier(): draw.choice((True, False, draw.randrange(900), draw.words(2))) for _ in range(160)
        },
        "motd": draw.paragraph(60),
        "license": draw.paragraph(500),
        "changelog": draw.paragraph(500),
        "limits": {"max_shards": 12_000, "max_result_window": 10_000},
    }
    name, value = list(data["settings"].items())[77]
    return Result(
        content=pretty(data),
        questions=(
            ask("What is the cluster's status?", jq(".status"), ["yellow"], first=[stands("status", "yellow")]),
            ask("How many nodes have failed?", jq(".nodes.failed"), ["1"], first=[stands("nodes failed", "1")]),
            ask(
                f"What is the setting {name}?",
                jq(f".settings.{name}"),
                [str(value).lower() if isinstance(value, bool) else value],
            ),
            ask(
                "What is the limit of shards?",
                jq(".limits.max_shards"),
                ["12000"],
                first=[stands("max_shards", "12000")],
            ),
        ),
    )
