"""Uploads in an S3-compatible store, for several machines; `CITEWEB_STORAGE_URL` turns it on (docs/settings.md)."""

from botocore.config import Config
from storages.backends.s3 import S3Storage

# Seconds. A store that doesn't answer must not hold a request for the minutes that botocore would wait.
_CONNECT, _READ, _ATTEMPTS = 5, 60, 3
# Bytes of a file that is read, kept in memory before it goes to a temporary file.
_IN_MEMORY = 4 * 1024 * 1024


class ObjectStorage(S3Storage):  # type: ignore[misc]  # untyped
    """Private objects, none ever written over; nobody is sent to the store, each download goes through the door."""

    def get_default_settings(self) -> dict[str, object]:
        """Return what a bucket and a folder in it leave open."""
        defaults: dict[str, object] = super().get_default_settings()
        return defaults | {
            "default_acl": None,
            "file_overwrite": False,
            "max_memory_size": _IN_MEMORY,
            "client_config": Config(
                connect_timeout=_CONNECT,
                read_timeout=_READ,
                retries={"max_attempts": _ATTEMPTS, "mode": "standard"},
            ),
        }
