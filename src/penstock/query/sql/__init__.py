"""Run SQL: ``names`` makes names that SQLite tells apart, ``tables`` gives them to tables, ``query`` runs a query."""
