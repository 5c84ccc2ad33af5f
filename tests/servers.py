"""Fixtures of the whole product: the web server and a scripted model server, one of each for all tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from tests.model_server import ModelServer
from tests.web_server import WebServer, web_server

# `chat-model` and `responses-model` speak to the scripted server; short silences, so that tests needn't wait.
MODELS = """
[models.chat-model]
api = "chat"
base_url = "{base_url}"
upstream_name = "test-model"
timeouts = {{ connect = 2.0, first_event = 1.0, between_events = 1.0 }}
retries = {{ attempts = 1 }}

[models.patient-model]
api = "chat"
base_url = "{base_url}"
upstream_name = "test-model"

[models.small-model]
api = "chat"
base_url = "{base_url}"
upstream_name = "test-model"
context_tokens = 4096

[models.responses-model]
api = "responses"
base_url = "{base_url}"
upstream_name = "test-model"

[models.searching-model]
api = "chat"
base_url = "{base_url}"
upstream_name = "test-model"
numbered_sources = true

[models.nobody-there]
api = "chat"
base_url = "http://127.0.0.1:9/v1"
upstream_name = "test-model"
retries = {{ attempts = 1 }}
"""


@pytest.fixture(scope="session")
def model_server() -> Iterator[ModelServer]:
    """The model server; script it in each test."""
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="session")
def models_file(model_server: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A models file that names the scripted server."""
    path = tmp_path_factory.mktemp("models") / "models.toml"
    path.write_text(MODELS.format(base_url=model_server.base_url))
    return path


@pytest.fixture(scope="session")
def server(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, models_file: Path
) -> Iterator[WebServer]:
    """The web server over the tests' database."""
    with (
        django_db_blocker.unblock(),
        web_server(CITEWEB_MODELS_FILE=str(models_file), CITEWEB_API_HEARTBEAT_SECONDS="1") as running,
    ):
        yield running


@pytest.fixture
def model(model_server: ModelServer) -> Iterator[ModelServer]:
    """The model server without scripts and records of earlier tests."""
    model_server.reset()
    yield model_server
    model_server.reset()
