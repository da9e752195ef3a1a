"""The client over HTTP: ``penstock serve``. Nothing of this is imported for ``penstock run -- COMMAND``.

``build``            puts all parts together and runs them
``server``           the process: uvicorn, signals, the end; ``connection`` is one client's connection, bounded
``app``              the ASGI application: paths, and what goes where
``intake``           how many requests are answered at once; ``penstock.web`` has the guard and the request itself
``reverse_proxy``    in front of a URL: requests go on with their own bytes
``proxied_request``  one request of it, with an exchange of its own; ``proxy_sessions`` what sessions have in common
``process_pool``     in front of a command: a process for each session of the legacy era, one for all modern clients
``probe``            sees whether a command answers, for ``/readyz``
``process_session``  one such process and the clients that it serves; ``outbox`` is what waits to be sent to a client
``request_ids``      requests under ids of ours, where clients share a process
"""
