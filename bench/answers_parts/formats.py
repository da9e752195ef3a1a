"""Results in languages of their own: YAML, XML, stanzas, INI, TOML lock files, metrics."""

from __future__ import annotations

from collections import Counter

from bench.answers_parts.question import (
    Result,
    ask,
    count_of,
    greatest_of,
    result_of,
    search,
    sql,
    stands,
    total_of,
)
from bench.shapes.sampler import Sampler


@result_of("YAML")
def manifests() -> Result:
    """Many documents, as a cluster's tool prints them."""
    draw = Sampler(4801)
    documents = []
    kinds: Counter[str] = Counter()
    replicas: dict[str, int] = {}
    for at in range(150):
        kind = draw.choices(("Deployment", "Service", "ConfigMap"), (4, 3, 2))[0]
        kinds[kind] += 1
        name = f"{draw.name()}-{at}"
        body = [
            f"apiVersion: {'apps/v1' if kind == 'Deployment' else 'v1'}",
            f"kind: {kind}",
            "metadata:",
            f"  name: {name}",
            f"  namespace: {draw.choice(('shop', 'ops'))}",
            "  labels:",
            f"    app: {draw.name(1)}",
        ]
        if kind == "Deployment":
            replicas[name] = draw.randint(1, 40)
            body += [
                "spec:",
                f"  replicas: {replicas[name]}",
                "  template:",
                "    spec:",
                "      containers:",
                f"        - name: {draw.name(1)}",
                f"          image: registry.example/{draw.name(1)}:{draw.version()}",
                "          args:",
                f"            - --{draw.identifier()}",
                f'            - "{draw.randrange(90)}"',
            ]
        elif kind == "Service":
            body += ["spec:", "  ports:", f"    - port: {draw.randrange(80, 9000)}", "      protocol: TCP"]
        else:
            body += ["data:", "  settings.conf: |", *(f"    {draw.identifier()} = {draw.words(3)}" for _ in range(12))]
        documents.append("\n".join(body))
    wanted = list(replicas)[30]
    largest = max(replicas, key=lambda one: replicas[one])
    return Result(
        content="---\n" + "\n---\n".join(documents) + "\n",
        questions=(
            count_of(
                "How many services are defined?",
                sql("SELECT count(*) FROM items WHERE kind = 'Service'"),
                "kind",
                "Service",
                kinds["Service"],
            ),
            total_of("How many documents are there?", sql("SELECT count(*) FROM items"), "documents", 150),
            ask(
                f"How many replicas has {wanted}?",
                sql(f'SELECT "metadata.name", "spec.replicas" FROM items WHERE "metadata.name" = \'{wanted}\''),
                [wanted, replicas[wanted]],
                first=[stands("replicas", wanted, replicas[wanted])],
            ),
            ask(
                "What is the greatest number of replicas?",
                sql('SELECT "metadata.name", "spec.replicas" FROM items ORDER BY 2 DESC LIMIT 1'),
                [replicas[largest]],
                first=[stands("replicas", f"to {replicas[largest]}")],
            ),
        ),
    )


@result_of("YAML")
def alert_rules() -> Result:
    """One document with a long list."""
    draw = Sampler(4802)
    lines = ["groups:", "- name: shop", "  interval: 30s", "  rules:"]
    severities: Counter[str] = Counter()
    for at in range(330):
        severity = draw.choices(("info", "warning", "critical"), (2, 4, 1))[0]
        severities[severity] += 1
        lines += [
            f"  - alert: {draw.name(2, '').title()}{at}",
            f"    expr: sum(rate({draw.identifier()}_total[5m])) > {draw.randrange(90)}",
            f"    for: {draw.choice((5, 10, 15))}m",
            "    labels:",
            f"      severity: {severity}",
            "    annotations:",
            f"      summary: {draw.sentence(6, 12)}",
        ]
    return Result(
        content="\n".join(lines) + "\n",
        questions=(
            count_of(
                "How many alerts are critical?",
                sql("SELECT count(*) FROM items WHERE \"labels.severity\" = 'critical'"),
                "severity",
                "critical",
                severities["critical"],
            ),
            ask(
                "How many rules are there?",
                sql("SELECT count(*) FROM items"),
                [330],
                first=[stands("rules", 330), stands("records", 330)],
            ),
        ),
    )


@result_of("XML")
def test_report() -> Result:
    """A JUnit report with failures and skipped tests."""
    draw = Sampler(4803)
    cases, failed, skipped = [], [], 0
    slowest = ("", 0.0)
    for at in range(620):
        name, took = f"test_{draw.identifier()}_{at}", round(draw.expovariate(1 / 0.4), 3)
        slowest = max(slowest, (name, took), key=lambda one: one[1])
        head = f'<testcase classname="tests.{draw.choice(("api", "db", "ui"))}" name="{name}" time="{took}"'
        chance = draw.random()
        if chance < 0.02:
            failed.append(name)
            cases.append(
                f'{head}><failure message="assert {draw.randrange(9)} == {draw.randrange(9)}">'
                f"{draw.paragraph(2)}</failure></testcase>"
            )
        elif chance < 0.08:
            skipped += 1
            cases.append(f'{head}><skipped message="needs a network" /></testcase>')
        else:
            cases.append(f"{head} />")
    body = "\n    ".join(cases)
    return Result(
        content=(
            '<?xml version="1.0" encoding="utf-8"?>\n<testsuites>\n'
            f'  <testsuite name="pytest" errors="0" failures="{len(failed)}" skipped="{skipped}" '
            'tests="620" timestamp="2026-06-01T10:00:00">\n'
            f"    {body}\n  </testsuite>\n</testsuites>\n"
        ),
        questions=(
            ask(
                "Which tests failed?",
                search("<failure", context=1),
                *([name] for name in failed),
            ),
            ask(
                "How many tests were skipped?",
                sql("SELECT count(*) FROM lines WHERE text LIKE '%<skipped%'"),
                [skipped],
                first=[stands("skipped", skipped)],
            ),
            greatest_of(
                "Which test is the slowest?",
                sql("SELECT name, time FROM items ORDER BY time DESC LIMIT 1"),
                "time",
                slowest[0],
                slowest[1],
            ),
            total_of("How many tests were run?", sql("SELECT count(*) FROM items"), "testcase", 620),
        ),
    )


@result_of("stanzas")
def package_status() -> Result:
    """Stanzas of ``Key: value`` lines, with continued descriptions."""
    draw = Sampler(4804)
    parts, packages = [], []
    for at in range(330):
        name = f"lib{draw.name(1)}{at}"
        section, size = draw.choices(("libs", "net", "utils", "python"), (6, 2, 3, 1))[0], draw.randrange(20, 90_000)
        packages.append((name, section, size))
        parts.append(
            f"Package: {name}\nStatus: install ok installed\n"
            f"Priority: optional\nSection: {section}\nInstalled-Size: {size}\n"
            f"Maintainer: {draw.person()} <m@example.org>\n"
            f"Version: {draw.version()}-1\nDepends: libc6 (>= 2.3{draw.randrange(9)}), "
            f"{draw.name(1)}\n"
            f"Description: {draw.words(5)}\n {draw.sentence()}\n {draw.sentence()}\n"
        )
    sections = Counter(one[1] for one in packages)
    largest = max(packages, key=lambda one: one[2])
    return Result(
        content="\n".join(parts),
        questions=(
            count_of(
                "How many packages are in section net?",
                sql("SELECT count(*) FROM items WHERE Section = 'net'"),
                "Section",
                "net",
                sections["net"],
            ),
            greatest_of(
                "Which package takes most space?",
                sql('SELECT Package, "Installed-Size" FROM items ORDER BY "Installed-Size" DESC LIMIT 1'),
                "Installed-Size",
                largest[0],
                largest[2],
            ),
            ask(
                "How many packages are installed?",
                sql("SELECT count(*) FROM items"),
                [330],
                first=[stands("stanzas", 330), stands("records", 330), stands("packages", 330)],
            ),
        ),
    )


@result_of("INI")
def supervisor_config() -> Result:
    """Sections with settings."""
    draw = Sampler(4805)
    parts, settings = [], {}
    for at in range(240):
        name = f"program:{draw.name()}-{at}"
        settings[name] = draw.randrange(1, 30)
        parts.append(
            f"[{name}]\ncommand = /srv/{draw.name(1)}/run --{draw.identifier()} {draw.randrange(9_000)}\n"
            f"numprocs = {settings[name]}\nautostart = {draw.choices(('true', 'false'), (9, 1))[0]}\n"
            f"user = {draw.choice(('www', 'jobs'))}\n; {draw.sentence()}\n"
            f"stdout_logfile = /var/log/{draw.name(1)}.log\n"
        )
    stopped = sum("autostart = false" in part for part in parts)
    wanted = list(settings)[99]
    return Result(
        content="\n".join(parts),
        questions=(
            ask(f"How many processes has {wanted}?", search(f"[{wanted}]", context=2), ["numprocs", settings[wanted]]),
            ask(
                "How many programs are not started by themselves?",
                sql("SELECT count(*) FROM lines WHERE text = 'autostart = false'"),
                [stopped],
                first=[stands("autostart", "false", stopped)],
            ),
            ask(
                "How many sections are there?",
                sql("SELECT count(*) FROM lines WHERE text LIKE '[%'"),
                [240],
                first=[stands("sections", 240)],
            ),
        ),
    )


@result_of("TOML lock")
def lock_file() -> Result:
    """Locked packages with hashes."""
    draw = Sampler(4806)
    parts = ["version = 1\n"]
    packages = {}
    for at in range(230):
        name, version = f"{draw.name()}-{at}", draw.version()
        packages[name] = version
        files = "\n".join(
            f'    {{file = "{name}-{version}-{n}.whl", hash = "sha256:{draw.hex(64)}"}},'
            for n in range(draw.randint(1, 3))
        )
        parts.append(
            f'[[package]]\nname = "{name}"\nversion = "{version}"\n'
            f'description = "{draw.sentence()}"\noptional = {draw.choices(("false", "true"), (6, 1))[0]}\n'
            f"files = [\n{files}\n]\n"
        )
    optional = sum("optional = true" in part for part in parts)
    wanted = list(packages)[160]
    return Result(
        content="\n".join(parts),
        questions=(
            ask(f"Which version of {wanted} is locked?", search(f'name = "{wanted}"', context=1), [packages[wanted]]),
            total_of("How many packages are locked?", sql("SELECT count(*) FROM items"), "package", 230),
            ask(
                "How many are optional?",
                sql("SELECT count(*) FROM items WHERE optional = true"),
                [optional],
                first=[stands("optional", "true", optional)],
            ),
        ),
    )
