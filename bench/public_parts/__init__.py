"""Ask the questions of a public benchmark and judge the answers without a model. Read templates.py first.

``questions`` loads the questions and has the benchmark's metrics. ``reading`` parses the text that a model reads into
tallies, ranges, cross-tabulations and rows, and ``sql_answers`` does the same for the answer to a query. ``rules``
decides if such a text settles a question. ``templates`` has one SQL text and one rule for each template of the
benchmark. ``asking`` runs the calls and counts their tokens.
"""
