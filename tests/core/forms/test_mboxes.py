"""Mails in one text: every mail with its sender, date, subject, size, parts and attachments."""

from __future__ import annotations

import mailbox
from email.message import EmailMessage
from typing import TYPE_CHECKING

import pytest

from penstock.core.forms.mails import MBOX as FORM
from tests.kit.forms.facts import reading_of
from tests.kit.forms.reading import Read, read_as

if TYPE_CHECKING:
    from pathlib import Path


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def mail(number: int) -> EmailMessage:
    made = EmailMessage()
    made["From"] = f'"Adé, {number % 3}" <ada{number % 3}@example.org>'
    made["To"] = "list@example.org"
    made["Date"] = f"Mon, 5 Jan 2026 10:00:{number:02} +0100"
    made["Subject"] = f"Häuser und {'mehr ' * 30}{number}"
    made.set_content(f"Hello.\n\nFrom here on, {number}.\n")
    if number % 2:
        made.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename=f"a {number}.pdf")
    return made


def written(folder: Path, count: int) -> str:
    box = mailbox.mbox(folder / "box")
    for number in range(count):
        message = mailbox.mboxMessage(mail(number))
        message.set_from("ada@example.org Mon Jan  5 10:00:00 2026")
        box.add(message)
    box.flush()
    box.close()
    return (folder / "box").read_text("utf-8")


def test_every_mail_that_python_writes_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.forms.text_form.BATCH", 4)
    text = written(tmp_path, 9)
    found = read("\n" + text)
    rows = found.rows()
    assert [row["subject"] for row in rows] == [mail(number)["Subject"] for number in range(9)]
    assert [row["sender"] for row in rows] == [f"Adé, {number % 3}" for number in range(9)]
    assert [row["email"] for row in rows] == [f"ada{number % 3}@example.org" for number in range(9)]
    assert rows[3]["date"] == "2026-01-05 10:00:03 +0100"
    assert [row["attachments"] for row in rows] == [f"a {n}.pdf" if n % 2 else None for n in range(9)]
    assert [row["parts"] for row in rows] == [2 if n % 2 else None for n in range(9)]
    assert sum(row["size"] for row in rows) == len(text)
    assert found.words.what == "9 mails (mbox), 2026-01-05 10:00:00 +0100 .. 2026-01-05 10:00:08 +0100"
    assert found.words.facts == (
        "mails by sender: Adé, 0 ×3 · Adé, 1 ×3 · Adé, 2 ×3",
        "mails with attachments: 4",
    )
    assert reading_of(text).form == "mbox"


FROM = "From a@b Mon Jan  5 10:00:00 2026\n"


def test_headers_may_be_poor() -> None:
    found = read(f"{FROM}From: a@b.org\n\nHi\n\n{FROM}>From a\nFrom: B <b@c>\nDate: soon\n folded\nX: {'y' * 5_000}")
    assert found.column("email") == ["a@b.org", "b@c"] or found.column("sender") == ["a@b.org", "B"]
    assert found.column("subject") == [None, None]
    assert found.words.what == "2 mails (mbox)"
    many = read(FROM + "From: a <a@b>\n" + "X: y\n" * 500 + "\nbody\n")
    assert many.tables["items"].count == 1


def test_senders_are_told_while_they_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.forms.mails.MOST_SENDERS", 2)
    text = "\n".join(f"{FROM}From: A{n} <a{n}@b>\n\nHi\n" for n in range(4))
    assert read(text).words.facts == ()


OTHERS = {
    "prose": "From here on it is prose.\n" * 9,
    "no header": FROM + "Words and words\n\n",
    "no sender": FROM + "Subject: x\n\nHi\n",
    "empty": "",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS.keys())
def test_other_texts_are_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


def test_a_text_without_a_mail_is_refused() -> None:
    assert not [line for line in FROM.split("\n") if line.startswith("Subject")]
    with pytest.raises(Exception, match="no mail"):
        list(FORM.parser({}).parse(["", "x"]))


@pytest.mark.parametrize(
    "line",
    [
        "x" * 1_000_000,
        "Subject: " + "=?" * 300_000,
        "Subject: \x00",
        " fold\n" * 50_000,
        "A: b\n" * 50_000,
        "From: " + "<" * 300_000,
    ],
)
def test_hostile_texts_are_read_or_refused(line: str) -> None:
    read_as(FORM, f"{FROM}From: a@b\n{line}\n\nHi\n")
    read_as(FORM, f"{FROM}From: a@b\n\n{line}\n")
