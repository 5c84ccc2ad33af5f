"""Two web processes with a real Redis: what is asked in one appears at once in a page of the other."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chat_socket import chat_page
from tests.conftest import House
from tests.model_server import ModelServer, chat_text
from tests.web_server import free_port, session_cookie, web_server

pytestmark = [pytest.mark.redis, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def redis_url(tmp_path: Path) -> Iterator[str]:
    """A redis-server of the test's own."""
    program = shutil.which("redis-server")
    assert program is not None, "redis-server is missing; .ci/provide-browser installs it"
    port = free_port()
    options = ("--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path))
    process = subprocess.Popen((program, *options), stdout=subprocess.DEVNULL)
    try:
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait(timeout=10)


@pytest.fixture
def cookie(house: House) -> str:
    return session_cookie(house.stranger.user)


async def test_a_turn_appears_in_a_page_of_another_process(
    house: House, cookie: str, model: ModelServer, models_file: Path, redis_url: str
) -> None:
    file = str(models_file)
    with (
        web_server(CITEWEB_MODELS_FILE=file, REDIS_URL=redis_url) as one,
        web_server(CITEWEB_MODELS_FILE=file, REDIS_URL=redis_url) as two,
    ):
        model.script(chat_text("First."), chat_text("Second."))
        async with chat_page(one, house.stranger, cookie=cookie) as here:
            await here.ask("one?", model="chat-model")
            await here.ended("complete")
            async with chat_page(
                two, house.stranger, cookie=cookie, conversation_id=here.conversation_id
            ) as there:
                await there.wait_for("First\\.")
                here.frames.clear()
                await here.ask("two?", model="chat-model")
                await there.wait_for("two\\?")
                await there.wait_for("Second\\.")
