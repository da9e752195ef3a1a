"""Query held results: jq programs, SQL and search. Nothing here knows where a result is kept.

``source``   the held document that a query reads by positions, with its tables; ``results`` are what jq and SQL give.
``jq/``      ``program`` decides which programs can be fed by batches, ``filter`` runs them.
``sql/``     ``tables`` names the tables of a result, ``query`` loads those that a query names and runs it.
``search/``  texts and regular expressions. Read ``search`` first.
``parse/``   turns YAML, XML, HTML and TOML into JSON.
``sandbox/`` runs jq, SQL and parsers in worker processes. ``sandbox/worker/`` is what runs inside them, and the
only place where jq is imported.
"""
