"""XML as JSON, by expat. What jq sees of it:

- An element with neither attributes nor elements in it is its text, or null without any.
- Any other is an object: its attributes, its elements by name, and what text it has itself as ``text``.
- Elements of one name are an array wherever they repeat in one parent of that name, else the value itself: whether
  it is an array is the same in all of the document.
- Where an element with that name has an attribute and an element, or a text, of one name, the attribute is ``@name``
  and the text ``#text``, in all of the document.
- Text between elements (mixed content) is ``text``, with the texts of the elements in their places.
- Texts of one attribute or element are numbers, or true and false, if all of them in the document are written as JSON
  writes those.

Names keep the prefixes that they are written with. The root is the only field of the outermost object. A document
that declares entities, or refers to unknown ones, is refused; nothing is ever fetched.
"""

from __future__ import annotations

from collections import Counter
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final
from xml.etree.ElementTree import TreeBuilder
from xml.parsers import expat

import msgspec

from penstock.query.parse.refusal import Refusal
from penstock.query.parse.scalars import as_scalars

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MOST_LEVELS: Final = 150  # of elements: each is up to two levels of JSON, of which core takes 400
MOST_NAMES: Final = 40  # names of elements that are counted for the notice

Places = dict[str, dict[str, list[dict[str, Any]]]]  # objects by the name of an element, and of something in it
OTHER: Final = "\x00"  # before a name that is taken: no name in XML has a NUL
TEXT: Final = OTHER


def convert(text: bytes) -> tuple[bytes, dict[str, Any]]:
    """Return the document as JSON, and what is known of it beside: its root, and its elements by name."""
    root = _parsed(text)
    elements = Counter(map(attrgetter("tag"), root.iter()))
    shapes = _Shapes()
    value = {root.tag: shapes.value(root, 1)}
    shapes.settle()
    counts = elements.most_common()
    figures = {"root": root.tag, "elements": counts[:MOST_NAMES], "names": len(counts), "total": elements.total()}
    return msgspec.json.encode(value), figures


def _parsed(text: bytes) -> Element:
    """Return the tree of elements; expat builds it without a line of Python for each."""
    builder = TreeBuilder()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = parser.SkippedEntityHandler = parser.UnparsedEntityDeclHandler = _refuse
    try:
        parser.Parse(text, True)  # by position only
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise Refusal(str(error)) from None
    return builder.close()


def _refuse(*_: object) -> None:
    raise Refusal("entities are not read")


class _Shapes:
    """Makes values of elements, and decides by all of the document what is an array, a number, or in need of a mark.

    Decisions are made at the end, for all elements of one name at once, and change the values in place.
    """

    def __init__(self) -> None:
        self._attributes: Places = {}
        self._children: Places = {}  # objects, in each of which the child is a list
        self._texts: dict[str, list[dict[str, Any]]] = {}

    def value(self, element: Element, level: int) -> Any:
        """Return an element as an object or a text. Its text, and an element with the name of an attribute, get keys
        that no name can be, until all elements are known."""
        if level > MOST_LEVELS:
            raise Refusal("too deep")
        if _is_leaf(element):
            return (element.text or "").strip() or None
        tag = element.tag
        made: dict[str, Any] = element.attrib
        attributes = tuple(made)
        for name in attributes:
            self._attributes.setdefault(tag, {}).setdefault(name, []).append(made)
        known = self._children.setdefault(tag, {})
        for child in element:
            name = child.tag
            key = OTHER + name if name in attributes else name
            value = (child.text or "").strip() or None if _is_leaf(child) else self.value(child, level + 1)
            if key in made:
                made[key].append(value)
            else:
                made[key] = [value]
                known.setdefault(name, []).append(made)
        if own := _text_of(element):
            made[TEXT] = own
            self._texts.setdefault(tag, []).append(made)
        return made

    def settle(self) -> None:
        """Decide, once all of the document is known."""
        for tag, attributes in self._attributes.items():
            for name, objects in attributes.items():
                _type_texts(objects, name)
                if name in self._children[tag]:
                    _rename(objects, name, "@" + name)
        for tag, children in self._children.items():
            for name, objects in children.items():
                if name in self._attributes.get(tag, ()):
                    _rename([one for one in objects if OTHER + name in one], OTHER + name, name)
                _type_values(objects, name)
        for tag, objects in self._texts.items():
            _type_texts(objects, TEXT)
            taken = "text" in self._attributes.get(tag, ()) or "text" in self._children[tag]
            _rename(objects, TEXT, "#text" if taken else "text")


def _is_leaf(element: Element) -> bool:
    """Return True if an element has text alone, without a look at its ``attrib``, which would build it."""
    return not len(element) and not element.keys()


def _rename(objects: list[dict[str, Any]], old: str, new: str) -> None:
    for one in objects:
        one[new] = one.pop(old)


def _type_texts(objects: list[dict[str, Any]], key: str) -> None:
    """Make numbers of the texts under a key, if all of them are."""
    numbers = as_scalars([one[key] for one in objects])
    for one, number in zip(objects, numbers or (), strict=False):
        one[key] = number


def _type_values(objects: list[dict[str, Any]], name: str) -> None:
    """Make numbers of the texts of elements, if all of them are; and take single elements out of their arrays, if they
    are single in all objects."""
    filled = [value for one in objects for value in one[name] if value is not None]
    numbers = as_scalars(filled) if filled and all(type(value) is str for value in filled) else None
    if numbers is not None:
        queue = iter(numbers)
        for one in objects:
            one[name] = [None if value is None else next(queue) for value in one[name]]
    if all(len(one[name]) == 1 for one in objects):
        for one in objects:
            one[name] = one[name][0]


def _text_of(element: Element) -> str:
    """Return the text of an element itself; where it stands between elements, with theirs in their places."""
    if not len(element):
        return (element.text or "").strip()
    around = "".join([element.text or "", *[child.tail or "" for child in element]])
    if not around or around.isspace():
        return ""
    return "".join(element.itertext()).strip()
