"""Find out whether a result says that there is more, and which arguments of its tool ask for that.

A result says so by a cursor (``next_cursor``, ``nextPageToken``, ``pageInfo.endCursor``), a link (``links.next``), a
number (``next_page``, ``next_offset``), or by a sign (``has_more``, a total above what is here) beside a tool that
takes a page or an offset. Only what the tool's schema has as an argument counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlsplit

import msgspec
from msgspec import field

from penstock.core.act.argument_schema import ArgumentSchema
from penstock.core.json.lookup import container_at
from penstock.core.plain import Plain
from penstock.core.text import line_text
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.json.index import Index, Read
    from penstock.core.json.path import Path

SMALL: Final = 4_096  # bytes of a member that is read for signs; cursors and links are shorter
MOST_MEMBERS: Final = 200  # of an object; a wider one is a map of data
DEEPEST: Final = 3  # levels of objects around the signs, as in meta.pagination.next
LONGEST_URL: Final = 4_096  # characters

# Names are compared without case and without what is no letter or digit: nextPageToken is next_page_token.
CURSORS: Final = (
    *("nextcursor", "nextpagetoken", "nexttoken", "nextpagecursor", "continuationtoken", "nextcontinuationtoken"),
    *("continuation", "nextmarker", "nextkey", "lastevaluatedkey", "scrollid"),
)
MARKED: Final = ("endcursor", "cursor", "aftercursor", "lastcursor")  # cursors only beside a sign that there is more
CURSOR_ARGUMENTS: Final = (
    *("cursor", "after", "pagetoken", "nexttoken", "nextcursor", "nextpagetoken", "pagecursor", "startcursor"),
    *("continuationtoken", "startingtoken", "marker", "startafter"),
)
LINKS: Final = ("next", "nextlink", "nexturl", "nextpageurl", "nextpagelink", "odatanextlink", "nexthref", "link")
TRUE_SIGNS: Final = ("hasmore", "hasnextpage", "hasnext", "istruncated", "morepages", "hasmorepages", "moreavailable")
FALSE_SIGNS: Final = ("islast", "islastpage", "lastpagereached")
PAGES: Final = ("page", "pagenumber", "pageno", "currentpage", "pagenum", "pageindex")
OFFSETS: Final = ("offset", "skip", "start", "startat", "startindex", "from")
NEXT_PAGES: Final = ("nextpage", "nextpagenumber")
NEXT_OFFSETS: Final = ("nextoffset", "nextstart", "nextskip", "nextstartat", "nextindex")
LEADING: Final = (*CURSORS, *LINKS, *NEXT_PAGES, *NEXT_OFFSETS)  # members that lead to the next page
LAST_PAGES: Final = ("totalpages", "pagecount", "lastpage", "numpages", "pages")
TOTALS: Final = ("totalcount", "totalresults", "totalitems", "totalhits", "totalrows", "totalrecords", "totalelements")
# Names that mean all rows only if paging signs come with them: a total alone may be a sum of money.
VAGUE_TOTALS: Final = ("total", "count")
PAGE_SIZES: Final = ("limit", "perpage", "pagesize", "maxresults")
MAX_SIGN: Final = 120  # Characters of the name of a member in a sentence.
_UNREAD: Final = ["too long to be read"]  # The value of a sign in a member of more than SMALL bytes.
_REL_NEXT: Final = re.compile(r'<([^<>]{1,4096})>\s*;[^,<]*\brel\s*=\s*"?next\b')
_DIGITS: Final = re.compile(r"[0-9]{1,15}")


class NextPage(Plain, frozen=True, kw_only=True):
    """The arguments that ask for the next page, and the member of the result that says there is one. ``by_number``
    where they count pages or rows: then a page without rows is the last."""

    arguments: Mapping[str, Any]
    sign: str
    by_number: bool = False

    @property
    def key(self) -> bytes:
        """Return what two equal requests have in common."""
        return msgspec.json.encode(dict(self.arguments), order="sorted")


class PageSigns(Plain, frozen=True, kw_only=True):
    """The small members of a page, by their names as they are compared, and by those that the page has."""

    values: Mapping[str, tuple[str, Any]]

    def total(self, arguments: Mapping[str, Any]) -> int | None:
        """Return how many rows there are on all pages, as the page says. ``arguments`` are those of this page."""
        return self._all_rows(arguments)[1]

    def _first(self, names: Sequence[str]) -> tuple[str, Any] | None:
        return next((self.values[name] for name in names if name in self.values), None)

    def next_page(
        self, arguments: Mapping[str, Any], schema: Mapping[str, Any] | None, *, count: int, seen: int
    ) -> NextPage | None:
        """Return how to ask for the next page. ``arguments`` are those of this page, which has ``count`` rows, the last
        of ``seen`` so far."""
        tool = _Arguments.of(schema)
        page = self._by_cursor(tool) or self._by_link(tool, arguments) or self._by_number(tool)
        return page or (self._counted(tool, arguments, count, seen) if count else None)

    def sign_of_more(self, arguments: Mapping[str, Any], *, count: int, seen: int) -> str:
        """Return the member that says that there is more than these rows, whatever the tool can be asked for. Empty if
        the page says that there is no more, or nothing about it. See ``next_page`` for the arguments."""
        if self._is_more() is None:
            signs = [(name, *self.values[name]) for name in LEADING if name in self.values]
            if leading := next((sign for name, sign, value in signs if _leads_on(name, value, arguments)), ""):
                return leading
            if any(value is None or value == "" for _, _, value in signs):
                return ""
        return self._sign(arguments, self._stated(arguments, PAGES), self._reached(arguments, count, seen))

    def extent(self, arguments: Mapping[str, Any], count: int) -> str:
        """Return a sentence that says which part of all rows the ``count`` rows of this page are. Empty if they are all
        rows, or if the page says nothing about it. ``arguments`` are those of this page."""
        name, total = self._all_rows(arguments)
        if total is not None and self._is_part(arguments, count, total):
            page = self._stated(arguments, PAGES)
            place = "One page" if page is None else f"Page {page:,}"
            return f"{place}: {count:,} of {total:,} ({line_text(name, MAX_SIGN)})."
        sign = self.sign_of_more(arguments, count=count, seen=count)
        return f"More pages exist ({line_text(sign, MAX_SIGN)})." if sign and sign != name else ""

    def says_whether_last(self, arguments: Mapping[str, Any]) -> bool:
        """Return True if the page says whether another one follows: by a sign, a total, or a member that would lead
        there, even if it is null."""
        has_lead = any(name in self.values for name in LEADING if name != "link")
        has_pages = self._first(LAST_PAGES) is not None and self._stated(arguments, PAGES) is not None
        return self._is_more() is not None or has_lead or has_pages or self._all_rows(arguments)[1] is not None

    def _all_rows(self, arguments: Mapping[str, Any]) -> tuple[str, int | None]:
        """Return the member that says how many rows there are on all pages, and that number."""
        asks_for_page = any(_is_paging(_bare(name), value) for name, value in arguments.items())
        for name in (*TOTALS, *VAGUE_TOTALS):
            sign, value = self.values.get(name, ("", None))
            is_paged = name in TOTALS or asks_for_page or self._has_paging_beside(sign)
            if (total := _number(value)) is not None and is_paged:
                return sign, total
        return "", None

    def _has_paging_beside(self, sign: str) -> bool:
        """Return True if the object of a member has another one that only pages of a list have."""
        around = sign.rpartition(".")[0]
        beside = (name for name, (other, _) in self.values.items() if other.rpartition(".")[0] == around)
        return any(_is_paging(name, self.values[name][1]) for name in beside)

    def _is_part(self, arguments: Mapping[str, Any], count: int, total: int) -> bool:
        """Return True if the ``count`` rows are fewer than the total, and all numbers of the page agree with that."""
        page, size, offset = (self._stated(arguments, names) for names in (PAGES, PAGE_SIZES, OFFSETS))
        before = max(0, (offset or 0) - 1)  # Some servers count rows from 1.
        if page is not None and size is not None:
            before = max(0, page - 1) * size
        is_first = page is None and offset is None
        if (size is not None and count > size) or (is_first and self._is_more() is False):
            return False
        return count < total and before + count <= total

    def _reached(self, arguments: Mapping[str, Any], count: int, seen: int) -> int:
        """Return how many of all rows are on the pages up to this one: ``seen``, or more if a run began later."""
        offset = self._stated(arguments, OFFSETS) or 0
        before = max(0, offset - 1) if count else offset  # Some servers count rows from 1.
        page, size = self._stated(arguments, PAGES), self._stated(arguments, PAGE_SIZES)
        if page is not None and size is not None:
            before = max(0, page - 1) * size
        return max(seen, before + count)

    def _stated(self, arguments: Mapping[str, Any], names: Sequence[str]) -> int | None:
        """Return a number that the page states about itself, or that its call asked for."""
        stated = _number(self._value(names, None))
        asked = (_number(value) for name, value in arguments.items() if _bare(name) in names)
        return stated if stated is not None else next(asked, None)

    def _by_cursor(self, tool: _Arguments) -> NextPage | None:
        names = (*CURSORS, *MARKED) if self._is_more() else CURSORS
        for name in names:
            sign, value = self.values.get(name, ("", None))
            if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
                continue
            argument = tool.named(name.removeprefix("next"), name, *CURSOR_ARGUMENTS)
            if argument is not None and self._is_more() is not False:
                return NextPage(arguments={argument: tool.typed(argument, value)}, sign=sign)
        return None

    def _by_link(self, tool: _Arguments, arguments: Mapping[str, Any]) -> NextPage | None:
        for name in LINKS:
            sign, value = self.values.get(name, ("", None))
            if not isinstance(value, str) or not 0 < len(value) <= LONGEST_URL:
                continue
            if name == "link":
                link = _REL_NEXT.search(value)
                value = link[1] if link else ""
            wanted = tool.taken(_query(value))
            if wanted and any(arguments.get(one) != new for one, new in wanted.items()):
                return NextPage(arguments=wanted, sign=sign)
            argument = tool.named(*CURSOR_ARGUMENTS) if name == "next" and re.fullmatch(r"[^\s/?&]+", value) else None
            if argument is not None:
                return NextPage(arguments={argument: tool.typed(argument, value)}, sign=sign)
        return None

    def _by_number(self, tool: _Arguments) -> NextPage | None:
        for names, wanted in (((*NEXT_PAGES, "next"), PAGES), (NEXT_OFFSETS, OFFSETS)):
            sign, value = self._first(names) or ("", None)
            number, argument = _number(value), tool.named(*wanted)
            if number is not None and argument is not None:
                return NextPage(arguments={argument: tool.typed(argument, number)}, sign=sign, by_number=True)
        return None

    def _counted(self, tool: _Arguments, arguments: Mapping[str, Any], count: int, seen: int) -> NextPage | None:
        """Ask for the next page by its number, or for the rows after these, where a sign or a total says that there are
        some."""
        page, offset = tool.named(*PAGES), tool.named(*OFFSETS)
        number = _number(arguments.get(page, self._value(PAGES, tool.first(page, 1)))) if page else None
        sign = self._sign(arguments, number, self._reached(arguments, count, seen))
        if not sign:
            return None
        if page is not None and number is not None:
            return NextPage(arguments={page: tool.typed(page, number + 1)}, sign=sign, by_number=True)
        first = _number(arguments.get(offset, self._value(OFFSETS, tool.first(offset, 0)))) if offset else None
        if offset is None or first is None:
            return None
        return NextPage(arguments={offset: tool.typed(offset, first + count)}, sign=sign, by_number=True)

    def _sign(self, arguments: Mapping[str, Any], page: int | None, seen: int) -> str:
        is_more = self._is_more()
        if is_more is not None:
            return (self._first(TRUE_SIGNS) or self._first(FALSE_SIGNS) or ("", None))[0] if is_more else ""
        last = self._first(LAST_PAGES)
        if last is not None and page is not None and (most := _number(last[1])) is not None:
            return last[0] if page < most else ""
        name, total = self._all_rows(arguments)
        return name if total is not None and total > seen else ""

    def _value(self, names: Sequence[str], default: Any) -> Any:
        sign = self._first(names)
        return default if sign is None else sign[1]

    def _is_more(self) -> bool | None:
        """Return what a sign says; None where there is none."""
        for names, meaning in ((TRUE_SIGNS, True), (FALSE_SIGNS, False)):
            sign = self._first(names)
            if sign is not None and isinstance(sign[1], bool):
                return sign[1] is meaning
        return None


def takes_pages(schema: Mapping[str, Any] | None) -> bool:
    """Return True if a tool has an argument that asks for another page."""
    return _Arguments.of(schema).named(*CURSOR_ARGUMENTS, *PAGES, *OFFSETS) is not None


class _Arguments(Plain, frozen=True, kw_only=True):
    """The arguments that a tool takes, by their names as they are compared."""

    names: Mapping[str, str]
    schema: ArgumentSchema | None = None
    properties: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, schema: Mapping[str, Any] | None) -> _Arguments:
        properties = schema.get("properties") if schema is not None else None
        if schema is None or not isinstance(properties, Mapping):
            return cls(names={})
        schemas = {name: one for name, one in properties.items() if isinstance(one, Mapping)}
        return cls(names={_bare(name): name for name in schemas}, schema=ArgumentSchema(schema), properties=schemas)

    def named(self, *wanted: str) -> str | None:
        return next((self.names[name] for name in wanted if name in self.names), None)

    def first(self, name: str, usual: int) -> Any:
        """Return the number that a call without this argument means: the schema's default, or the usual one."""
        schema = self.properties[name]
        return schema.get("default", 0 if schema.get("minimum") == 0 else usual)

    def typed(self, name: str, value: str | int) -> str | int:
        """Return a value in the type that the schema wants for an argument."""
        kinds = None if self.schema is None else self.schema.accepted((name,))
        if isinstance(value, str) and kinds and "string" not in kinds and _DIGITS.fullmatch(value):
            return int(value)
        if isinstance(value, int) and kinds and not kinds & {"integer", "number"}:
            return str(value)
        return value

    def taken(self, query: Mapping[str, str]) -> dict[str, Any]:
        """Return those of a link's parameters that are arguments."""
        values = {self.names[_bare(name)]: value for name, value in query.items() if _bare(name) in self.names}
        return {name: self.typed(name, value) for name, value in values.items()}


def read_signs(index: Index, read: Read, path: Path) -> PageSigns:
    """Read the small members of a page of JSON: of the objects that its rows lie in, and of small objects in these. The
    nearer to the rows a member is, the more it counts."""
    values: dict[str, tuple[str, Any]] = {}
    for depth in range(len(path) - 1, -1, -1):
        if not isinstance(path[depth], str):
            continue
        try:
            around = container_at(index, read, path[:depth])
        except CallerError:
            continue
        if around.kind != "object" or around.count > MOST_MEMBERS:
            continue
        for number in range(around.count):
            if around.span(number, number + 1) <= SMALL:
                _collect(values, _decoded(around.item(read, number)), "", 0)
            elif (name := around.key(read, number)) != path[depth] and _bare(name) in LEADING:
                values.setdefault(_bare(name), (name, _UNREAD))
    return PageSigns(values=values)


def _collect(values: dict[str, tuple[str, Any]], members: dict[str, Any], before: str, level: int) -> None:
    for name, value in members.items():
        full_name = f"{before}{name}"
        if isinstance(value, dict):
            if level < DEEPEST:
                href = value.get("href") if _bare(name) in LINKS else None
                inner = {name: href} if isinstance(href, str) else value
                _collect(values, inner, before if inner is not value else f"{full_name}.", level + 1)
            if _bare(name) in LEADING:
                values.setdefault(_bare(name), (full_name, value))
        elif not isinstance(value, list) or _bare(name) in CURSORS:
            values.setdefault(_bare(name), (full_name, value))


def _is_paging(name: str, value: Any) -> bool:
    """Return True if only a page of a list has such a member, or only a call for a page has such an argument."""
    if name in (*PAGES, *OFFSETS, *PAGE_SIZES, *LAST_PAGES):
        return _number(value) is not None
    return name in (*LEADING, *TRUE_SIGNS, *FALSE_SIGNS)


def _leads_on(name: str, value: Any, arguments: Mapping[str, Any]) -> bool:
    """Return True if the value of such a member says that there is a page after the one of these arguments."""
    if isinstance(value, dict):
        return any(value.values())
    if name in (*NEXT_PAGES, *NEXT_OFFSETS):
        return _number(value) is not None
    if isinstance(value, str) and name in LINKS:
        link = _REL_NEXT.search(value) if name == "link" else re.fullmatch(r"(\S+)", value)
        query = _query(link[1]) if link else {}
        same = [query[one] == str(argument) for one, argument in arguments.items() if one in query]
        return link is not None and not (same and all(same))
    return bool(value)


def _decoded(member: bytes) -> dict[str, Any]:
    """Return a member as an object of its own; an empty one where a number is out of every range."""
    try:
        members: dict[str, Any] = msgspec.json.decode(b"{" + member + b"}")
    except msgspec.DecodeError:
        return {}
    return members


def _query(url: str) -> dict[str, str]:
    try:
        return dict(parse_qsl(urlsplit(url).query))
    except ValueError:
        return {}


def _number(value: Any) -> int | None:
    """Return a whole number that is not negative, also from its digits."""
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _bare(name: str) -> str:
    return "".join(one for one in name.lower() if one.isalnum())
