"""Where the answers of this process run."""

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest

from chat.generation import Generations


def generations_of(request: HttpRequest) -> Generations:
    """Return the process's running answers (chat.lifespan); under a plain WSGI server, a set of the request's own."""
    if isinstance(request, ASGIRequest):
        found = request.scope.get("generations")
        if isinstance(found, Generations):
            return found
    return Generations()
