"""A project to scan: a web shop full of mistakes that real projects have.

Made of numbers alone, so that it is the same on every machine: its files, their text and their times. Nothing in it is
ever run, and none of its keys opens anything.
"""

from __future__ import annotations

import os
import random
import string
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from tests.kit.examples.samples.files import write_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SERVICES: Final = ("billing", "catalog", "delivery", "gateway", "identity", "inventory", "mailer", "orders", "search")
MODULES: Final = ("admin", "api", "export", "jobs", "storage", "sync", "tools")
PARTS: Final = 6  # mistakes in each file
NEWEST: Final = datetime(2026, 6, 1, 8, tzinfo=UTC).timestamp()
HOURS: Final = 5  # between the times of two files

# Each is a function with one mistake: what it is called, what it imports, what it does.
MISTAKES: Final = (
    ("run_report", "subprocess", "return subprocess.check_output('report ' + name, shell=True)"),
    ("archive", "os", "return os.system('tar czf /backup/' + name)"),
    ("restore", "pickle", "return pickle.loads(name)"),
    ("evaluate", "json", "return eval(name)"),
    ("checksum", "hashlib", "return hashlib.md5(name).hexdigest()"),
    ("signature", "hashlib", "return hashlib.sha1(name).hexdigest()"),
    ("load_rules", "yaml", "return yaml.load(name, Loader=yaml.Loader)"),
    ("find", "sqlite3", "return sqlite3.connect('db').execute('SELECT * FROM items WHERE name = \\'%s\\'' % name)"),
    ("notify", "requests", "return requests.post('https://hooks.example.org', data=name, verify=False)"),
    ("ping", "requests", "return requests.get('https://status.example.org/' + name)"),
    ("scratch", "tempfile", "return open(tempfile.mktemp(), 'w').write(name)"),
    ("publish", "os", "os.chmod(name, 0o777)"),
    ("token", "random", "return name + str(random.randint(0, 999999))"),
    ("read_feed", "xml.etree.ElementTree", "return xml.etree.ElementTree.fromstring(name)"),
    ("unpack", "tarfile", "tarfile.open(name).extractall('/srv/uploads')"),
    ("listen", "socket", "socket.socket().bind(('0.0.0.0', 8080))"),
    ("check", "os", "assert name, os.name"),
    ("connect", "ftplib", "return ftplib.FTP(name)"),
    ("tidy", "os", "try:\n        os.remove('/tmp/' + name)\n    except Exception:\n        pass"),
    ("render", "jinja2", "return jinja2.Environment(autoescape=False).from_string(name).render()"),
)
PACKAGES: Final = (
    *("aiohttp", "alembic", "boto3", "celery", "certifi", "click", "cryptography", "django", "fastapi", "flask"),
    *("gunicorn", "httpx", "jinja2", "kombu", "lxml", "markupsafe", "numpy", "paramiko", "pillow", "psycopg2"),
    *(
        "pydantic",
        "pyjwt",
        "pyyaml",
        "redis",
        "requests",
        "sentry-sdk",
        "sqlalchemy",
        "starlette",
        "urllib3",
        "werkzeug",
    ),
)


def make_sample(folder: Path) -> None:
    """Write the sample to a folder: every file is some hours older than the one before it."""
    for number, (path, text) in enumerate(_files()):
        file = folder / path
        write_files(folder, [(path, text)])
        moment = NEWEST - number * HOURS * 3_600
        os.utime(file, (moment, moment))


def _files() -> Iterator[tuple[str, str]]:
    dice = random.Random(4_711)
    for service in SERVICES:
        for module in MODULES:
            yield f"services/{service}/{module}.py", _module(dice, service, module)
        yield f"services/{service}/settings.py", _settings(dice, service)
        yield f"deploy/{service}.env", _environment(dice, service)
    yield "deploy/tls.key", f"{_dashed('BEGIN')}\n{_letters(dice, 64)}\n{_letters(dice, 64)}\n{_dashed('END')}\n"
    yield "services/legacy/report.py", "print('a line of the report')\n"
    yield "requirements.txt", _requirements(dice)
    yield "requirements/dev.txt", "pytest==8.4.2\nhypothesis>=6\n"
    yield "README.md", "# Web shop\n\nA sample with mistakes on purpose. Do not run it.\n"


def _module(dice: random.Random, service: str, module: str) -> str:
    chosen = dice.sample(MISTAKES, PARTS)
    imports = "".join(f"import {name}\n" for name in sorted({name for _, name, _ in chosen}))
    functions = "".join(f"\n\ndef {called}_{module}(name):\n    {body}\n" for called, _, body in chosen)
    return f'"""{service.capitalize()}: {module}."""\n\n{imports}{functions}'


def _settings(dice: random.Random, service: str) -> str:
    return (
        f'"""Settings of {service}."""\n\n'
        f'DATABASE = "postgresql://{service}:{_letters(dice, 12)}@db.example.org/{service}"\n'
        f'ADMIN_PASSWORD = "{_letters(dice, 14)}"\n'
        f'AWS_KEY = "{_aws(dice)}"\n'
        "DEBUG = True\n"
    )


def _environment(dice: random.Random, service: str) -> str:
    # In two pieces, so that a scan of this file finds nothing.
    stripe = "sk_" + "live_" + _letters(dice, 24)
    return (
        f"SERVICE={service}\nSTRIPE_KEY={stripe}\nSESSION_SECRET={_letters(dice, 32)}\nAWS_ACCESS_KEY_ID={_aws(dice)}\n"
    )


def _requirements(dice: random.Random) -> str:
    lines = [f"{name}=={dice.randrange(1, 9)}.{dice.randrange(20)}.{dice.randrange(10)}" for name in PACKAGES]
    return "\n".join(["# What the services need", *lines, "pytz>=2024", "-r requirements/dev.txt", ""])


def _dashed(word: str) -> str:
    return f"-----{word} RSA PRIVATE KEY-----"


def _aws(dice: random.Random) -> str:
    return "AKIA" + "".join(dice.choices(string.ascii_uppercase + string.digits, k=16))


def _letters(dice: random.Random, number: int) -> str:
    return "".join(dice.choices(string.ascii_letters + string.digits, k=number))
