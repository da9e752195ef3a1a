"""A memory for models as an MCP server whose answers keep their budget. Read ``tools`` first; ``app`` starts it.

``app``         the command line, and the server put together
``settings``    the file ``penstock.toml``: the memory's own defaults, beside Penstock's settings
``tools``       what a client can call
``answer``      chunks written as one text within a budget: 60/30/10, pages, cuts, the header
``retrieve``    which chunks a task needs: by words, by links, by neighbourhood
``words``       a task in any words as a query that is never a syntax error
``library``     sessions and their chunks: store, list, read
``folder``      the files that every session sees, chunked, kept up to date
``chunks``      a file cut into chunks; the links in a text
``database``    the SQLite file: its tables, who may write and who may read

What it shares with the other examples, as the complaints about bad arguments, is ``examples/common/server_parts``.
"""
