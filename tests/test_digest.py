"""The digest of handles and owners is BLAKE2b, without the library that usually comes with it."""

from __future__ import annotations

import hashlib
import subprocess
import sys

from penstock.digest import hex_digest


def test_the_digest_is_that_of_hashlib() -> None:
    assert hex_digest(b"owner", 16) == hashlib.blake2b(b"owner", digest_size=16).hexdigest()


def test_handles_and_owners_load_no_openssl() -> None:
    code = "import sys, penstock.stores.handle, penstock.gate.owners; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"hashlib", "_hashlib", "ssl"} & set(loaded)
