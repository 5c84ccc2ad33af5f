"""Vectors from the built-in model and from an API."""

import math
from collections.abc import Iterator

import pytest
from django.core.checks import run_checks
from pytest_django import Settings

from sources.embedding import configured_embedder, query_vector
from sources.embedding_errors import EmbeddingError
from sources.embedding_local import LocalEmbedder, local_is_there
from sources.embedding_openai import OpenAIEmbedder
from tests.embedding_server import DIMENSION, EmbeddingServer, embedding_server


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    """The embeddings API, where OPENAI_BASE_URL points."""
    with embedding_server() as state:
        monkeypatch.setenv("OPENAI_BASE_URL", state.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        yield state


def length(vector: list[float]) -> float:
    """The Euclidean length."""
    return math.sqrt(sum(number * number for number in vector))


@pytest.mark.skipif(not local_is_there(), reason="the model's wheel exists for Linux on x86-64 only")
def test_the_built_in_model_finds_across_languages() -> None:
    embedder = LocalEmbedder()
    question = embedder.query("چه زمانی هشدار بودجه فرستاده می‌شود؟")
    near, far = embedder.passages(
        ["Budget alerts are sent at 80% and 100%.", "The dog sleeps in the garden all day."]
    )
    assert len(question) == embedder.dimension == 384
    assert length(question) == pytest.approx(1, abs=1e-3)
    assert sum(a * b for a, b in zip(question, near, strict=True)) > sum(
        a * b for a, b in zip(question, far, strict=True)
    )


@pytest.mark.skipif(not local_is_there(), reason="the model's wheel exists for Linux on x86-64 only")
def test_the_built_in_model_takes_long_and_odd_texts() -> None:
    vectors = LocalEmbedder().passages(["", "漢字" * 800, "\u202e😀"])
    assert [len(vector) for vector in vectors] == [384] * 3
    assert all(math.isfinite(number) for vector in vectors for number in vector)


def test_the_setting_chooses(settings: Settings) -> None:
    settings.EMBEDDINGS = "none"
    assert configured_embedder() is None
    settings.EMBEDDINGS, settings.EMBEDDING_MODEL, settings.EMBEDDING_DIM = "openai", "some-model", 8
    chosen = configured_embedder()
    assert chosen is not None
    assert (chosen.space, chosen.dimension) == ("some-model@openai/8", 8)


def test_api_vectors_come_in_the_order_of_the_texts_and_have_length_one(server: EmbeddingServer) -> None:
    first, second = OpenAIEmbedder("test", DIMENSION).passages(["a dog", "bread and a car"])
    assert [round(number, 2) for number in first] == [0, 1.0, 0, 0.1]
    assert [round(number, 2) for number in second] == [0.71, 0, 0.71, 0.07]
    assert length(second) == pytest.approx(1)


def test_many_texts_go_in_batches(server: EmbeddingServer) -> None:
    vectors = OpenAIEmbedder("test", DIMENSION).passages([f"text {number}" for number in range(130)])
    assert len(vectors) == 130
    assert [len(inputs) for inputs in server.inputs] == [64, 64, 2]


def test_a_dimension_is_asked_for_where_the_model_takes_one(server: EmbeddingServer) -> None:
    OpenAIEmbedder("text-embedding-3-small", DIMENSION).query("dog")
    OpenAIEmbedder("other", DIMENSION).query("dog")
    assert [request.get("dimensions") for request in server.asked] == [DIMENSION, None]


def test_texts_beyond_the_limit_of_the_api_are_cut(server: EmbeddingServer) -> None:
    OpenAIEmbedder("test", DIMENSION).passages(["a" * 50_000, ""])
    assert [len(text) for text in server.inputs[0]] == [8000, 1]


def test_another_dimension_than_agreed_is_an_error(server: EmbeddingServer) -> None:
    server.dimension = 2
    with pytest.raises(EmbeddingError, match="did not give 1 vectors of 4 numbers"):
        OpenAIEmbedder("test", DIMENSION).query("dog")


def test_a_refusal_is_an_error_without_a_second_try(server: EmbeddingServer) -> None:
    server.status = 500
    with pytest.raises(EmbeddingError, match="InternalServerError"):
        OpenAIEmbedder("test", DIMENSION).query("dog")
    assert len(server.asked) == 1


def test_no_key_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(EmbeddingError, match="OPENAI_API_KEY"):
        OpenAIEmbedder("test", DIMENSION).query("dog")


def test_a_question_asked_again_costs_nothing(server: EmbeddingServer) -> None:
    embedder = OpenAIEmbedder("test", DIMENSION)
    assert query_vector(embedder, "where is the  dog") == query_vector(embedder, " where is the dog\0")
    assert server.inputs == [["where is the dog"]]


def test_a_missing_key_is_warned_of_at_the_start(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    settings.EMBEDDINGS = "openai"
    assert [message.id for message in run_checks() if (message.id or "").startswith("sources.")] == [
        "sources.W002"
    ]
    settings.EMBEDDINGS = "none"
    assert not [message for message in run_checks() if (message.id or "").startswith("sources.")]
