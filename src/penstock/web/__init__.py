"""Shared by ``penstock serve`` and ``penstock ui``: neither imports the other.

``asgi``       one request and its reply, within limits
``guard``      which requests may be answered, by host, page and token
``listening``  the socket of a server
"""
