"""Bytes on the wire: ``lines`` turns chunks into whole lines, ``jsonrpc`` reads the envelope of a message."""
