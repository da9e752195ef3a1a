"""MCP as seen from the middle, without I/O: lines in, commands out. Read ``exchange`` first.

``lines``          chunks of bytes become whole lines, in linear time whatever their length
``jsonrpc``        the envelope of a message: its id, its method, its parts, all in their original bytes
``exchange``       one connection, and what is answered here: the gate's answers, timeouts, the upstream's end
``from_client``    what becomes of the client's lines
``from_upstream``  what becomes of the upstream's
``state``          who waits for what; ``known`` has what the upstream told of its tools and tasks
``commands``       what an exchange asks its driver to do
``results``        where the payload sits in an answer to each method, and the way back
``stand_in``       what the gate gave for a held result, in the form of another method, in no more room
``listing``        ``tools/list`` and capabilities with our tool in them
``tools``          ``fetch_cached_response``: its definition
``router``         several upstreams behind one connection: ``homes`` has who has what, ``gathering`` a question to
                   all of them, ``joining`` their answers put together

An exchange holds no lock and no file. It is driven by two reading threads and some workers; each request is answered
by whoever takes it out of ``waiting``, and taking something out of a dict happens once.
"""
