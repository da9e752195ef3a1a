"""Parsers of other languages: YAML, XML, HTML, TOML and Python literals become JSON, with its tables, paths and pages.

``convert``    what the gate hands to core: asks a worker process of admissions' own, never one that answers queries.
``serve``      what runs in that process, started by ``boot``; ``refusal`` is how a parser says no.
``from_yaml``  rapidyaml.  ``from_xml``  expat, of the standard library.  ``from_html``  lexbor, by selectolax.
``from_toml``  tomllib, of the standard library.  ``from_python``  the spellings of Python's literals.

A parser takes a text whole or refuses it: a text that is refused stays plain text, and nothing is lost.
"""
