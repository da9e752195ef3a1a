"""SARIF, the report that gosec, semgrep, gitleaks, trivy, CodeQL and most other engines can write.

Only the place, the rule, its words and its weight are read: snippets of code, in which secrets may stand, are not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from security_server.engines.base import Read
from security_server.finding import Raw

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from security_server.finding import Severity

# CVSS scores, as `security-severity` of a rule: https://www.first.org/cvss/v3.1/specification-document, section 5
SCORES: Final[tuple[tuple[float, Severity], ...]] = ((9.0, "CRITICAL"), (7.0, "HIGH"), (4.0, "MEDIUM"), (0.0, "LOW"))
LEVELS: Final[Mapping[str, Severity]] = {"error": "HIGH", "warning": "MEDIUM", "note": "LOW", "none": "LOW"}
HARMLESS: Final = ("pass", "notApplicable", "informational")
_CWE: Final = re.compile(r"cwe[-/ ]*0*(\d+)", re.IGNORECASE)


def read(report: Any) -> Read:
    """Read a report, whichever engines wrote it."""
    parts = [_read(run) for run in report["runs"]]
    return Read(
        raws=[raw for part in parts for raw in part.raws], unread=[one for part in parts for one in part.unread]
    )


def _read(run: Any) -> Read:
    """Read one run. Results that were suppressed, or that report no problem, are left out; those without a place in a
    file are counted as unread."""
    raws: list[Raw] = []
    unread: list[str] = []
    rules, bases = _rules(run["tool"]), run.get("originalUriBaseIds", {})
    for result in run.get("results") or ():
        if result.get("kind", "fail") in HARMLESS or _is_suppressed(result):
            continue
        rule = _rule_of(result, rules)
        places = list(_places(result, bases))
        if not places:
            unread.append(str(result.get("ruleId", "a result")))
        raws += (_raw(result, rule, file, line) for file, line in places[:1])
    return Read(raws=raws, unread=unread)


def _raw(result: Any, rule: Mapping[str, Any], file: str, line: int) -> Raw:
    name = str(result.get("ruleId") or rule.get("id") or "unnamed")
    message = result.get("message", {}).get("text") or _text(rule, "shortDescription") or name
    return Raw(
        file=file,
        line=line,
        rule=name,
        title=_title(rule, name),
        message=message,
        severity=_severity(result, rule),
        confidence=None,
        cwe=_cwe(rule),
    )


def _rules(tool: Any) -> list[Mapping[str, Any]]:
    return [rule for part in (tool["driver"], *(tool.get("extensions") or ())) for rule in part.get("rules") or ()]


def _rule_of(result: Any, rules: list[Mapping[str, Any]]) -> Mapping[str, Any]:
    name, number = result.get("ruleId"), result.get("ruleIndex", -1)
    if isinstance(number, int) and 0 <= number < len(rules) and rules[number].get("id") in (name, None):
        return rules[number]
    return next((rule for rule in rules if rule.get("id") == name), {})


def _severity(result: Any, rule: Mapping[str, Any]) -> Severity:
    for properties in (result.get("properties") or {}, rule.get("properties") or {}):
        try:
            score = float(properties["security-severity"])
        except (LookupError, TypeError, ValueError):
            continue
        return next(severity for least, severity in SCORES if score >= least or not least)
    level = result.get("level") or (rule.get("defaultConfiguration") or {}).get("level") or "warning"
    return LEVELS.get(level, "MEDIUM")


def _cwe(rule: Mapping[str, Any]) -> int | None:
    """Return the weakness of a rule: from its tags, or from the taxonomy that it refers to."""
    properties = rule.get("properties") or {}
    words = [*(properties.get("tags") or ()), *_list(properties.get("cwe"))]
    for relation in rule.get("relationships") or ():
        target = relation.get("target", {})
        words.append(f"{target.get('toolComponent', {}).get('name', '')}-{target.get('id', '')}")
    matches = (_CWE.search(str(word)) for word in words)
    return next((int(match[1]) for match in matches if match), None)


def _places(result: Any, bases: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for location in result.get("locations") or ():
        physical = location.get("physicalLocation") or {}
        artifact = physical.get("artifactLocation") or {}
        if uri := artifact.get("uri"):
            base = (bases.get(artifact.get("uriBaseId", "")) or {}).get("uri") or ""
            yield _path(uri if urlsplit(uri).scheme == "file" else f"{base}{uri}"), _line(physical)


def _line(physical: Any) -> int:
    return int((physical.get("region") or {}).get("startLine") or 1)


def _path(uri: str) -> str:
    """Return the path of an address; one without a scheme is relative to the folder that was scanned."""
    parts = urlsplit(uri)
    return url2pathname(parts.path) if parts.scheme == "file" else unquote(parts.path)


def _is_suppressed(result: Any) -> bool:
    return any(one.get("status", "accepted") == "accepted" for one in result.get("suppressions") or ())


def _title(rule: Mapping[str, Any], name: str) -> str:
    """Return what a rule is about: some engines repeat its id as its name."""
    words = (str(rule.get("name") or ""), _text(rule, "shortDescription"))
    return next((one for one in words if one not in ("", name)), name)


def _text(rule: Mapping[str, Any], name: str) -> str:
    return str((rule.get(name) or {}).get("text") or "")


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
