"""Pure budget logic: values in, values out. No I/O, clock, randomness, logging or async.

Read ``fit.py`` first; it makes the one decision and calls the rest.
"""
