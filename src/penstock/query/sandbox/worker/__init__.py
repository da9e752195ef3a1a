"""The program of a worker process: ``boot`` starts it, ``confine`` takes away what it does not need, ``serve`` reads
jobs and answers them. A job is ``jq_job`` or ``sql_job``, the latter with ``sql_table``, ``sql_column``,
``sql_words`` and ``sql_fault``. ``rows_of_text`` makes rows of a text for both; ``shelf`` keeps what was loaded for the
next job.

Nothing here is imported by the program that asks, with one exception: tests.
"""
