"""Compute again what a notice says. Read judge.py first: it takes a payload through a gate and judges all statements.

``wording`` reads values and tallies as they are written in lines; ``report`` has the statements and their classes.
``documents`` finds rows in JSON and ``texts`` in text, with plain json, csv and re; ``trees`` and ``shapes`` do so for
nesting; ``columns`` compares one line with the cells of one column; ``own_lines`` compares the lines that only one form
has, ``crossed`` what is said of two columns together; ``offers`` makes every offered call.
"""
