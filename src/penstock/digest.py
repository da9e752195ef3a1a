"""One digest for handles and owners, from the standard library's private module.

``hashlib`` loads all of OpenSSL for it: 4 MB in every gateway. Where the private module is missing, ``hashlib`` it is.
"""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # another Python than CPython
    from hashlib import blake2b


def hex_digest(data: bytes, size: int) -> str:
    """Return a BLAKE2b digest of ``size`` bytes as hexadecimal digits."""
    return blake2b(data, digest_size=size).hexdigest()
