"""Typed access to environment variables that fails loudly on a value it can't read."""

import os
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off", ""}


def text(name: str, default: str = "") -> str:
    """Return the variable without outer white space, or `default` when it is absent or empty."""
    return os.environ.get(name, "").strip() or default


def flag(name: str, *, default: bool = False) -> bool:
    """Return a yes/no variable. Raises ImproperlyConfigured on anything else."""
    value = os.environ.get(name)
    if value is None:
        return default
    if value.strip().lower() in _TRUE:
        return True
    if value.strip().lower() in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name} must be yes or no, not {value!r}")


def whole_number(name: str, default: int) -> int:
    """Return a whole number. Raises ImproperlyConfigured on anything else."""
    value = text(name)
    if not value:
        return default
    try:
        return int(value)
    except ValueError as exc:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}") from exc


def words(name: str, default: tuple[str, ...] = ()) -> list[str]:
    """Return a comma-separated list."""
    value = text(name)
    return [part.strip() for part in value.split(",") if part.strip()] if value else list(default)


def choice(name: str, allowed: tuple[str, ...], default: str) -> str:
    """Return one of `allowed`. Raises ImproperlyConfigured on anything else."""
    value = text(name, default)
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
    return value


def database(url: str) -> dict[str, object]:
    """Turn a `postgresql://user:password@host:port/name?option=value` URL into Django's settings.

    A socket folder comes as `?host=/folder`, as libpq writes it. Raises ImproperlyConfigured on other schemes.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("postgres", "postgresql"):
        raise ImproperlyConfigured("DATABASE_URL must begin with postgresql://")
    options = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "citeweb.database",
        "NAME": unquote(parts.path.lstrip("/")) or "postgres",
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options.pop("host", parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": options,
    }


def storage(url: str) -> dict[str, object]:
    """Turn `s3://bucket/folder` into Django's setting of where uploads lie; without a URL, the local media folder.

    The rest is read from AWS's own variables, such as AWS_ENDPOINT_URL_S3. Raises ImproperlyConfigured.
    """
    if not url:
        return {"BACKEND": "django.core.files.storage.FileSystemStorage"}
    parts = urlsplit(url)
    if parts.scheme != "s3" or not parts.netloc or parts.query or "@" in parts.netloc:
        raise ImproperlyConfigured("CITEWEB_STORAGE_URL must be s3://bucket or s3://bucket/folder")
    options = {"bucket_name": parts.netloc, "location": unquote(parts.path).strip("/")}
    return {"BACKEND": "citeweb.object_storage.ObjectStorage", "OPTIONS": options}
