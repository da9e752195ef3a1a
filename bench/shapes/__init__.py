"""Deterministic generators of realistic results. Read registry.py first, then any generator.

``sampler`` draws words, names, times and ids from a seed, and grows lists to a size. Results in JSON: ``services``
(forges, clusters, recordings, scanners), ``records`` (tables), ``contents`` (long, encoded or foreign texts in JSON),
``maps`` (objects keyed by data), ``schemas`` (compatibility data, API documents), ``trees`` (nesting to any depth).
Results in text: ``lines`` (logs, tables, listings), ``changes`` (git, diffs, source code, findings), ``documents``
(prose and markup), ``pairs`` (stanzas, settings, lock files, mails, SQL dumps). ``extremes`` has results that no server
should send but that the gate must survive.
"""

from __future__ import annotations

from bench.shapes import changes, contents, documents, lines, maps, pairs, records, schemas, services, trees
from bench.shapes.registry import MB, SHAPES, Shape, Texts

__all__ = [
    "MB",
    "SHAPES",
    "Shape",
    "Texts",
    "changes",
    "contents",
    "documents",
    "lines",
    "maps",
    "pairs",
    "records",
    "schemas",
    "services",
    "trees",
]
