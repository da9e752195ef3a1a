"""The conversations in the documentation are real: each call is made, and answered with what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.kit.examples.code_client import FOLDER
from tests.kit.examples.conversations import pages, replay

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kit.examples.code_client import Talk


@pytest.mark.parametrize("page", pages(FOLDER), ids=lambda page: page.parent.name)
def test_a_conversation_is_answered_as_it_is_shown(talk: Talk, page: Path) -> None:
    replay(talk, page)
