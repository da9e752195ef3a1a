"""The parts of ``bench/gateway.py``. Read suites.py first.

``kit`` finds the client and the server that every target is measured with, ``targets`` says how each target is started
(``peers`` installs the other gateways), ``runs`` runs the client on one of them within a time, ``suites`` turns the
client's figures into lines, ``reading`` holds a conversation of its own, and ``table`` prints lines with their limits.
"""
