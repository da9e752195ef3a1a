"""Penstock inside a Python server: the same gate, the same tool and the same wire contract as the gateway.

``fastmcp``    ``PenstockMiddleware`` for FastMCP 4 servers
``sdk``        ``PenstockServerMiddleware`` for the official SDK 2, its low-level and its high-level server
``decorator``  ``@budgeted`` for any function that returns data
``shared``     what these three share: a gate, and results as the dicts they are on the wire
``configured`` their settings, without those that have no effect there
``size_bound`` the size of a value's JSON, bounded without writing it
"""
