"""Where the core meets stores and queries: ``Gate.admit`` for what comes from upstream, ``Gate.fetch`` for reading on.

``gate``       the two entrances, and their faces for event loops
``keep``       a decision to hold becomes a record, and a record becomes readable again
``arguments``  what a caller of the fetch tool asked for, checked
``actions``    one class per action, and the table of them
``answers``    MCP results with our own words in them
"""

from penstock.gate.gate import Gate

__all__ = ["Gate"]
