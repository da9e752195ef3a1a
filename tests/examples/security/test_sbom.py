"""Bills of materials: complete, valid, inside the allowed folder, and without anybody's password."""

from __future__ import annotations

import asyncio
import json
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import pytest
from tests.kit.examples.client import FETCH

from penstock import CallerError, UpstreamError
from security_server import sbom
from security_server.paths import Root
from security_server.process import PYTHON

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kit.examples.security_client import Talk


def of(folder: Path, name: str = "requirements.txt") -> dict[str, Any]:
    return asyncio.run(sbom.of_requirements(Root.at(folder), name, seconds=60))


def names(told: dict[str, Any]) -> list[str]:
    return sorted(component["name"] for component in told["sbom"]["components"])


def test_the_requirements_of_the_sample_project_are_all_in_the_bill_of_materials(talk: Talk, sample: Path) -> None:
    told = talk.told("generate_sbom")
    wanted = [line for line in (sample / "requirements.txt").read_text().splitlines() if line[:1].isalpha()]
    assert told["status"] == "completed"
    assert (told["format"], told["spec_version"], told["source"]) == ("CycloneDX", "1.6", "requirements")
    assert told["component_count"] == len(wanted) + 2  # and those of requirements/dev.txt
    assert told["unpinned_count"] == 2
    assert {"pytest", "hypothesis", "flask"} <= set(names(told))


@pytest.mark.compat
def test_a_bill_of_materials_is_valid_by_the_schema_of_its_makers(talk: Talk) -> None:
    from cyclonedx.schema import SchemaVersion  # late: it takes 3 s of each process that imports it
    from cyclonedx.validation.json import JsonStrictValidator

    told = talk.told("generate_sbom")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(told["sbom"])) is None


def test_the_environment_is_held_whole_and_can_be_asked(talk: Talk) -> None:
    notice = talk.told("generate_sbom", source="environment")
    assert notice["type"] == "buffered_response"
    program = '.sbom.components[] | select(.name == "bandit") | .version'
    answer = talk.told(FETCH, cache_id=notice["cache_id"], action="filter", jq_filter=program)
    assert answer["result"] == version("bandit")
    number = {"action": "filter", "jq_filter": "[.component_count, (.sbom.components | length)]"}
    stated, counted = talk.told(FETCH, cache_id=notice["cache_id"], **number)["result"]
    assert stated == counted > 20


def at(login: str) -> str:
    return f"https://{login}@example.org"


def test_no_address_keeps_its_login_or_its_query(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text(
        f"-i {at('user:hidden1')}/packages\n"
        f"one @ git+{at('hidden2')}/a/one@main\n"
        f"two @ {at('me:hidden3')}/two-1.0.tar.gz?token=hidden4#sha256=00\n"
        f"-r {at('hidden5')}/more.txt\n"
        "three==1.0\n"
    )
    told = of(tmp_path)
    assert names(told) == ["one", "three", "two"]
    assert "hidden" not in json.dumps(told)
    assert told["left_out"]["lines"] == ["-r https://example.org/more.txt: not a file inside the allowed folder"]
    assert [one["bom-ref"] for one in told["sbom"]["components"] if one["name"] == "three"] == ["requirements-L5"]


def test_included_files_are_read_only_inside_of_the_allowed_folder(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "more").mkdir(parents=True)
    (tmp_path / "outside.txt").write_text("outside==1.0\n")
    (root / "link.txt").symlink_to(tmp_path / "outside.txt")
    (root / "requirements.txt").write_text(
        "-r more/dev.txt\n-r ../outside.txt\n--requirement=link.txt\n-r nowhere.txt\n-r /etc/passwd\n"
        "-c more/dev.txt\na==1\n"
    )
    (root / "more/dev.txt").write_text("-r ../requirements.txt\nb==2\n")  # a circle
    told = of(root)
    assert names(told) == ["a", "b"]
    assert told["left_out"]["count"] == 4


def test_too_many_included_files_are_left_out_and_told(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"r{number}.txt").write_text(f"-r r{number + 1}.txt\np{number}==1\n")
    told = of(tmp_path, "r0.txt")
    assert told["component_count"] == 50
    assert told["left_out"] == {"count": 1, "lines": ["r50.txt: more than 50 files"]}


def test_a_path_that_is_no_requirements_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary.txt").write_bytes(b"\0\1")
    (tmp_path / "large.txt").write_bytes(b"#" * 2_000_001)
    (tmp_path / "requirements.txt").write_text("a==1\n")
    for name in (".", "binary.txt", "large.txt", "nowhere.txt", "../x.txt"):
        with pytest.raises(CallerError, match=r"^path: expected a .*for example \{\"path\": \"requirements.txt\"\}"):
            of(tmp_path, name)


def test_an_empty_requirements_file_is_an_empty_bill_of_materials(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("")
    told = of(tmp_path)
    assert (told["component_count"], told["unpinned_count"]) == (0, 0)
    assert "left_out" not in told


def test_a_failing_generator_is_told_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "requirements.txt").write_text("a==1\n")
    monkeypatch.setattr(sbom, "COMMAND", (*PYTHON, "-m", "no_such_generator"))
    with pytest.raises(UpstreamError, match=r"^generate_sbom: CycloneDX failed with code 1: .*no_such_generator"):
        of(tmp_path)
