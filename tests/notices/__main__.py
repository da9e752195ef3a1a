"""Rewrite the kept notices: ``python -m tests.notices [PART OF A NAME]``."""

from __future__ import annotations

import sys
from contextlib import closing

from penstock.query.parse.convert import Converter
from tests.notices.documents import FOLDER, documents, first_answer


def main() -> None:
    """Write one file for each document whose name contains the argument, and remove files without a document."""
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    FOLDER.mkdir(exist_ok=True)
    every = documents()
    with closing(Converter()) as convert:
        for document in every:
            if part in document.name:
                document.file.write_text(first_answer(document, convert), "utf-8")
    known = {document.file for document in every}
    for file in FOLDER.glob("*.txt"):
        if file not in known:
            file.unlink()


if __name__ == "__main__":
    main()
