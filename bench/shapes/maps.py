"""Objects keyed by data: ids, paths, versions, translations, or thousands of places with nothing in common."""

from __future__ import annotations

from typing import Any, Final

from bench.shapes.registry import KB, MB, shape
from bench.shapes.sampler import NAMES, WORDS, Sampler, compact, grow, pretty, spaced

ROOMS: Final = ("kitchen", "hall", "bath", "attic", "cellar", "garage", "office", "garden", "bedroom", "stairs")
DOMAINS: Final[dict[str, dict[str, Any]]] = {
    "sensor": {"unit_of_measurement": "°C", "state_class": "measurement", "device_class": "temperature"},
    "light": {"supported_color_modes": ["brightness", "color_temp"], "brightness": 180, "min_mireds": 153},
    "switch": {"current_power_w": 12.5},
    "climate": {"hvac_modes": ["off", "heat", "auto"], "min_temp": 7, "max_temp": 35, "current_temperature": 21.4},
    "binary_sensor": {"device_class": "motion"},
}


@shape("json", 250 * KB, 2 * MB)
def home_entities(size: int) -> str:
    """Make a home's entities by id: state, attributes that depend on the domain, context."""
    draw = Sampler(41)

    def entity(number: int) -> tuple[str, dict[str, Any]]:
        domain = draw.choice(list(DOMAINS))
        name = f"{domain}.{draw.choice(ROOMS)}_{draw.name(2, '_')}_{number}"
        attributes = {**DOMAINS[domain], "friendly_name": draw.words(3).title(), "icon": draw.maybe("mdi:flash", 0.2)}
        return name, {
            "entity_id": name,
            "state": draw.choice(["on", "off", "unavailable", f"{draw.random() * 30:.1f}"]),
            "attributes": attributes,
            "last_changed": draw.stamp(number),
            "last_updated": draw.stamp(number),
            "context": {"id": draw.token(26), "parent_id": None, "user_id": draw.maybe(draw.hex(32), 0.1)},
        }

    return compact(dict(grow(size, entity)))


@shape("json", 300 * KB, 2 * MB)
def package_lock(size: int) -> str:
    """Make a lock file: a map of packages by path, most of whose fields are in few of them."""
    draw = Sampler(42)

    def names(most: int) -> dict[str, str]:
        return {draw.name(): f"^{draw.version()}" for _ in range(draw.randint(1, most))}

    def package(number: int) -> tuple[str, dict[str, Any]]:
        name = draw.name() if draw.random() < 0.7 else f"@{draw.name(1)}/{draw.name()}"
        version = draw.version()
        sparse = {
            "dev": (0.6, True),
            "optional": (0.1, True),
            "peer": (0.05, True),
            "license": (0.8, draw.choice(["MIT", "ISC", "Apache-2.0"])),
            "dependencies": (0.5, names(6)),
            "peerDependencies": (0.15, names(3)),
            "bin": (0.1, {name: "bin/cli.js"}),
            "engines": (0.6, {"node": f">={draw.randrange(8, 20)}"}),
            "os": (0.03, ["linux"]),
            "hasInstallScript": (0.02, True),
            "deprecated": (0.03, draw.sentence()),
        }
        fields = {
            "version": version,
            "resolved": f"https://registry.example/{name}/-/{name}-{version}.tgz",
            "integrity": f"sha512-{draw.token(86)}==",
            **{field: value for field, (chance, value) in sparse.items() if draw.random() < chance},
        }
        return f"node_modules/{name}-{number}", fields

    root = {"name": "kestrel", "version": "1.0.0", "dependencies": names(20), "devDependencies": names(20)}
    packages = {"": root, **dict(grow(size, package, pretty))}
    return pretty({"name": "kestrel", "version": "1.0.0", "lockfileVersion": 3, "packages": packages})


@shape("json", 150 * KB, 1 * MB)
def package_releases(size: int) -> str:
    """Make a registry's page of one package: a map of versions, each an array of one to nine files."""
    draw = Sampler(43)

    def file(version: str, tag: str) -> dict[str, Any]:
        name = f"heron-{version}-{tag}.whl"
        return {
            "filename": name,
            "digests": {"md5": draw.hex(32), "sha256": draw.hex(64)},
            "size": draw.randrange(10**6),
            "requires_python": draw.choice([None, ">=3.9"]),
            "upload_time_iso_8601": draw.stamp(),
            "url": f"https://files.example/packages/{draw.hex(2)}/{draw.hex(60)}/{name}",
            "yanked": False,
            "yanked_reason": None,
        }

    def release(number: int) -> tuple[str, list[dict[str, Any]]]:
        version = f"{number // 40}.{number // 6 % 7}.{number % 6}"
        return version, [file(version, draw.name(3, "_")) for _ in range(draw.randint(1, 9))]

    info: dict[str, Any] = {
        "name": "heron",
        "summary": draw.sentence(),
        "description": draw.paragraph(60),
        "classifiers": [],
        "bugs": None,
    }
    return compact({"info": info, "last_serial": 1, "releases": dict(grow(size, release)), "vulnerabilities": []})


@shape("json", 250 * KB, 1 * MB)
def coverage_report(size: int) -> str:
    """Make a coverage report: files by path, functions by name in each, arrays of line numbers everywhere."""
    draw = Sampler(44)

    def numbers(most: int) -> list[int]:
        return sorted(draw.sample(range(1, 2_000), draw.randrange(most)))

    def part(most: int) -> dict[str, Any]:
        executed, missing = numbers(most), numbers(most // 4)
        total = len(executed) + len(missing)
        summary = {
            "covered_lines": len(executed),
            "num_statements": total,
            "percent_covered": 100 * len(executed) / max(1, total),
            "missing_lines": len(missing),
            "excluded_lines": 0,
        }
        return {"executed_lines": executed, "summary": summary, "missing_lines": missing, "excluded_lines": []}

    def file(number: int) -> tuple[str, dict[str, Any]]:
        functions = {f"{draw.identifier()}.{draw.identifier()}": part(12) for _ in range(draw.randrange(20))}
        return f"{draw.path()[:-3]}_{number}.py", {**part(200), "functions": functions, "classes": {"": part(40)}}

    meta = {"format": 3, "version": "7.0.0", "branch_coverage": False}
    return compact({"meta": meta, "files": dict(grow(size, file)), "totals": {"percent_covered": 91.3}})


@shape("json", 400 * KB, 2 * MB)
def endpoints(size: int) -> str:
    """Make a cloud's endpoints: partitions, services by name, endpoints by region, variants; most maps are tiny."""
    draw = Sampler(45)
    regions = [
        f"{area}-{side}-{number}" for area in ("eu", "us", "ap") for side in ("north", "west") for number in (1, 2)
    ]

    def endpoint(service: str, region: str) -> dict[str, Any]:
        host = f"{service}.{region}.cloud.example"
        choices: list[dict[str, Any]] = [
            {},
            {"hostname": host, "credentialScope": {"region": region}},
            {"variants": [{"hostname": f"fips.{host}", "tags": ["fips"]}]},
            {"deprecated": True, "hostname": host},
        ]
        return draw.choice(choices)

    def service(number: int) -> tuple[str, dict[str, Any]]:
        name = f"{draw.name(2, '.')}{number}"
        return name, {"endpoints": {region: endpoint(name, region) for region in draw.some(regions, 12)}}

    def partition(name: str) -> dict[str, Any]:
        known = {region: {"description": draw.words(3)} for region in regions}
        return {"partition": name, "regions": known, "services": dict(grow(size // 3, service, spaced))}

    return spaced({"version": 3, "partitions": [partition(name) for name in ("alder", "birch", "cedar")]})


@shape("json", 350 * KB, 2 * MB)
def scalars_by_key(size: int) -> str:
    """Make one map of scalars with long keys that begin alike: durations of tests; 5,000 of them in 350 KB."""
    draw = Sampler(46)

    def duration(number: int) -> tuple[str, float]:
        return (
            f"tests/{draw.choice(NAMES)}/test_{draw.choice(NAMES)}.py::test_{draw.identifier()}[{number}]",
            draw.random(),
        )

    return pretty(dict(grow(size, duration)))


@shape("json", 200 * KB, 2 * MB)
def fixtures(size: int) -> str:
    """Make an example of every resource of an API: thousands of places, hardly two of which have the same fields."""
    draw = Sampler(47)

    def value(depth: int) -> Any:
        if depth < 4 and draw.random() < 0.25:
            return {draw.identifier(): value(depth + 1) for _ in range(draw.randint(1, 6))}
        if depth < 4 and draw.random() < 0.08:
            return {"object": "list", "data": [resource(depth + 1, draw.identifier())], "has_more": False}
        return draw.choice([None, False, draw.randrange(10**10), draw.choice(WORDS), f"id_{draw.token(14)}", [], {}])

    def resource(depth: int, name: str) -> dict[str, Any]:
        fields = {draw.identifier(): value(depth) for _ in range(draw.randint(4, 18))}
        return {"id": f"{name[:4]}_{draw.token(14)}", "object": name, **fields}

    def example(number: int) -> tuple[str, dict[str, Any]]:
        name = f"{draw.identifier()}_{number}"
        return name, resource(0, name)

    return compact({"resources": dict(grow(size, example))})


@shape("json", 150 * KB, 1 * MB)
def translations(size: int) -> str:
    """Make the texts of a program: nested maps by area and key, a sentence at every leaf."""
    draw = Sampler(48)

    def area(number: int) -> tuple[str, dict[str, Any]]:
        def texts(depth: int) -> dict[str, Any]:
            return {
                draw.identifier(): texts(depth + 1) if depth < 3 and draw.random() < 0.3 else draw.sentence(2, 9)
                for _ in range(draw.randint(2, 8))
            }

        return f"{draw.identifier()}{number}", texts(0)

    return pretty({"en": dict(grow(size, area, pretty))})
