"""Signatures under records and heads, with a key that the database does not know.

Whoever can rewrite the whole database can also make a new chain that holds. The signature is what they can't make.
"""

import hashlib
import hmac
import uuid

from django.conf import settings


def sign(tenant_id: uuid.UUID, sequence: int, digest: str) -> str:
    """Return `key id:HMAC-SHA-256` in hexadecimal of a record, or "" without CITEWEB_AUDIT_KEY."""
    keys = settings.AUDIT_KEYS
    return _signature(keys[0], tenant_id, sequence, digest) if keys else ""


def is_signed(signature: str, tenant_id: uuid.UUID, sequence: int, digest: str) -> bool:
    """Tell whether the signature was made with one of our keys, the present one or an earlier one."""
    made = (_signature(key, tenant_id, sequence, digest) for key in settings.AUDIT_KEYS)
    return any(hmac.compare_digest(signature, one) for one in made)


def key_id(key: str) -> str:
    """Return eight characters that tell keys apart and give none away."""
    return hashlib.sha256(f"citeweb audit key\n{key}".encode()).hexdigest()[:8]


def _signature(key: str, tenant_id: uuid.UUID, sequence: int, digest: str) -> str:
    message = f"{tenant_id}\n{sequence}\n{digest}".encode()
    return f"{key_id(key)}:{hmac.new(key.encode(), message, hashlib.sha256).hexdigest()}"
