"""The settings file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.kit.examples.memory_client import Talk
from tests.kit.examples.starts import refused_settings, with_penstock

from memory_server.settings import SHIPPED, Defaults, load_settings

if TYPE_CHECKING:
    from pathlib import Path


def test_the_shipped_settings_are_the_defaults_of_the_specification() -> None:
    settings = load_settings(SHIPPED)
    assert settings.defaults == Defaults()
    assert (settings.defaults.max_tokens, settings.defaults.enable_paging) == (20_000, True)
    assert settings.defaults.truncate_content is True
    assert settings.penstock.rule_for("context_aware_retrieve").max_tokens == 32_000


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[memory]\nmax_tokens = 500", "memory.max_tokens: expected a whole number from 1,000 to 24,000, found 500"),
        ("[memory]\npage_size = -1", "memory.page_size: expected a whole number from 0 to 1,000"),
        ("[memory]\nmax_bytes = true", "memory.max_bytes"),
        ("[memory]\nenable_paging = 1", "memory.enable_paging: expected true or false, found 1"),
        ("[memory]\nmax_token = 5", "memory.max_token: not a setting; one of max_tokens"),
        ("memory = 7", "memory: expected a table"),
        ("[penstock]\nmax_tokens = 'x'", "max_tokens"),
        ("not toml", "not valid TOML"),
    ],
)
def test_a_wrong_setting_is_named_with_its_file(tmp_path: Path, text: str, says: str) -> None:
    assert says in refused_settings(load_settings, tmp_path / "penstock.toml", with_penstock(text))


def test_real_data_settings_and_a_session_of_its_own_work_together(tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "harbour.md").write_text("# Harbour\n\nThe crane lifts containers.\n")
    (tmp_path / "mine.toml").write_text(
        "[penstock]\nstore = 'memory:'\n[memory]\nmax_tokens = 3000\nrefresh_seconds = 0\n"
    )
    options = [str(texts), "--data", str(tmp_path / "data"), "--config", str(tmp_path / "mine.toml")]
    with Talk(options, cwd=tmp_path) as talk:
        talk.told(
            "store_chunks", session_id="me", chunks=[{"content": "Ask about the crane.", "links": ["harbour.md"]}]
        )
        page = talk.page("me", "crane")
        assert page.budget[0] == 3_000
        assert "The crane lifts containers." in page.text
        assert "c1 links to c2" in page.text
        assert "own chunks: 1," in page.header
        assert "Ask about" not in talk.page("you", "crane").text
        (texts / "harbour.md").write_text("# Harbour\n\nThe crane is out of order.\n")
        assert "out of order" in talk.page("me", "crane").text
    assert list(texts.iterdir()) == [texts / "harbour.md"]
