"""The gateway: a client at one end, a real server at the other, and Penstock between them.

    client end                       the way between them                                    upstream end
    ``stdio/``  ``http/``    line -> exchange -> command -> ``carry`` -> gate -> line        ``upstreams/``

``carry``           classify a line, admit a result, fetch a held one, for every driver; ``carry_async`` for a loop
``at_gate``         what the gate does for ``carry``; imported with the gate when the first result may not fit
``stdio/``          the client on standard input and output, in front of a command (threads) or a URL (an event loop)
``http/``           the client over HTTP: ``penstock serve``, in front of a URL or of a command
``upstreams/``      the servers: a process, a process on an event loop, a URL, several servers as one
``observe/``        the record of each HTTP request; figures, log lines and traces that read it
``config_rules``    what the exchange asks of the configuration
``pipes``           reading and writing file descriptors; ``output`` is one writer for several threads
``log``             one line each, on stderr
``shared_limit``    what callers use together, and none of them alone
``sse``             server-sent events, bytes in and bytes out
``modern_headers``  the headers that repeat what a request of the modern era says in its body

A process that relays small calls only imports neither the gate nor queries nor the forms of text.
docs/explanation/life-of-a-call.md follows a call through these files.
"""
