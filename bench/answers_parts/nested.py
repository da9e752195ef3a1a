"""Results with more structure than a list: trees, series, JSON in a fence, JSON in a string."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

from bench.answers_parts.question import (
    Result,
    Stands,
    ask,
    count_of,
    greatest_of,
    jq,
    range_end,
    result_of,
    sql,
    stands,
    total_of,
)
from bench.shapes.sampler import Sampler, compact, pretty


@result_of("tree")
def design_file() -> Result:
    """Layers of a drawing: frames hold frames, texts and shapes."""
    draw = Sampler(4201)
    count: Counter[str] = Counter()
    depths: Counter[int] = Counter()
    hidden: list[str] = []

    def node(depth: int) -> dict[str, Any]:
        kind = "FRAME" if depth < 3 else draw.choices(("FRAME", "TEXT", "RECTANGLE", "INSTANCE"), (4, 4, 3, 1))[0]
        count[kind] += 1
        depths[depth] += 1
        made: dict[str, Any] = {"id": f"{depth}:{count.total()}", "name": draw.name(2, " "), "type": kind}
        if draw.random() < 0.02:
            made["visible"] = False
            hidden.append(made["id"])
        made["bounds"] = {"x": draw.randrange(2_000), "y": draw.randrange(2_000), "width": draw.randrange(800)}
        if kind == "TEXT":
            made["characters"] = draw.words(4)
        if kind == "FRAME" and depth < 9:
            made["children"] = [node(depth + 1) for _ in range(draw.randint(4, 8) if depth < 3 else draw.randint(1, 4))]
        return made

    root = node(0)
    return Result(
        content=compact({"name": "Checkout", "lastModified": "2026-05-02T11:00:00Z", "document": root}),
        questions=(
            count_of(
                "How many text layers are there?",
                sql("SELECT count(*) FROM items WHERE type = 'TEXT'"),
                "type",
                "TEXT",
                count["TEXT"],
            ),
            total_of("How many layers in all?", sql("SELECT count(*) FROM items"), "nodes", count.total()),
            ask(
                "How deep does the nesting go?",
                sql("SELECT max(_depth) - min(_depth) + 1 AS levels FROM items"),
                [max(depths) + 1],
                first=[stands("deep", max(depths) + 1), stands("levels", max(depths) + 1)],
            ),
            count_of(
                "How many layers are hidden?",
                sql("SELECT count(*) FROM items WHERE visible = false"),
                "visible",
                "false",
                len(hidden),
            ),
        ),
    )


@result_of("series")
def water_level() -> Result:
    """One gauge, a value every ten minutes, with one short flood."""
    draw = Sampler(4202)
    points: list[dict[str, Any]] = [
        {
            "t": f"2026-03-{1 + at // 144:02}T{at % 144 // 6:02}:{at % 6 * 10:02}:00Z",
            "level_cm": round(210 + 18 * math.sin(at / 70) + draw.gauss(0, 1.5), 1),
        }
        for at in range(3_000)
    ]
    points[1_777]["level_cm"] = 391.4
    points[2_204]["level_cm"] = None
    least = min(one["level_cm"] for one in points if one["level_cm"] is not None)
    return Result(
        content=compact({"station": "Tern Bridge", "unit": "cm", "values": points}),
        questions=(
            range_end("How high was the flood?", sql("SELECT max(level_cm) FROM items"), "level_cm", "391.4"),
            greatest_of(
                "When was the water highest?",
                sql("SELECT t, level_cm FROM items ORDER BY level_cm DESC LIMIT 1"),
                "level_cm",
                points[1_777]["t"],
                "391.4",
            ),
            ask(
                "What was the lowest level?",
                sql("SELECT min(level_cm) FROM items"),
                [least],
                first=[stands("level_cm", f"{least} to")],
            ),
        ),
    )


@result_of("series")
def metric_matrix() -> Result:
    """A range query over several pods: series with labels, each a list of pairs."""
    draw = Sampler(4203)
    pods = [
        f"{service}-{draw.hex(5)}" for service in ("cart", "cart", "search", "search", "mail", "gate") for _ in range(4)
    ]
    series: list[dict[str, Any]] = []
    top: tuple[float, str] = (0.0, "")
    for pod in pods:
        base = draw.uniform(0.1, 2.0)
        values: list[list[Any]] = [[1_772_000_000 + 30 * at, f"{base + draw.random():.4f}"] for at in range(120)]
        if pod.startswith("mail"):
            values[60][1] = f"{7 + draw.random():.4f}"
        top = max(top, (max(float(value) for _, value in values), pod))
        series.append({"metric": {"__name__": "cpu", "pod": pod, "namespace": "shop"}, "values": values})
    return Result(
        content=compact({"status": "success", "data": {"resultType": "matrix", "result": series}}),
        questions=(
            ask(
                "Which pod had the highest peak?",
                jq("[.data.result[] | {pod: .metric.pod, peak: ([.values[][1] | tonumber] | max)}] | max_by(.peak)"),
                [top[1]],
            ),
            total_of("How many series are there?", jq(".data.result | length"), "result", len(pods)),
        ),
    )


@result_of("fenced JSON")
def network_requests() -> Result:
    """What a browser's tool answers: a heading, then JSON in a fence."""
    draw = Sampler(4204)
    requests: list[dict[str, Any]] = [
        {
            "method": draw.choices(("GET", "POST"), (8, 1))[0],
            "url": f"https://{draw.choice(('cdn', 'api', 'img'))}.example.org/{draw.name(1)}/{draw.hex(6)}",
            "status": draw.choices((200, 304, 404, 500), (80, 12, 5, 2))[0],
            "type": draw.choice(("script", "image", "xhr", "font")),
            "bytes": draw.randrange(200, 400_000),
        }
        for _ in range(800)
    ]
    statuses = Counter(one["status"] for one in requests)
    largest = max(requests, key=lambda one: one["bytes"])
    return Result(
        content=f"### Result\nThe page made these requests:\n\n```json\n{pretty(requests)}\n```\n\n### Page\n- URL: https://example.org/\n",
        questions=(
            count_of(
                "How many requests ended with 404?",
                sql("SELECT count(*) FROM items WHERE status = 404"),
                "status",
                404,
                statuses[404],
            ),
            greatest_of(
                "Which was the largest response?",
                sql("SELECT url, bytes FROM items ORDER BY bytes DESC LIMIT 1"),
                "bytes",
                largest["url"],
                largest["bytes"],
            ),
            total_of("How many requests were made?", sql("SELECT count(*) FROM items"), "record", len(requests)),
        ),
    )


@result_of("JSON in a string")
def stringified() -> Result:
    """A server that wraps its JSON as a text in JSON."""
    draw = Sampler(4205)
    teams = ("ink", "loom", "anvil")
    people: list[dict[str, Any]] = [
        {
            "login": f"{draw.name(1)}{at}",
            "team": draw.choices(teams, (5, 2, 1))[0],
            "joined": f"20{draw.randint(12, 25)}-0{draw.randint(1, 9)}-1{draw.randrange(10)}",
            "active": draw.random() < 0.9,
            "bio": draw.sentence(),
        }
        for at in range(900)
    ]
    by_team = Counter(str(one["team"]) for one in people)
    inactive = sum(not one["active"] for one in people)
    latest = max(str(one["joined"]) for one in people)
    return Result(
        content=json.dumps({"ok": True, "result": json.dumps(people)}),
        questions=(
            count_of(
                "How many are on the team loom?",
                jq('.result | map(select(.team == "loom")) | length'),
                "team",
                "loom",
                by_team["loom"],
            ),
            count_of(
                "How many are inactive?",
                jq(".result | map(select(.active | not)) | length"),
                "active",
                "false",
                inactive,
            ),
            range_end("When did the newest member join?", jq(".result | map(.joined) | max"), "joined", latest),
        ),
    )


@result_of("records")
def kube_pods() -> Result:
    """Pods as a cluster lists them: deep objects, arrays of containers, conditions."""
    draw = Sampler(4206)
    phases = ("Running", "Pending", "Failed", "Succeeded")
    pods: list[dict[str, Any]] = []
    for at in range(110):
        namespace = draw.choices(("shop", "ops", "data"), (5, 3, 2))[0]
        phase = draw.choices(phases, (80, 8, 5, 7))[0]
        pods.append(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    "name": f"{draw.name()}-{draw.hex(5)}",
                    "namespace": namespace,
                    "creationTimestamp": draw.stamp(at, 9_000),
                    "labels": {"app": draw.name(1), "pod-template-hash": draw.hex(9)},
                    "uid": draw.uuid(),
                },
                "spec": {
                    "nodeName": f"node-{draw.randrange(6)}",
                    "containers": [
                        {
                            "name": draw.name(1),
                            "image": f"registry.example/{draw.name(1)}:{draw.version()}",
                            "resources": {},
                        }
                        for _ in range(draw.randint(1, 3))
                    ],
                    "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists"}],
                },
                "status": {
                    "phase": phase,
                    "podIP": draw.address(),
                    "containerStatuses": [
                        {"name": "main", "ready": phase == "Running", "restartCount": draw.choice((0, 0, 0, 1, 7))}
                    ],
                    "conditions": [{"type": "Ready", "status": str(phase == "Running"), "message": draw.words(9)}],
                },
            }
        )
    phase_count = Counter(one["status"]["phase"] for one in pods)
    nodes = Counter(one["spec"]["nodeName"] for one in pods)
    node, number = nodes.most_common(1)[0]
    wanted = pods[61]
    failed = [one["metadata"]["name"] for one in pods if one["status"]["phase"] == "Failed"]
    return Result(
        content=pretty({"apiVersion": "v1", "kind": "List", "items": pods}, 4),
        questions=(
            count_of(
                "How many pods are pending?",
                sql("SELECT count(*) FROM items WHERE \"status.phase\" = 'Pending'"),
                "phase",
                "Pending",
                phase_count["Pending"],
            ),
            ask(
                "Which pods have failed?",
                sql('SELECT "metadata.name" FROM items WHERE "status.phase" = \'Failed\''),
                *([name] for name in failed),
                first=[tuple(Stands("phase", (name, "Failed")) for name in failed)],
            ),
            ask(
                "Which node runs most pods?",
                sql('SELECT "spec.nodeName", count(*) FROM items GROUP BY 1 ORDER BY 2 DESC LIMIT 1'),
                [number],
                first=[stands("nodeName", node, number)],
            ),
            ask(
                f"What is the address of the pod {wanted['metadata']['name']}?",
                sql(f'SELECT "status.podIP" FROM items WHERE "metadata.name" = \'{wanted["metadata"]["name"]}\''),
                [wanted["status"]["podIP"]],
            ),
        ),
    )
