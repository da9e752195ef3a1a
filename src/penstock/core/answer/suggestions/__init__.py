"""Calls to suggest: questions in SQL over the held tables, and narrower calls to the tool itself."""
