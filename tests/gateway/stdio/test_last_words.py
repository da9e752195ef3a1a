"""The process ends after an error that nothing handled, with a line on stderr and without its server."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import sys
from penstock.gateway.stdio import last_words

def kill():
    print("killed", flush=True)
    {kill}

{before}
last_words.end_process({error}, kill)
"""
ENDS = "penstock: error: Penstock ends, because of an error that it cannot handle"
NO_MODULE = "last_words.described = None"


@pytest.mark.parametrize(
    ("error", "before", "kill", "line"),
    [
        ("KeyError('SECRET')", "", "", f"{ENDS}: KeyError at an unknown place"),
        ("None", "", "", f"{ENDS}: an unknown error\n"),
        ("MemoryError()", NO_MODULE, "", f"{ENDS}; probably no memory is left\n"),
        ("KeyError('SECRET')", "", "raise OSError", f"{ENDS}: KeyError"),
    ],
)
def test_process_ends_with_one_line_that_has_nothing_of_the_data(error: str, before: str, kill: str, line: str) -> None:
    code = CODE.format(error=error, before=before, kill=kill)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("killed\n", 70)
    assert done.stderr.startswith(line)
    assert len(done.stderr.splitlines()) == 1
    assert "SECRET" not in done.stderr
