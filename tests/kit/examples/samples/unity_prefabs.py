"""The prefabs of the sample project: a lantern, a button, a variant of the button, and a dialog with both nested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tests.kit.examples.samples.unity_scene import Template, Writer

from unity_server.builtin_scripts import SCRIPTS
from unity_server.prefabs import computed_id

if TYPE_CHECKING:
    from collections.abc import Callable

LANTERN: Final = "Assets/Prefabs/Lantern.prefab"
BUTTON: Final = "Assets/Prefabs/Button.prefab"
DANGER: Final = "Assets/Prefabs/Danger Button.prefab"
DIALOG: Final = "Assets/Prefabs/Dialog.prefab"
UI_SCRIPTS: Final = {name: guid for guid, name in SCRIPTS.items() if name in ("Image", "Button", "Text")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefabs:
    """The prefabs as texts by their paths, and what scenes name of them: the component ``image`` of the button, and in
    the dialog the button ``never``, which is an instance of the variant, with the text of its label."""

    texts: dict[str, str]
    lantern: Template
    button: Template
    dialog: Template
    image: int
    never: int
    never_text: int


def make_prefabs(scripts: dict[str, str], guid_of: Callable[[str], str]) -> Prefabs:
    """Write them. Ids are as long as those of Unity, which are computed with where prefabs are nested."""

    def writer(path: str) -> Writer:
        return Writer({**scripts, **UI_SCRIPTS}, first_id=int(guid_of(path)[:15], 16))

    lantern = writer(LANTERN)
    light = lantern.add("Lantern", None, "MeshFilter", "MeshRenderer", "Lantern", tag="Light")
    lantern.add("Flame", light, "Light", "AudioSource")

    button = writer(BUTTON)
    top = button.add("Button", None, "Image", "Button")
    label = button.add("Label", top, "Text")
    plain = Template(guid=guid_of(BUTTON), own=top.own, transform=top.transform)

    danger = writer(DANGER)
    variant = danger.instance("Danger Button", None, plain, changes=[(label.components[0], "m_Text", "Delete")])
    red = Template(
        guid=guid_of(DANGER), own=computed_id(variant, top.own), transform=computed_id(variant, top.transform)
    )

    dialog = writer(DIALOG)
    window = dialog.add("Dialog", None, "Image")
    dialog.add("Question", window, "Text")
    dialog.instance("Yes", window, plain)
    never = dialog.instance("No", window, red)
    return Prefabs(
        texts={
            LANTERN: lantern.text(is_scene=False),
            BUTTON: button.text(is_scene=False),
            DANGER: danger.text(is_scene=False),
            DIALOG: dialog.text(is_scene=False),
        },
        lantern=Template(guid=guid_of(LANTERN), own=light.own, transform=light.transform),
        button=plain,
        dialog=Template(guid=guid_of(DIALOG), own=window.own, transform=window.transform),
        image=top.components[0],
        never=computed_id(never, red.own),
        never_text=computed_id(never, computed_id(variant, label.components[0])),
    )
