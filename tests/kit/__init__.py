"""What tests share: clients, servers, generated data and expected facts. No file here has tests of its own.

``gateway`` runs a real ``penstock run``; ``over_http/`` has the ends of an HTTP gateway; ``protocol/`` has playbooks;
``stores/`` has the contract that every store keeps; ``forms/`` and ``facts/`` generate data whose facts are known;
``strategies`` draws JSON; ``examples/`` and ``interaction/`` have clients for servers that run as processes;
``waiting`` waits for a condition, and ``processes`` checks that no process stays behind.
"""
