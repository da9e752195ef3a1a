"""Scripts of Unity's own packages by their guids, which are the same in every project.

A project that was cloned has no ``Library/PackageCache``, in which these scripts are, and all of Unity's UI would be
nameless. The guids are in every scene that uses a script. Before 2019.2 these scripts were in UnityEngine.UI.dll, whose
guid is another one for each platform and version; the id inside an assembly is the same in all of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

_KNOWN: Final = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
SCRIPTS: Final[dict[str, str]] = _KNOWN["guids"]
IN_ASSEMBLIES: Final[dict[str, str]] = _KNOWN["assemblies"]


def name_of(guid: str, file_id: int) -> str:
    """Return the class that a script's reference stands for; empty if it is not one of Unity's."""
    return SCRIPTS.get(guid) or IN_ASSEMBLIES.get(str(file_id), "")
