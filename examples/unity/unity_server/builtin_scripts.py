"""Scripts of Unity's own packages by their guids, which are the same in every project.

A project that was cloned has no ``Library/PackageCache``, in which these scripts lie, and all of Unity's UI would be
nameless. The guids stand in every scene that uses a script.
"""

from __future__ import annotations

from typing import Final

SCRIPTS: Final = {
    # Unity UI (com.unity.ugui)
    "fe87c0e1cc204ed48ad3b37840f39efc": "Image",
    "1344c3c82d62a2a41a3576d8abb8e3ea": "RawImage",
    "5f7201a12d95ffc409449d95f23cf332": "Text",
    "4e29b1a8efbd4b44bb3f3716e73f07ff": "Button",
    "9085046f02f69544eb97fd06b6048fe2": "Toggle",
    "2fafe2cfe61f6974895a912c3755e8f1": "ToggleGroup",
    "67db9e8f0e2ae9c40bc1e2b64352a6b4": "Slider",
    "2a4db7a114972834c8e4117be1d82ba3": "Scrollbar",
    "1aa08ab6e0800fa44ae55d278d1423e3": "ScrollRect",
    "0d0b652f32a2cc243917e4028fa0f046": "Dropdown",
    "d199490a83bb2b844b9695cbf13b01ef": "InputField",
    "31a19414c41e5ae4aae2af33fee712f6": "Mask",
    "3312d7739989d2b4e91e6319e9a96d76": "RectMask2D",
    "0cd44c1031e13a943bb63640046fad76": "CanvasScaler",
    "dc42784cf147c0c48a680349fa168899": "GraphicRaycaster",
    "30649d3a9faa99c48a7b1166b86bf2a0": "HorizontalLayoutGroup",
    "59f8146938fff824cb5fd77236b75775": "VerticalLayoutGroup",
    "8a8695521f0d02e499659fee002a26c2": "GridLayoutGroup",
    "306cc8c2b49d7114eaa3623786fc2126": "LayoutElement",
    "3245ec927659c4140ac4f8d17403cc18": "ContentSizeFitter",
    "86710e43de46f6f4bac7c8e50813a599": "AspectRatioFitter",
    "cfabb0440166ab443bba8876756fdfa9": "Shadow",
    "e19747de3f5aca642ab2be37e372fb86": "Outline",
    "76c392e42b5098c458856cdf6ecaaaa1": "EventSystem",
    "4f231c4fb786f3946a6b90b886c48677": "StandaloneInputModule",
    "d0b148fe25e99eb48b9724523833bab1": "EventTrigger",
    "7a98125502f715b4b83cfb77b434e436": "Selectable",
    # TextMesh Pro (com.unity.textmeshpro, and com.unity.ugui from 2.0 on)
    "f4688fdb7df04437aeb418b961361dc5": "TextMeshProUGUI",
    "9541d86e2fd84c1d9990edf0852d74ab": "TextMeshPro",
    "2da0c512f12947e489f739169773d7ca": "TMP_InputField",
    "7b743370ac3e4ec2a1668f5455a8ef8a": "TMP_Dropdown",
    # Input System (com.unity.inputsystem), Render Pipelines and Cinemachine
    "01614664b831546d2ae94a42149d80ac": "InputSystemUIInputModule",
    "62899f850307741f2a39c98a8b639597": "PlayerInput",
    "a79441f348de89743a2939f4d699eac1": "UniversalAdditionalCameraData",
    "474bcb49853aa07438625e644c072ee6": "UniversalAdditionalLightData",
    "172515602e62fb746b5d573b38a5fe58": "Volume",
    "72ece51f2901e7445ab60da3685d6b5f": "CinemachineBrain",
    "45e653bab7fb20e499bda25e1b646fea": "CinemachineVirtualCamera",
    "f9dfa5b682dcd46bda6128250e975f58": "CinemachineCamera",
}
# Before 2019.2 these scripts were in UnityEngine.UI.dll, whose guid is another one for each platform and version. The
# id inside an assembly is made of the names of namespace and class, and is the same in all of them.
IN_ASSEMBLIES: Final = {
    -765806418: "Image",
    -98529514: "RawImage",
    708705254: "Text",
    1392445389: "Button",
    2109663825: "Toggle",
    -1184210157: "ToggleGroup",
    -113659843: "Slider",
    -2061169968: "Scrollbar",
    1367256648: "ScrollRect",
    853051423: "Dropdown",
    575553740: "InputField",
    -1200242548: "Mask",
    -146154839: "RectMask2D",
    1980459831: "CanvasScaler",
    1301386320: "GraphicRaycaster",
    -405508275: "HorizontalLayoutGroup",
    1297475563: "VerticalLayoutGroup",
    -2095666955: "GridLayoutGroup",
    1679637790: "LayoutElement",
    1741964061: "ContentSizeFitter",
    -1254083943: "AspectRatioFitter",
    1573420865: "Shadow",
    -900027084: "Outline",
    1849938685: "PositionAsUV1",
    -234403039: "Selectable",
    1327945023: "BaseInput",
    -619905303: "EventSystem",
    1077351063: "StandaloneInputModule",
    1997211142: "TouchInputModule",
    -1862395651: "EventTrigger",
    -768656878: "PhysicsRaycaster",
    -1690312454: "Physics2DRaycaster",
}


def name_of(guid: str, file_id: int) -> str:
    """Return the class that a script's reference stands for; empty where it is not one of Unity's."""
    return SCRIPTS.get(guid) or IN_ASSEMBLIES.get(file_id, "")
