"""A vault of Markdown notes as an MCP server whose answers stay small. Read ``tools`` first; ``app`` starts it.

``app``        the command line, and the server put together
``settings``   the file ``penstock.toml``: the vault's own defaults, beside Penstock's settings
``tools``      what a client can call, with ``searches``; ``dispatch`` the three that stand for many
``prompts``    examples of long readings, for a client that offers prompts
``progress``   tells a client how far the vault has been read while its call waits
``answers``    the metadata of every answer: one form for lists, one for text
``vault``      the folder, its index and its catalog, kept up to date
``notes``      one file: front matter, tags, title, text; ``elements`` its links, list items and inline fields
``catalog``    the names and tags of every file, in memory, and how the rest is read
``index``      everything else, in SQLite: fields, links, tasks, substrings, and words ranked by BM25
``links``      which note links to which
``passages``   what a search shows of a note
``expression`` regular expressions of a caller
``jsonlogic``  a JsonLogic rule for every note
``dataview``   Obsidian's Dataview queries
``web``        one page from a web server that the user has allowed; ``markdown`` makes Markdown of HTML
``trash``      deleted files, where they can be found again

What it shares with the other examples, as the complaints about bad arguments, is ``examples/common/server_parts``.
"""
