"""Refuses WebSockets that a page of another origin opens with the reader's cookies."""

from urllib.parse import urlsplit

from asgiref.typing import ASGI3Application, ASGIReceiveCallable, ASGISendCallable, WebSocketScope
from channels.security.websocket import WebsocketDenier
from django.conf import settings


class SameOrigin:
    """Lets a socket through only from our own host and port, or from CSRF_TRUSTED_ORIGINS.

    Channels' AllowedHostsOriginValidator compares host names only, yet another port is another origin,
    and cookies go to every port.
    """

    def __init__(self, application: ASGI3Application) -> None:
        self._application = application

    async def __call__(
        self, scope: WebSocketScope, receive: ASGIReceiveCallable, send: ASGISendCallable
    ) -> None:
        """Pass the connection on, or deny it before it is accepted."""
        allowed = is_own_origin(dict(scope["headers"]))
        application = self._application if allowed else WebsocketDenier.as_asgi()
        await application(scope, receive, send)


def is_own_origin(headers: dict[bytes, bytes]) -> bool:
    """Compare the Origin header with the Host header; browsers always send both."""
    origin = headers.get(b"origin", b"").decode("latin-1")
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    host = headers.get(b"host", b"").decode("latin-1")
    return bool(host) and urlsplit(origin).scheme in ("http", "https") and urlsplit(origin).netloc == host
