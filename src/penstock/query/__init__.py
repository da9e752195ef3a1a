"""Questions about held results: jq programs, SQL and search. Nothing here knows where a result is kept.

``source``   what a question is asked of: a way to read bytes, and the index of them.
``filter``   jq:  ``program`` tells which programs can be fed by batches, ``filter`` runs them.
``sql``      SQL:  ``tables`` names the tables of a result, ``sql`` loads those that are asked for and runs the query.
``search``   text and regular expressions:  ``pattern``, ``hits``, ``place`` and ``show`` are its four steps.
``sandbox``  puts a question to a worker ``process`` of the ``pool``, which keeps tables; ``frames`` is how they speak.
``worker/``  what runs inside such a process. It is the only place where jq is imported.
"""
