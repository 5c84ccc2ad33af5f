"""The ASGI application: HTTP by Django, WebSockets by Channels, and one set of running answers a process."""

import os
import sys

from django.core.asgi import get_asgi_application

# A thread that computes lets the event loop in after a millisecond, not after Python's five: streams wait for that.
sys.setswitchinterval(0.001)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "citeweb.settings")
# Fills Django's app registry, which the imports below need.
http = get_asgi_application()

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402

from chat.generation import Generations  # noqa: E402
from chat.lifespan import Lifespan  # noqa: E402
from chat.routing import websocket_urlpatterns  # noqa: E402
from citeweb.origin import SameOrigin  # noqa: E402

generations = Generations()
_sockets = AuthMiddlewareStack(URLRouter(websocket_urlpatterns))
_protocols = ProtocolTypeRouter(
    {
        "http": http,
        "websocket": SameOrigin(_sockets),  # type: ignore[arg-type]  # Channels' stubs know wider scopes
    }
)
application = Lifespan(_protocols, generations)
