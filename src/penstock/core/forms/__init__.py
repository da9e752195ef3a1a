"""Reads a document as tables, by its form. Read document.py first."""
