"""What the worker does for the chat."""

from procrastinate.contrib.django import app

from chat.store import interrupt_silent_turns
from sources.queue import QUEUE


# The sixth field is seconds.
@app.periodic(cron="* * * * * */15")
@app.task(name="chat.interrupt_silent", queue=QUEUE, queueing_lock="chat.interrupt_silent", priority=100)
def interrupt_silent(timestamp: int) -> None:
    """End the turns of dead web processes, so that none looks as if it still ran."""
    interrupt_silent_turns()
