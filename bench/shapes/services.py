"""Answers of services: a forge, a cluster, a browser's recording, security scanners, a plan of an infrastructure."""

from __future__ import annotations

from typing import Any, Final

from bench.shapes.registry import KB, MB, shape
from bench.shapes.sampler import NAMES, Sampler, compact, grow, pretty, spaced

API: Final = "https://api.forge.example"
WEB: Final = "https://forge.example"
USER_LINKS: Final = ("followers", "following", "gists", "starred", "subscriptions", "organizations", "repos", "events")
REPOSITORY_LINKS: Final = (  # written as one text: three dozen quoted names would fill a page
    "forks keys collaborators teams hooks issue_events events assignees branches tags blobs git_tags git_refs trees "
    "statuses languages stargazers contributors subscribers subscription commits git_commits comments issue_comment "
    "contents compare merges archive downloads issues pulls milestones notifications labels releases deployments"
)
SEVERITIES: Final = ("LOW", "MEDIUM", "HIGH", "CRITICAL")


def forge_user(draw: Sampler) -> dict[str, Any]:
    login = draw.name()
    links = {f"{link}_url": f"{API}/users/{login}/{link}" for link in USER_LINKS}
    return {
        "login": login,
        "id": draw.randrange(10**8),
        "node_id": draw.token(16),
        "avatar_url": f"https://avatars.forge.example/u/{draw.randrange(10**8)}?v=4",
        "gravatar_id": "",
        "url": f"{API}/users/{login}",
        "html_url": f"{WEB}/{login}",
        **links,
        "type": "User",
        "site_admin": False,
    }


def forge_repository(draw: Sampler, owner: dict[str, Any]) -> dict[str, Any]:
    name = draw.name()
    place = f"{API}/repos/{owner['login']}/{name}"
    return {
        "id": draw.randrange(10**9),
        "node_id": draw.token(20),
        "name": name,
        "full_name": f"{owner['login']}/{name}",
        "private": False,
        "owner": owner,
        "html_url": f"{WEB}/{owner['login']}/{name}",
        "description": draw.maybe(draw.sentence()),
        "fork": draw.random() < 0.3,
        "url": place,
        **{f"{link}_url": f"{place}/{link}{{/id}}" for link in REPOSITORY_LINKS.split()},
        "created_at": draw.stamp(),
        "pushed_at": draw.stamp(900),
        "homepage": None,
        "size": draw.randrange(10**6),
        "stargazers_count": draw.randrange(9_000),
        "language": draw.choice(["Python", "Go", "TypeScript", None]),
        "has_issues": True,
        "archived": False,
        "open_issues_count": draw.randrange(400),
        "license": draw.maybe({"key": "mit", "name": "MIT License", "spdx_id": "MIT", "url": f"{API}/licenses/mit"}),
        "topics": draw.some(NAMES, 5),
        "visibility": "public",
        "default_branch": "main",
    }


def forge_branch(draw: Sampler) -> dict[str, Any]:
    user = forge_user(draw)
    branch = draw.name(3)
    label = f"{user['login']}:{branch}"
    repository = forge_repository(draw, user)
    return {"label": label, "ref": branch, "sha": draw.hex(40), "user": user, "repo": repository}


@shape("json", 150 * KB, 2 * MB)
def pull_requests(size: int) -> str:
    """Make pull requests as a forge's API lists them: nested users and repositories, dozens of links, nulls."""
    draw = Sampler(11)

    def request(number: int) -> dict[str, Any]:
        place = f"{API}/repos/alder/heron/pulls/{9_000 - number}"
        label = {"id": 1, "name": draw.choice(NAMES), "color": draw.hex(6), "default": False, "description": None}
        return {
            "url": place,
            "id": draw.randrange(10**9),
            "node_id": draw.token(20),
            "html_url": f"{WEB}/alder/heron/pull/{9_000 - number}",
            **{f"{link}_url": f"{place}/{link}" for link in ("diff", "patch", "issue", "commits", "comments")},
            "number": 9_000 - number,
            "state": draw.choice(["open", "closed"]),
            "locked": False,
            "title": draw.sentence(3, 9),
            "user": forge_user(draw),
            "body": draw.maybe(draw.paragraph(6), 0.8),
            "created_at": draw.stamp(number),
            "updated_at": draw.stamp(number + 3),
            "closed_at": draw.maybe(draw.stamp(number + 9)),
            "merged_at": draw.maybe(draw.stamp(number + 9), 0.3),
            "merge_commit_sha": draw.hex(40),
            "assignee": draw.maybe(forge_user(draw), 0.2),
            "requested_reviewers": [forge_user(draw) for _ in range(draw.randrange(3))],
            "labels": [label] * draw.randrange(3),
            "milestone": None,
            "draft": draw.random() < 0.1,
            "head": forge_branch(draw),
            "base": forge_branch(draw),
            "author_association": draw.choice(["MEMBER", "CONTRIBUTOR", "NONE"]),
            "auto_merge": None,
        }

    return compact(grow(size, request))


def container(draw: Sampler, name: str) -> dict[str, Any]:
    probe = {"httpGet": {"path": "/healthz", "port": 8_080, "scheme": "HTTP"}, "periodSeconds": 10}
    return {
        "name": name,
        "image": f"registry.example/{name}:{draw.version()}",
        "imagePullPolicy": "IfNotPresent",
        "ports": [{"containerPort": 8_080, "name": "http", "protocol": "TCP"}],
        "env": [{"name": draw.identifier().upper(), "value": draw.words(2)} for _ in range(draw.randrange(8))],
        "resources": {"limits": {"cpu": "500m", "memory": "512Mi"}, "requests": {"cpu": "50m", "memory": "128Mi"}},
        **({"livenessProbe": probe, "readinessProbe": probe} if draw.random() < 0.7 else {}),
        "volumeMounts": [{"mountPath": "/var/run/secrets", "name": f"token-{draw.hex(5)}", "readOnly": True}],
    }


@shape("json", 200 * KB, 2 * MB)
def pods(size: int) -> str:
    """Make the list of a cluster's pods, as ``kubectl get pods -o json`` prints it."""
    draw = Sampler(12)

    def condition(name: str) -> dict[str, Any]:
        return {"lastProbeTime": None, "lastTransitionTime": draw.stamp(), "status": "True", "type": name}

    def container_status(name: str) -> dict[str, Any]:
        waiting = {"waiting": {"reason": "CrashLoopBackOff", "message": draw.sentence()}}
        return {
            "containerID": f"containerd://{draw.hex(64)}",
            "image": f"registry.example/{name}:{draw.version()}",
            "name": name,
            "ready": True,
            "restartCount": draw.randrange(9),
            "state": waiting if draw.random() < 0.1 else {"running": {"startedAt": draw.stamp()}},
            "lastState": {},
        }

    def pod(_: int) -> dict[str, Any]:
        app = draw.name()
        names = [app, "proxy"][: draw.randint(1, 2)]
        owner = {"apiVersion": "apps/v1", "controller": True, "kind": "ReplicaSet", "name": f"{app}-{draw.hex(9)}"}
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "annotations": {f"{draw.name(1)}.example/checksum": draw.hex(64) for _ in range(draw.randrange(3))},
                "creationTimestamp": draw.stamp(),
                "generateName": f"{owner['name']}-",
                "labels": {"app": app, "pod-template-hash": draw.hex(9), "tier": draw.choice(["web", "data"])},
                "name": f"{owner['name']}-{draw.hex(5)}",
                "namespace": draw.choice(NAMES),
                "ownerReferences": [owner],
                "resourceVersion": str(draw.randrange(10**8)),
                "uid": draw.uuid(),
            },
            "spec": {
                "containers": [container(draw, name) for name in names],
                "dnsPolicy": "ClusterFirst",
                "nodeName": f"node-{draw.randrange(40)}",
                "restartPolicy": "Always",
                "securityContext": {},
                "tolerations": [{"effect": "NoExecute", "key": "node.kubernetes.io/not-ready", "operator": "Exists"}],
                "volumes": [{"name": "config", "configMap": {"defaultMode": 420, "name": app}}],
            },
            "status": {
                "conditions": [condition(name) for name in ("Initialized", "Ready", "ContainersReady")],
                "containerStatuses": [container_status(name) for name in names],
                "hostIP": draw.address(),
                "phase": draw.choice(["Running", "Running", "Running", "Pending", "Failed"]),
                "podIPs": [{"ip": draw.address()}],
                "qosClass": "Burstable",
                "startTime": draw.stamp(),
            },
        }

    items = grow(size, pod, lambda value: pretty(value, 6))  # wider, for the two levels around a pod
    return pretty({"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}}, 4)


@shape("json", 300 * KB, 3 * MB)
def har(size: int) -> str:
    """Make a browser's recording of requests, with headers as lists of pairs and some bodies."""
    draw = Sampler(13)
    names = ["accept", "content-type", "user-agent", "cache-control", "etag", "referer", "x-request-id", "vary"]

    def headers() -> list[dict[str, str]]:
        return [{"name": name, "value": draw.words(draw.randint(1, 6))} for name in draw.some(names, 8)]

    def entry(number: int) -> dict[str, Any]:
        query = [{"name": draw.choice(NAMES), "value": draw.token(8)} for _ in range(draw.randrange(3))]
        url = f"https://{draw.choice(NAMES)}.example/{draw.name(2, '/')}?{'&'.join(pair['name'] for pair in query)}"
        text = {"text": compact([{"id": draw.uuid(), "title": draw.sentence()} for _ in range(8)])}
        return {
            "startedDateTime": draw.moment(number, 0.2).isoformat(),
            "time": round(draw.random() * 800, 3),
            "request": {
                "method": draw.choice(["GET", "GET", "GET", "POST"]),
                "url": url,
                "httpVersion": "HTTP/2.0",
                "headers": headers(),
                "queryString": query,
                "cookies": [],
                "headersSize": -1,
                "bodySize": 0,
            },
            "response": {
                "status": draw.choice([200, 200, 200, 204, 304, 404, 500]),
                "statusText": "",
                "httpVersion": "HTTP/2.0",
                "headers": headers(),
                "cookies": [],
                "content": {"size": draw.randrange(90_000), "mimeType": "application/json", **(draw.maybe(text) or {})},
                "redirectURL": "",
            },
            "cache": {},
            "timings": {step: round(draw.random() * 90, 3) for step in ("blocked", "dns", "send", "wait", "receive")},
            "serverIPAddress": draw.address(),
        }

    entries = grow(size, entry, lambda value: pretty(value, 3))  # wider, for the two levels around an entry
    creator = {"name": "recorder", "version": "1.2"}
    return pretty({"log": {"version": "1.2", "creator": creator, "pages": [], "entries": entries}})


@shape("json", 200 * KB, 2 * MB)
def sarif(size: int) -> str:
    """Make a static analyser's report: runs, each with its rules and its results."""
    draw = Sampler(14)
    rule_ids = [f"{draw.choice(['sec', 'bug', 'perf'])}/{draw.name()}" for _ in range(60)]

    def place() -> dict[str, Any]:
        line = draw.randrange(1, 900)
        region = {"startLine": line, "startColumn": draw.randrange(1, 40), "endLine": line + draw.randrange(3)}
        snippet = {"text": f"    {draw.identifier()} = {draw.identifier()}({draw.identifier()})\n"}
        where = {"uri": draw.path(), "uriBaseId": "%SRCROOT%"}
        return {"physicalLocation": {"artifactLocation": where, "region": {**region, "snippet": snippet}}}

    def finding(_: int) -> dict[str, Any]:
        flow = {"threadFlows": [{"locations": [{"location": place()} for _ in range(draw.randint(2, 5))]}]}
        return {
            "ruleId": draw.choice(rule_ids),
            "ruleIndex": draw.randrange(60),
            "level": draw.choice(["note", "warning", "error"]),
            "message": {"text": draw.sentence()},
            "locations": [place()],
            "partialFingerprints": {"primaryLocationLineHash": f"{draw.hex(16)}:1"},
            **({"codeFlows": [flow]} if draw.random() < 0.2 else {}),
        }

    def rule(name: str) -> dict[str, Any]:
        short = {"text": draw.sentence()}
        return {"id": name, "shortDescription": short, "help": {"text": draw.paragraph(4)}, "properties": {"tags": []}}

    def run(name: str) -> dict[str, Any]:
        driver = {"name": name, "version": draw.version(), "rules": [rule(one) for one in rule_ids]}
        return {"tool": {"driver": driver}, "results": grow(size // 2, finding), "columnKind": "utf16CodeUnits"}

    return compact({"version": "2.1.0", "runs": [run("linden"), run("osprey")]})


@shape("json", 250 * KB, 3 * MB)
def vulnerabilities(size: int) -> str:
    """Make a scanner's findings nested by source and package: ``results[].packages[].vulnerabilities[]``."""
    draw = Sampler(15)

    def vulnerability() -> dict[str, Any]:
        events = [{"introduced": "0"}, {"fixed": draw.version()}]
        versions = [draw.version() for _ in range(draw.randrange(40))]
        return {
            "id": f"ADV-2026-{draw.randrange(10**4):04d}",
            "summary": draw.sentence(),
            "details": draw.paragraph(draw.randint(2, 12)),
            "aliases": [f"CVE-2026-{draw.randrange(10**5)}"],
            "published": draw.stamp(),
            "affected": [{"ranges": [{"type": "SEMVER", "events": events}], "versions": versions}],
            "references": [{"type": "WEB", "url": f"{WEB}/advisories/{draw.hex(12)}"} for _ in range(4)],
            "database_specific": {"severity": draw.choice(SEVERITIES), "cwe_ids": [f"CWE-{draw.randrange(999)}"]},
        }

    def package() -> dict[str, Any]:
        found = [vulnerability() for _ in range(draw.randint(1, 9))]
        name = {"name": draw.name(), "version": draw.version(), "ecosystem": draw.choice(["npm", "PyPI", "Go"])}
        return {"package": name, "vulnerabilities": found, "groups": [{"ids": [one["id"]]} for one in found]}

    def result(_: int) -> dict[str, Any]:
        source = {"path": f"/{draw.path('lock')}", "type": "lockfile"}
        return {"source": source, "packages": [package() for _ in range(draw.randint(1, 8))]}

    return spaced({"results": grow(size, result, spaced), "experimental_config": {"licenses": {"summary": False}}})


@shape("json", 400 * KB, 2 * MB)
def infrastructure_plan(size: int) -> str:
    """Make a plan of changes: every resource has its state before and after, with fields of its own type."""
    draw = Sampler(16)
    fields = {f"cloud_{kind}": draw.sample([draw.identifier() for _ in range(400)], 25) for kind in NAMES}

    def state(kind: str) -> dict[str, Any]:
        tags = {"tags": {draw.choice(NAMES): draw.words(1) for _ in range(3)}, "timeouts": None}
        blocks = {f"{draw.identifier()}_block": [{name: draw.words(1) for name in fields[kind][:4]}]}
        plain: dict[str, Any] = {
            name: draw.choice([None, True, draw.token(12), draw.randrange(99), []]) for name in fields[kind]
        }
        return {**plain, **blocks, **tags}

    def change(number: int) -> dict[str, Any]:
        kind = draw.choice(list(fields))
        return {
            "address": f"module.{draw.name(1)}.{kind}.{draw.name()}[{number}]",
            "type": kind,
            "provider_name": "registry.example/cloud",
            "change": {
                "actions": draw.choice([["no-op"], ["create"], ["update"], ["delete", "create"]]),
                "before": state(kind),
                "after": state(kind),
                "after_unknown": dict.fromkeys(draw.some(fields[kind], 5), True),
            },
        }

    values: dict[str, Any] = {"root_module": {"resources": []}}
    return compact({"format_version": "1.2", "planned_values": values, "resource_changes": grow(size, change)})
