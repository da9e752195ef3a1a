"""A server for a folder of code, with answers that are buffered when they are too large or too deep.

``app``         the command line, and the server put together
``settings``    the settings file: the buffer's own names, turned into Penstock's
``folder``      the files, and which paths are inside
``search``      ``search_text``
``language``    the language server: a process, its start, its end, and what is asked of it
``references``  searches for the uses of a name, which go on when their caller has a first answer
``shapes``      what a language server answers, as the JSON that a model reads
``tools``       the four tools
``buffering``   Penstock's middleware, with stand-ins in the form that is made in ``stand_in``

What it shares with the other examples, as the complaints about bad arguments, is ``examples/common/server_parts``.
"""
