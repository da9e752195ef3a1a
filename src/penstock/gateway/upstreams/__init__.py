"""The upstream's end: the servers that a gateway stands in front of. Nothing here imports ``stdio`` or ``http``.

``process``          a command: started in a group of its own, ended with all its children; ``process_windows`` there
``async_process``    the same with its input and output on an event loop
``http_client``      sends requests to a URL and reads responses and streams, for ``remote`` and ``http/reverse_proxy``
``remote``           a server over HTTP, as its client sees it
``remote_upstream``  the same as the upstream of an exchange, for ``stdio/bridge`` and ``linked_remote``
``outgoing``         a message on its way to such a server, and the headers that it needs
``combined``         several servers as one, for ``run --config``; each is a ``linked_process`` or a ``linked_remote``
"""
