"""Certificates for tests of TLS: an authority of one's own, and a server that it has signed for."""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

if TYPE_CHECKING:
    from pathlib import Path


def authority_and_server(folder: Path, name: str) -> tuple[Path, Path]:
    """Write the certificate of an authority, and that of the server ``name`` with its key."""
    authority_key, server_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    authority = _begun("an authority", "an authority", authority_key)
    authority = authority.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    signed_authority = authority.sign(authority_key, hashes.SHA256())
    server = _begun(name, "an authority", server_key)
    server = server.add_extension(x509.SubjectAlternativeName([_alternative(name)]), critical=False)
    key = server_key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    trusted, own = folder / "authority.pem", folder / "server.pem"
    trusted.write_bytes(signed_authority.public_bytes(serialization.Encoding.PEM))
    signed = server.sign(authority_key, hashes.SHA256())
    own.write_bytes(key + signed.public_bytes(serialization.Encoding.PEM))
    return trusted, own


def _begun(name: str, issuer: str, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
    )


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
