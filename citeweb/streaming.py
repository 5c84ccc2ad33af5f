"""Lets files go out piece by piece under ASGI, where Django would read a synchronous response whole first."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase


class AsyncStreaming:
    """Reads synchronous streaming responses (WhiteNoise's, FileResponse) in a thread, one piece at a time."""

    async_capable = True
    sync_capable = False

    def __init__(self, get_response: Callable[[HttpRequest], Awaitable[HttpResponseBase]]) -> None:
        self.get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    async def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = await self.get_response(request)
        if (
            isinstance(request, ASGIRequest)
            and isinstance(response, StreamingHttpResponse)
            and not response.is_async
        ):
            response.streaming_content = _pieces(iter(response))
        return response


async def _pieces(content: Iterator[bytes]) -> AsyncIterator[bytes]:
    following = sync_to_async(_following, thread_sensitive=False)
    while (piece := await following(content)) is not None:
        yield piece


def _following(content: Iterator[bytes]) -> bytes | None:
    # StopIteration can't pass through a future.
    return next(content, None)
