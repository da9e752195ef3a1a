"""The gateway over HTTP: ``penstock serve``, and ``penstock run --url``. Nothing of this is imported for a command.

``app``       the ASGI application: paths, safety, limits, and what goes where
``connection``  what comes before a body, bounded in time and size
``messages``  one HTTP request and its reply, as ASGI has them
``events``    server-sent events, bytes in and bytes out
``proxy``     an upstream that is an HTTP server itself
``talk``      one request to such an upstream, and what becomes of its answers
``sessions``  what is known of the sessions of such an upstream
``room``      bytes that are in memory at once
``work``      the gate, beside the event loop
``address``   a URL, and the login in it
``guard``     who may ask, and how much at once
``accounts``  what is written down of each request; ``metrics``, ``logs`` and ``traces`` read it
``processes`` an upstream that is a command: sessions, and one process for all; ``hosted`` is one such server, and who
              hears what it says, ``piped`` its process on the event loop, ``inbox`` what waits to be sent to a client,
              ``aliases`` requests under ids of ours, ``envelope`` what a request of the modern era must have
``bridge``    ``penstock run --url``: standard input and output on one side, an HTTP server on the other
              (``bridge_letter``: a message and its headers; ``bridge_remote``: the server)
``serve``     the process: uvicorn, signals, the end; ``run`` puts all parts together
"""
