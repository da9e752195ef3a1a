"""The stand-in for what is too large, made by the data's form. One file per form; ``choose.py`` picks the one.

``base.py`` says what every preview is. JSON: table, tree, matches, series. Text: log, diff, grep, csv, text.
Binary data and base64: stub.
"""
