"""What a model reads first about generated documents of every form, kept as text files.

Run ``python -m tests.notices`` to rewrite the files. The diff then shows what a model will read differently.
"""
