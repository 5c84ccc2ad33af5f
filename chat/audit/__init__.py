"""The audit record: one append-only, hash-chained sequence for each tenant, and what staff see of it.

`append` writes a record inside the transaction of what it proves. docs/audit.md has the format and the proof.
"""

from chat.audit.chain import GENESIS, Words, append, canonical_json, chain_digest, forget, sha256_of
from chat.audit.verify import Break, verify

__all__ = [
    "GENESIS",
    "Break",
    "Words",
    "append",
    "canonical_json",
    "chain_digest",
    "forget",
    "sha256_of",
    "verify",
]
