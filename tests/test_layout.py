"""Each module has a test that can be found, and each name of a class means one thing."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter, defaultdict
from pathlib import Path, PurePosixPath
from typing import Final

from tests.conftest import GROUPED

TESTS: Final = Path(__file__).parent
SOURCE: Final = TESTS.parent / "src/penstock"
WHERE: Final = tomllib.loads((TESTS / "where_tested.toml").read_text("utf-8"))
MODULES: Final = sorted(
    PurePosixPath(path.relative_to(SOURCE).as_posix())
    for path in SOURCE.rglob("*.py")
    if path.stem not in ("__init__", "__main__")
)
LISTED: Final = {module for modules in WHERE.values() for module in modules}

# Classes that have one name because they are one idea; a class that begins with an underscore is of one file only.
SAME_IDEA: Final = {
    "Column": "a column of a table: with its facts, and as SQLite has it",
    "Table": "a table of a reading: as it was read, as a query names it, and as SQLite has it",
}


def namesake(module: PurePosixPath) -> Path | None:
    """Find the test file with a module's name, or with its first words, in the same folder or in one above it."""
    words = module.stem.lstrip("_").split("_")
    folders = [TESTS / folder for folder in module.parents]
    names = ["_".join(words[:length]) for length in range(len(words), 0, -1)]
    files = [folder / f"test_{name}.py" for folder in folders for name in names]
    return next((file for file in files if file.exists()), None)


def is_listed(module: PurePosixPath) -> bool:
    return str(module) in LISTED or any(f"{folder}/" in LISTED for folder in module.parents)


def test_every_module_has_a_test_of_its_name_or_a_line_that_says_where_it_is_tested() -> None:
    untold = [str(module) for module in MODULES if not is_listed(module) and namesake(module) is None]
    assert untold == [], "add a test of that name, or a line to tests/where_tested.toml"


def test_every_line_of_the_table_names_modules_and_tests_that_exist() -> None:
    assert [name for name in WHERE if not (TESTS / name).exists()] == []
    assert [name for name in sorted(LISTED) if not (SOURCE / name).exists()] == []


def test_no_line_of_the_table_is_needless() -> None:
    folders = [name for name in LISTED if name.endswith("/")]
    own = [module for module in MODULES if str(module) in LISTED]
    assert [str(module) for module in own if any(str(module).startswith(folder) for folder in folders)] == []


def test_every_group_of_tests_that_share_a_server_is_there() -> None:
    files = [path.relative_to(TESTS.parent).as_posix() for path in TESTS.rglob("test_*.py")]
    assert [group for group in GROUPED if not any(re.match(group, file) for file in files)] == []


def public_classes() -> dict[str, list[str]]:
    """Find where each public class of the package is defined."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for module in MODULES:
        for node in ast.parse((SOURCE / module).read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(str(module))
    return found


def test_two_modules_of_the_core_never_have_one_name() -> None:
    names = Counter(module.stem for module in MODULES if module.parts[0] == "core")
    assert [name for name, count in names.items() if count > 1] == []


def test_two_classes_have_one_name_only_if_they_are_one_idea() -> None:
    twice = {name: modules for name, modules in public_classes().items() if len(modules) > 1}
    assert {name: modules for name, modules in twice.items() if name not in SAME_IDEA} == {}
