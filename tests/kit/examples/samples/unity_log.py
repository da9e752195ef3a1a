"""The log of the sample project: what an editor writes in a day, with 2,400 entries of the console in it."""

from __future__ import annotations

import random
from typing import Final

ENTRIES: Final = 2_400
START: Final = (
    "Unity Editor version:    2022.3.20f1 (61c2feb0970d)\nBranch:                  2022.3/staging\n"
    "COMMAND LINE ARGUMENTS:\n-projectPath\n/home/me/Island\n\n"
    "Opening scene 'Assets/Scenes/Island.unity'\nUnloading 12 Unused Serialized files\n"
    "Loaded scene 'Assets/Scenes/Island.unity'\n\tDeserialize:            266.948 ms\n"
    "\tTotal Operation Time:   573.780 ms\n\n"
    "Assets/Scripts/DayCycle.cs(31,17): warning CS0168: The variable 'hour' is declared but never used\n"
    "Assets/Scripts/Villager.cs(58,9): error CS0103: The name 'Walk' does not exist in the current context\n\n"
)
ENGINE: Final = (
    "Failed to find entry-points:\nPrefab Lantern has no colliders\n\n"
    "(Filename: ./Modules/Physics/Collider.cpp Line: 412)\n\n"
)
CALLS: Final = (
    "UnityEngine.StackTraceUtility:ExtractStackTrace ()\n"
    "UnityEngine.DebugLogHandler:LogFormat (UnityEngine.LogType,UnityEngine.Object,string,object[])\n"
    "UnityEngine.Logger:Log (UnityEngine.LogType,object)\nUnityEngine.Debug:{method} (object)\n"
    "{script}:{caller} () (at Assets/Scripts/{script}.cs:{line})\n\n"
    "(Filename: Assets/Scripts/{script}.cs Line: {line})\n\n"
)
THROWN: Final = (
    "NullReferenceException: Object reference not set to an instance of an object\n"
    "{script}.{caller} () (at Assets/Scripts/{script}.cs:{line})\n\n"
    "(Filename: Assets/Scripts/{script}.cs Line: {line})\n\n"
)


def log_text(entries: int = ENTRIES) -> str:
    """Write the log, with so many entries of scripts, two of the compiler and one of the engine."""
    dice = random.Random(1_200)
    parts = [START, ENGINE]
    for number in range(entries):
        script = dice.choice(("SpawnPoint", "DayCycle", "Villager", "Lantern"))
        place = {
            "script": script,
            "caller": dice.choice(("Start", "Update", "OnEnable")),
            "line": dice.randrange(9, 90),
        }
        village = dice.randrange(1, 40)
        match number % 12:
            case 0:
                parts.append(THROWN.format(**place))
            case 1 | 2:
                parts.append(f"Village {village} has no spawn point\n" + CALLS.format(method="LogWarning", **place))
            case 3:
                parts.append(f"Villager {number} fell off the island\n" + CALLS.format(method="LogError", **place))
            case _:
                parts.append(f"Tick {number}: {village} lanterns lit\n" + CALLS.format(method="Log", **place))
    parts.append("Refreshing native plugins compatible for Editor in 4.21 ms, found 3 plugins.\n")
    return "".join(parts)
