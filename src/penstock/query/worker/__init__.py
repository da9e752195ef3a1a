"""What runs inside a worker process: ``boot`` starts it, ``confine`` takes away what it does not need, ``serve`` reads
jobs and answers them. A job is ``jq_job`` or ``sql_job``, the latter with ``sql_table`` and ``sql_fault``.

Nothing here is imported by the program that asks, with one exception: tests.
"""
