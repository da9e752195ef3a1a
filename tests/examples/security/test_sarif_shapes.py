"""Reports in the shape in which each engine writes them: what its rules look like, how it names files and weights."""

from __future__ import annotations

from typing import Any

import pytest

from security_server.engines import sarif

CWE = {"name": "CWE", "guid": "00000000-0000-4000-8000-000000000001"}


def place(uri: str, line: int = 3, **artifact: Any) -> list[dict[str, Any]]:
    where = {"artifactLocation": {"uri": uri, **artifact}, "region": {"startLine": line, "startColumn": 1}}
    return [{"physicalLocation": where}]


def run(name: str, rule: dict[str, Any], result: dict[str, Any], **also: Any) -> dict[str, Any]:
    return {"tool": {"driver": {"name": name, "rules": [rule]}}, "results": [{"ruleId": rule["id"], **result}], **also}


def shapes(folder: str) -> dict[str, tuple[dict[str, Any], tuple[str, str, int | None, str]]]:
    """By engine: a run with one result, and what is read of it: rule, severity, weakness, file."""
    address = f"file://{folder}"
    return {
        "gosec": (
            run(
                "gosec",
                {
                    "id": "G204",
                    "name": "a command of parts",
                    "properties": {"precision": "high", "tags": ["security", "HIGH"]},
                    "relationships": [{"target": {"id": "78", "toolComponent": CWE}, "kinds": ["superset"]}],
                },
                {"level": "error", "message": {"text": "a command"}, "ruleIndex": 0,
                 "locations": place("main.go", uriBaseId="%SRCROOT%")},
            ),
            ("G204", "HIGH", 78, "main.go"),
        ),
        "semgrep": (
            run(
                "Semgrep OSS",
                {
                    "id": "rules.eval-use",
                    "name": "rules.eval-use",
                    "defaultConfiguration": {"level": "error"},
                    "shortDescription": {"text": "Semgrep Finding: rules.eval-use"},
                    "properties": {"precision": "very-high", "tags": ["CWE-95: eval injection", "security"]},
                },
                {"message": {"text": "text is run as code"}, "properties": {},
                 "fingerprints": {"matchBasedId/v1": "requires login"},
                 "locations": place("web/app.js", uriBaseId="%SRCROOT%")},
            ),
            ("rules.eval-use", "HIGH", 95, "web/app.js"),
        ),
        "gitleaks": (
            run(
                "gitleaks",
                {"id": "generic-api-key", "shortDescription": {"text": "a key, perhaps"}},
                {"message": {"text": "generic-api-key has detected a secret"}, "properties": {"tags": []},
                 "partialFingerprints": {"commitSha": ""}, "locations": place("settings.py")},
            ),
            ("generic-api-key", "MEDIUM", None, "settings.py"),
        ),
        "trivy": (
            run(
                "Trivy",
                {
                    "id": "AVD-AWS-0086",
                    "name": "Misconfiguration",
                    "defaultConfiguration": {"level": "error"},
                    "properties": {"precision": "very-high", "security-severity": "8.0", "tags": ["security", "HIGH"]},
                },
                {"level": "error", "message": {"text": "a bucket that all can read"}, "ruleIndex": 0,
                 "locations": place("main.tf", uriBaseId="ROOTPATH")},
                originalUriBaseIds={"ROOTPATH": {"uri": f"{address}/"}},
            ),
            ("AVD-AWS-0086", "HIGH", None, f"{folder}/main.tf"),
        ),
        "bandit": (
            run(
                "Bandit",
                {"id": "B602", "name": "subprocess_popen_with_shell_equals_true"},
                {"level": "error", "message": {"text": "a shell"}, "ruleIndex": 0,
                 "properties": {"issue_confidence": "HIGH", "issue_severity": "HIGH"},
                 "locations": place(f"{address}/pay.py")},
            ),
            ("B602", "HIGH", None, f"{folder}/pay.py"),
        ),
        "eslint": (
            run(
                "ESLint",
                {
                    "id": "security/detect-eval-with-expression",
                    "shortDescription": {"text": "eval of what is not a text"},
                    "properties": {"category": "Possible Security Vulnerability"},
                },
                {"level": "warning", "message": {"text": "eval"}, "ruleIndex": 0,
                 "locations": place(f"{address}/web/app%20two.js", index=0)},
            ),
            ("security/detect-eval-with-expression", "MEDIUM", None, f"{folder}/web/app two.js"),
        ),
        "flawfinder": (
            run(
                "Flawfinder",
                {
                    "id": "FF1001",
                    "name": "buffer/strcpy",
                    "defaultConfiguration": {"level": "error"},
                    "relationships": [{"target": {"id": "CWE-120", "toolComponent": CWE}, "kinds": ["relevant"]}],
                },
                {"level": "error", "message": {"text": "no look at the length"}, "rank": 0.8,
                 "locations": place("c/copy.c", uriBaseId="SRCROOT")},
            ),
            ("FF1001", "HIGH", 120, "c/copy.c"),
        ),
        "codeql": (
            {
                "tool": {
                    "driver": {"name": "CodeQL", "rules": []},
                    "extensions": [
                        {
                            "name": "codeql/javascript-queries",
                            "rules": [
                                {
                                    "id": "js/code-injection",
                                    "name": "js/code-injection",
                                    "shortDescription": {"text": "Code injection"},
                                    "properties": {"security-severity": "9.3", "tags": ["external/cwe/cwe-094"]},
                                }
                            ],
                        }
                    ],
                },
                "results": [
                    {
                        "ruleId": "js/code-injection",
                        "rule": {"id": "js/code-injection", "index": 0, "toolComponent": {"index": 0}},
                        "message": {"text": "a request is run as code"},
                        "locations": place("web/app.js", uriBaseId="%SRCROOT%", index=0),
                        "codeFlows": [{"threadFlows": []}],
                    }
                ],
            },
            ("js/code-injection", "CRITICAL", 94, "web/app.js"),
        ),
    }  # fmt: skip


@pytest.mark.parametrize("engine", shapes("/code"))
def test_a_report_is_read_in_the_shape_that_its_engine_writes(engine: str) -> None:
    shape, expected = shapes("/code")[engine]
    (raw,) = sarif.read({"runs": [shape]}).raws
    assert (raw.rule, raw.severity, raw.cwe, raw.file, raw.line) == (*expected, 3)
