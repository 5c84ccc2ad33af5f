"""How asynchronous code calls the database."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from channels.db import database_sync_to_async
from django.db import connection

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a synchronous function in a worker thread and give its database connection back to the pool.

    Not thread-sensitive: Channels' default runs all calls of all consumers on one thread, one after another.
    """
    return await database_sync_to_async(function, thread_sensitive=False)(*args, **kwargs)


def give_back_connection() -> None:
    """Give this thread's connection back to the pool before a long wait; in a transaction it stays.

    A request keeps its connection to its end, and a few dozen that wait would leave none for anybody else.
    """
    if not connection.in_atomic_block:
        connection.close()
