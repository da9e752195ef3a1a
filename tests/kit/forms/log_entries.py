"""Made-up entries of logs, the layouts that programs write them in, and the cells that a reader of each should get."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

LEVELS = ["DEBUG"] * 3 + ["INFO"] * 6 + ["WARN", "ERROR"]
SOURCES = ["shop.cart", "shop.db.pool", "mail", "Worker$Pool"]
MESSAGES = (
    "Connected to {a}.{b}.3.4 port {c}",
    "cannot open '/var/data/{c}.bin': no such file",
    "no error was found: {b} of {c} checks passed",
    "Starting up",
    "rows written, then read again [{c} of them]; {b}% done",
    "SELECT id, name FROM users WHERE id IN ({a}, {b}) -- slow",
    "Exception while closing: Connection reset (attempt {b})",
    'said "hello, world" | {a} times',
)


@dataclass(frozen=True, kw_only=True)
class Entry:
    at: datetime
    level: str
    source: str
    pid: int
    number: int
    message: str


@cache
def entries(count: int = 100, seed: int = 1, *, ordered: bool = True) -> list[Entry]:
    random = Random(seed)
    made = []
    at = datetime(2026, 3, 24, 9, 58, 0)
    for number in range(count):
        at += timedelta(milliseconds=random.randrange(5_000) if ordered else random.randrange(-5_000, 9_000))
        message = random.choice(MESSAGES).format(
            a=random.randrange(256), b=random.randrange(100), c=random.randrange(10**5)
        )
        level, source = random.choice(LEVELS), random.choice(SOURCES)
        made.append(
            Entry(at=at, level=level, source=source, pid=random.choice([17, 4_242]), number=number, message=message)
        )
    return made


@dataclass(frozen=True, kw_only=True)
class Way:
    """A layout: how a line is ``written``, and the cells of its row; ``line`` and ``message`` are always the same."""

    line: Callable[[Entry], str]
    cells: dict[str, Callable[[Entry], Any]]


def iso(at: datetime, mark: str = " ") -> str:
    return f"{at:%Y-%m-%d}{mark}{at:%H:%M:%S}"


def ms(at: datetime) -> str:
    return f"{at.microsecond // 1000:03}"


def seconds(at: datetime) -> int:
    return int(at.replace(tzinfo=UTC).timestamp())


def level(one: Entry) -> str:
    return one.level


def source(one: Entry) -> str:
    return one.source


def pid(one: Entry) -> int:
    return one.pid


def python_time(one: Entry) -> str:
    return f"{iso(one.at)},{ms(one.at)}"


def java_time(one: Entry) -> str:
    return f"{iso(one.at)}.{ms(one.at)}"


def zulu(one: Entry) -> str:
    return f"{iso(one.at, 'T')}.{one.at:%f}Z"


def day_time(one: Entry) -> str:
    return f"{one.at:%m-%d %H:%M:%S}"


def severity(one: Entry) -> str:
    return {"DEBUG": "DEBUG", "INFO": "INFO", "WARN": "WARNING", "ERROR": "ERR"}[one.level]


def priority(one: Entry) -> int:
    return 16 * 8 + {"DEBUG": 7, "INFO": 6, "WARN": 4, "ERROR": 3}[one.level]


def code(one: Entry) -> str:
    return f"{one.source.lower()}.go"


def escaped(one: Entry) -> str:
    return one.message.replace('"', '\\"')


WAYS: dict[str, Way] = {
    "zookeeper": Way(
        line=lambda e: f"{python_time(e)} - {e.level:5} [main:{e.source}@{e.number}] - {e.message}",
        cells={"time": python_time, "level": level, "source": lambda e: f"main:{e.source}@{e.number}"},
    ),
    "python": Way(
        line=lambda e: f"{python_time(e)} - {e.source} - {e.level} - {e.message}",
        cells={"time": python_time, "level": level, "source": source},
    ),
    "python, level first": Way(
        line=lambda e: f"{e.level} {python_time(e)} {e.message}", cells={"time": python_time, "level": level}
    ),
    "loguru": Way(
        line=lambda e: f"{java_time(e)} | {e.level:<8} | {e.source}:run - {e.message}",
        cells={"time": java_time, "level": level, "source": lambda e: f"{e.source}:run"},
    ),
    "structlog": Way(
        line=lambda e: f"{iso(e.at)} [{e.level.lower():<9}] {e.message}",
        cells={"time": lambda e: iso(e.at), "level": level},
    ),
    "gunicorn": Way(
        line=lambda e: f"[{iso(e.at)} +0000] [{e.pid}] [{e.level}] {e.message}",
        cells={"time": lambda e: f"{iso(e.at)} +0000", "level": level, "pid": pid},
    ),
    "celery": Way(
        line=lambda e: f"[{python_time(e)}: {e.level}/{e.source}] {e.message}",
        cells={"time": python_time, "level": level, "source": source},
    ),
    "fail2ban": Way(
        line=lambda e: f"{python_time(e)} {e.source:<15} [{e.pid}]: {e.level:<7} {e.message}",
        cells={"time": python_time, "level": level, "source": source, "pid": pid},
    ),
    "spring": Way(
        line=lambda e: f"{java_time(e)} {e.level:>5} {e.pid} --- [{'main':>15}] c.e.{e.source:<20} : {e.message}",
        cells={
            "time": java_time,
            "level": level,
            "source": lambda e: f"c.e.{e.source}",
            "pid": pid,
            "thread": lambda _: "main",
        },
    ),
    "log4j": Way(
        line=lambda e: f"{python_time(e)} {e.level} [main] org.x.{e.source}: {e.message}",
        cells={
            "time": python_time,
            "level": level,
            "thread": lambda _: "main",
            "source": lambda e: f"org.x.{e.source}",
        },
    ),
    "logback": Way(
        line=lambda e: f"{e.at:%H:%M:%S}.{ms(e.at)} [main] {e.level:<5} {e.source} - {e.message}",
        cells={
            "time": lambda e: f"{e.at:%H:%M:%S}.{ms(e.at)}",
            "level": level,
            "thread": lambda _: "main",
            "source": source,
        },
    ),
    "elasticsearch": Way(
        line=lambda e: f"[{iso(e.at, 'T')},{ms(e.at)}][{e.level:<5}][o.e.{e.source:<20}] [node-1] {e.message}",
        cells={
            "time": lambda e: f"{iso(e.at, 'T')},{ms(e.at)}",
            "level": level,
            "source": lambda e: f"o.e.{e.source}",
            "context": lambda _: "node-1",
        },
    ),
    "kafka": Way(
        line=lambda e: f"[{python_time(e)}] {e.level} {e.message} (kafka.{e.source})",
        cells={"time": python_time, "level": level, "source": lambda e: f"kafka.{e.source}"},
    ),
    "cassandra": Way(
        line=lambda e: f"{e.level:<5} [main] {python_time(e)} {e.source}.java:{e.number} - {e.message}",
        cells={
            "time": python_time,
            "level": level,
            "thread": lambda _: "main",
            "source": lambda e: f"{e.source}.java",
            "at": lambda e: e.number,
        },
    ),
    "tomcat": Way(
        line=lambda e: f"{e.at:%d-%b-%Y %H:%M:%S}.{ms(e.at)} {e.level} [main] org.apache.{e.source} {e.message}",
        cells={
            "time": java_time,
            "level": level,
            "thread": lambda _: "main",
            "source": lambda e: f"org.apache.{e.source}",
        },
    ),
    "minecraft": Way(
        line=lambda e: f"[{e.at:%H:%M:%S}] [Server thread/{e.level}]: {e.message}",
        cells={"time": lambda e: f"{e.at:%H:%M:%S}", "level": level, "source": lambda _: "Server thread"},
    ),
    "monolog": Way(
        line=lambda e: f"[{iso(e.at)}] {e.source.replace('.', '-').replace('$', '-')}.{e.level}: {e.message}",
        cells={
            "time": lambda e: iso(e.at),
            "level": level,
            "source": lambda e: e.source.replace(".", "-").replace("$", "-"),
        },
    ),
    "rust": Way(
        line=lambda e: f"[{iso(e.at, 'T')}Z {e.level:<5} my::{e.source}] {e.message}",
        cells={"time": lambda e: f"{iso(e.at, 'T')}Z", "level": level, "source": lambda e: f"my::{e.source}"},
    ),
    "rust, in colour": Way(
        line=lambda e: f"\x1b[2m{zulu(e)}\x1b[0m \x1b[32m{e.level:>5}\x1b[0m \x1b[2mmy::{e.source}:\x1b[0m {e.message}",
        cells={"time": zulu, "level": level, "source": lambda e: f"my::{e.source}"},
    ),
    "go": Way(
        line=lambda e: f"{e.at:%Y/%m/%d %H:%M:%S} {code(e)}:{e.number}: {e.message}",
        cells={"time": lambda e: iso(e.at), "source": code, "at": lambda e: e.number},
    ),
    "zap": Way(
        line=lambda e: f"{zulu(e)}\t{e.level}\t{e.source}\t{e.message}",
        cells={"time": zulu, "level": level, "source": source},
    ),
    "ruby": Way(
        line=lambda e: f"{e.level[0]}, [{iso(e.at, 'T')}.{e.at:%f} #{e.pid}] {e.level:>5} -- : {e.message}",
        cells={"time": lambda e: f"{iso(e.at, 'T')}.{e.at:%f}", "level": level, "pid": pid},
    ),
    "pino": Way(
        line=lambda e: f"[{e.at:%H:%M:%S}.{ms(e.at)}] {e.level} ({e.pid}): {e.message}",
        cells={"time": lambda e: f"{e.at:%H:%M:%S}.{ms(e.at)}", "level": level, "pid": pid},
    ),
    "serilog": Way(
        line=lambda e: f"[{e.at:%H:%M:%S} {e.level[:3]}] {e.message}".replace(" WAR]", " WRN]").replace(
            " DEB]", " DBG]"
        ),
        cells={
            "time": lambda e: f"{e.at:%H:%M:%S}",
            "level": lambda e: {"DEBUG": "DBG", "INFO": "INF", "WARN": "WRN", "ERROR": "ERR"}[e.level],
        },
    ),
    "unreal": Way(
        line=lambda e: f"[{e.at:%Y.%m.%d-%H.%M.%S}:{ms(e.at)}][{e.number % 1000:3}]Log{e.source}: {e.message}",
        cells={"time": java_time, "number": lambda e: e.number % 1000, "source": lambda e: f"Log{e.source}"},
    ),
    "nginx": Way(
        line=lambda e: f"{e.at:%Y/%m/%d %H:%M:%S} [{e.level.lower()}] {e.pid}#{e.pid + 1}: {e.message}",
        cells={"time": lambda e: iso(e.at), "level": level, "pid": pid, "tid": lambda e: e.pid + 1},
    ),
    "postgres": Way(
        line=lambda e: f"{java_time(e)} UTC [{e.pid}] {'app@shop ' if e.number % 3 else ''}{e.level}:  {e.message}",
        cells={
            "time": lambda e: f"{java_time(e)}Z",
            "level": level,
            "pid": pid,
            "user": lambda e: "app@shop" if e.number % 3 else None,
        },
    ),
    "postgres, in a zone": Way(
        line=lambda e: f"{java_time(e)} CET [{e.pid}] {e.level}:  {e.message}",
        cells={"time": java_time, "zone": lambda _: "CET", "level": level, "pid": pid},
    ),
    "mysql": Way(
        line=lambda e: f"{zulu(e)} {e.pid} [{e.level.title()}] [MY-{e.number:06}] [Server] {e.message}",
        cells={
            "time": zulu,
            "number": pid,
            "level": level,
            "context": lambda e: f"MY-{e.number:06}",
            "source": lambda _: "Server",
        },
    ),
    "syslog": Way(
        line=lambda e: f"{e.at:%b} {e.at.day:2} {e.at:%H:%M:%S} web01 {e.source}[{e.pid}]: {e.message}",
        cells={"time": day_time, "host": lambda _: "web01", "source": source, "pid": pid},
    ),
    "syslog, iso": Way(
        line=lambda e: f"{iso(e.at, 'T')}.{e.at:%f}+01:00 web01 {e.source}[{e.pid}]: {e.message}",
        cells={
            "time": lambda e: f"{iso(e.at, 'T')}.{e.at:%f}+01:00",
            "host": lambda _: "web01",
            "source": source,
            "pid": pid,
        },
    ),
    "journal": Way(
        line=lambda e: f"{e.at:%a} {iso(e.at)} CET web01 {e.source}[{e.pid}]: {e.message}",
        cells={
            "time": lambda e: iso(e.at),
            "zone": lambda _: "CET",
            "host": lambda _: "web01",
            "source": source,
            "pid": pid,
        },
    ),
    "rfc 3164": Way(
        line=lambda e: f"<{priority(e)}>{e.at:%b} {e.at.day:2} {e.at:%H:%M:%S} web01 {e.source}[{e.pid}]: {e.message}",
        cells={"time": day_time, "level": severity, "host": lambda _: "web01", "source": source, "pid": pid},
    ),
    "rfc 5424": Way(
        line=lambda e: f'<{priority(e)}>1 {zulu(e)} web01 {e.source} - ID{e.pid} [a@1 x="{e.pid}"] {e.message}',
        cells={
            "time": zulu,
            "level": severity,
            "host": lambda _: "web01",
            "source": source,
            "msgid": lambda e: f"ID{e.pid}",
            "data": lambda e: f'[a@1 x="{e.pid}"]',
        },
    ),
    "apache": Way(
        line=lambda e: f"[{e.at:%a %b %d %H:%M:%S %Y}] [{e.level.lower()}] {e.message}",
        cells={"time": lambda e: iso(e.at), "level": level},
    ),
    "apache 2.4": Way(
        line=lambda e: (
            f"[{e.at:%a %b %d %H:%M:%S.%f %Y}] [core:{e.level.lower()}] [pid {e.pid}:tid {e.pid + 1}] {e.message}"
        ),
        cells={
            "time": lambda e: f"{iso(e.at)}.{e.at:%f}",
            "level": level,
            "source": lambda _: "core",
            "pid": pid,
            "tid": lambda e: e.pid + 1,
        },
    ),
    "logcat": Way(
        line=lambda e: f"{day_time(e)}.{ms(e.at)} {e.pid:5} {e.pid + 1:5} {e.level[0]} {e.source:<13}: {e.message}",
        cells={
            "time": lambda e: f"{day_time(e)}.{ms(e.at)}",
            "level": level,
            "source": source,
            "pid": pid,
            "tid": lambda e: e.pid + 1,
        },
    ),
    "logcat, brief": Way(
        line=lambda e: f"{day_time(e)}.{ms(e.at)} {e.level[0]}/{e.source:<13}({e.pid:5}): {e.message}",
        cells={"time": lambda e: f"{day_time(e)}.{ms(e.at)}", "level": level, "source": source, "pid": pid},
    ),
    "klog": Way(
        line=lambda e: f"{e.level[0]}{e.at:%m%d %H:%M:%S.%f}       1 {code(e)}:{e.number}] {e.message}",
        cells={
            "time": lambda e: f"{day_time(e)}.{e.at:%f}",
            "level": level,
            "number": lambda _: 1,
            "source": code,
            "at": lambda e: e.number,
        },
    ),
    "mongodb": Way(
        line=lambda e: f"{iso(e.at, 'T')}.{ms(e.at)}+0000 {e.level[0]} {e.source:<14} {e.message}",
        cells={"time": lambda e: f"{iso(e.at, 'T')}.{ms(e.at)}+0000", "level": level, "source": source},
    ),
    "spark": Way(
        line=lambda e: f"{e.at:%y/%m/%d %H:%M:%S} {e.level} {e.source}: {e.message}",
        cells={"time": lambda e: iso(e.at), "level": level, "source": source},
    ),
    "hdfs": Way(
        line=lambda e: f"{e.at:%y%m%d %H%M%S} {e.pid} {e.level} dfs.{e.source}: {e.message}",
        cells={"time": lambda e: iso(e.at), "number": pid, "level": level, "source": lambda e: f"dfs.{e.source}"},
    ),
    "openstack": Way(
        line=lambda e: f"api.log.1.2017-05-16_13:53:08 {java_time(e)} {e.pid} {e.level} nova.{e.source} {e.message}",
        cells={
            "time": java_time,
            "c1": lambda _: "api.log.1.2017-05-16_13:53:08",
            "number": pid,
            "level": level,
            "source": lambda e: f"nova.{e.source}",
        },
    ),
    "proxifier": Way(
        line=lambda e: f"[{e.at:%m.%d %H:%M:%S}] {e.source}.exe{' *64' if e.pid > 99 else ''} - {e.message}",
        cells={"time": day_time, "source": lambda e: f"{e.source}.exe{' *64' if e.pid > 99 else ''}"},
    ),
    "windows": Way(
        line=lambda e: f"{iso(e.at)}, {e.level.title():<22}CBS    {e.message}",
        cells={"time": lambda e: iso(e.at), "level": level, "source": lambda _: "CBS"},
    ),
    "pipes": Way(
        line=lambda e: (
            f"{e.at:%Y%m%d-}{e.at.hour}:{e.at.minute}:{e.at.second}:{int(ms(e.at))}|{e.source}|{e.pid}|{e.message}"
        ),
        cells={"time": java_time, "source": source, "number": pid},
    ),
    "blue gene": Way(
        line=lambda e: (
            f"{'-' if e.pid > 99 else 'APPREAD'} {seconds(e.at)} {e.at:%Y.%m.%d} R02-N0:J12 "
            f"{e.at:%Y-%m-%d-%H.%M.%S.%f} R02-N0:J12 RAS KERNEL {e.level} {e.message}"
        ),
        cells={
            "time": lambda e: f"{iso(e.at)}.{e.at:%f}",
            "level": level,
            "source": lambda _: "KERNEL",
            "c1": lambda e: "-" if e.pid > 99 else "APPREAD",
            "c2": lambda _: "R02-N0:J12",
            "c3": lambda _: "R02-N0:J12",
            "c4": lambda _: "RAS",
        },
    ),
    "thunderbird": Way(
        line=lambda e: (
            f"- {seconds(e.at)} {e.at:%Y.%m.%d} dn1 {e.at:%b} {e.at.day} {e.at:%H:%M:%S} dn1/dn1 {e.source}[{e.pid}]: "
            f"{e.message}"
        ),
        cells={
            "time": lambda e: f"{iso(e.at)}Z",
            "c1": lambda _: "-",
            "c2": lambda _: "dn1",
            "host": lambda _: "dn1/dn1",
            "source": source,
            "pid": pid,
        },
    ),
    "cluster": Way(
        line=lambda e: f"{e.number} node-{e.pid} unix.hw state.{e.source} {seconds(e.at)} {e.message}",
        cells={
            "time": lambda e: f"{iso(e.at)}Z",
            "c1": lambda e: e.number,
            "c2": lambda e: f"node-{e.pid}",
            "c3": lambda _: "unix.hw",
            "c4": lambda e: f"state.{e.source}",
        },
    ),
    "chromedriver": Way(
        line=lambda e: f"[{seconds(e.at)}.{ms(e.at)}][{e.level}]: {e.message}",
        cells={"time": lambda e: f"{java_time(e)}Z", "level": level},
    ),
    "github actions": Way(
        line=lambda e: f"{iso(e.at, 'T')}.{e.at:%f}0Z {e.message}",
        cells={"time": lambda e: f"{iso(e.at, 'T')}.{e.at:%f}0Z"},
    ),
    "github run": Way(
        line=lambda e: f"build\tRun {e.source} {'twice' if e.pid > 99 else ''}\t{zulu(e)} {e.message}",
        cells={
            "time": zulu,
            "c1": lambda _: "build",
            "c2": lambda e: f"Run {e.source} {'twice' if e.pid > 99 else ''}",
        },
    ),
    "jenkins": Way(line=lambda e: f"[{zulu(e)}] {e.message}", cells={"time": zulu}),
    "compose": Way(
        line=lambda e: f"web-{e.pid}  | {zulu(e)} {e.level} {e.source}: {e.message}",
        cells={"time": zulu, "level": level, "source": source, "container": lambda e: f"web-{e.pid}"},
    ),
    "compose, plain": Way(
        line=lambda e: f"web-{e.pid}  | {iso(e.at)} {e.message}",
        cells={"time": lambda e: iso(e.at), "source": lambda e: f"web-{e.pid}"},
    ),
    "kubectl": Way(
        line=lambda e: f"[pod/web-7d4cf/{e.source}] {zulu(e)} {e.level} {e.message}",
        cells={"time": zulu, "level": level, "source": lambda e: f"pod/web-7d4cf/{e.source}"},
    ),
    "stern": Way(
        line=lambda e: f"web-7d4cf-8q2xk {e.source} {zulu(e)} {e.level} {e.message}",
        cells={"time": zulu, "level": level, "c1": lambda _: "web-7d4cf-8q2xk", "source": source},
    ),
    "heroku": Way(
        line=lambda e: f"{zulu(e)} app[web.{e.pid}]: {e.message}",
        cells={"time": zulu, "source": lambda e: f"app[web.{e.pid}]"},
    ),
    "us dates": Way(
        line=lambda e: (
            f"{e.at.month}/{e.at.day}/{e.at.year}, {e.at.hour % 12 or 12}:{e.at:%M:%S %p} {e.level} {e.message}"
        ),
        cells={"time": lambda e: iso(e.at), "level": level},
    ),
    "logrus": Way(
        line=lambda e: (
            f'time="{iso(e.at, "T")}Z" level={e.level.lower()} msg="{escaped(e)}" component={e.source} pid={e.pid}'
        ),
        cells={
            "time": lambda e: f"{iso(e.at, 'T')}Z",
            "level": level,
            "source": source,
            "pid": pid,
            "message": escaped,
        },
    ),
    "logfmt": Way(
        line=lambda e: (
            f"logger={e.source} {'user=bob ' if e.pid > 99 else ''}t={zulu(e)} level={e.level.lower()} n={e.number} "
            f'msg="{escaped(e)}"'
        ),
        cells={
            "time": zulu,
            "level": level,
            "source": source,
            "user": lambda e: "bob" if e.pid > 99 else None,
            "n": lambda e: e.number,
            "message": escaped,
        },
    ),
}
