"""The reader's language on a socket, chosen as Django's LocaleMiddleware chooses it for pages."""

from collections.abc import Iterable, Mapping

from django.conf import settings
from django.utils.translation import get_supported_language_variant
from django.utils.translation.trans_real import parse_accept_lang_header


def language_of(scope: Mapping[str, object]) -> str:
    """Return the language of the cookie, else of the Accept-Language header, else the default one."""
    cookies = scope.get("cookies")
    wished = [cookies.get(settings.LANGUAGE_COOKIE_NAME, "")] if isinstance(cookies, dict) else []
    headers = scope.get("headers")
    if isinstance(headers, Iterable):
        accepted = dict(headers).get(b"accept-language", b"").decode("latin-1")
        wished += [code for code, _weight in parse_accept_lang_header(accepted)]
    return next(filter(None, map(_supported, wished)), settings.LANGUAGE_CODE)


def _supported(code: str) -> str:
    try:
        return get_supported_language_variant(code) if code else ""
    except LookupError:
        return ""
