"""MCP as seen from the middle, without I/O: lines in, commands out. Read ``exchange`` first.

``wire/``           ``lines`` turns chunks into whole lines, in linear time whatever their length; ``jsonrpc`` reads the
                    envelope of a message: its id, its method, its parts, all in their original bytes
``exchange``        one connection, and what is answered here: the gate's answers, timeouts, the upstream's end
``client_side``     handles the lines of the client
``upstream_side``   handles the lines of the upstream
``own_requests``    requests that Penstock itself sends to the upstream, for one of the client
``state``           the open requests of a connection; ``session`` has the state that connections share
``upstream_facts``  the tools and tasks of the upstream
``commands``        what an exchange asks its driver to do
``payloads``        where the payload sits in a response to each method, and the way back
``stand_in``        what the gate gave for a held result, in the form of another method, in no more room
``tool_list``       ``tools/list`` and capabilities with our tool in them
``tools``           ``fetch_cached_response``: its definition
``combine/``        several upstreams behind one connection

An exchange holds no lock and no file. It is driven by two reading threads and some workers; each request is answered
by the thread that takes it out of ``state.open``, and taking something out of a dict happens once.
"""
