"""Programs that send what nobody keeps, and keys that end while an answer comes."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from django.utils import timezone
from openai import APIError

from citeweb.accounts.api_keys import revoke
from citeweb.accounts.models import ApiKey, Membership
from tests.api_client import QUESTION, Program, program_of
from tests.conftest import House
from tests.model_server import Hang, ModelServer, chat_chunk
from tests.web_server import WebServer

pytestmark = pytest.mark.django_db(transaction=True)

MESSAGES = [{"role": "user", "content": QUESTION}]
CHAT = "/v1/chat/completions"
# NUL and half of a surrogate pair, each as JSON writes it.
UNSTORABLE = r"a\u0000b\ud83dc"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (CHAT, '"messages": [{"role": "user", "content": "%s plan"}]'),
        (CHAT, '"messages": [{"role": "user", "content": "plan"}], "metadata": {"%s": "%s"}'),
        (
            CHAT,
            '"messages": [{"role": "assistant", "content": "%s", "annotations": [{"vector_id": "%s"}]},'
            ' {"role": "user", "content": "plan"}]',
        ),
        ("/v1/responses", '"input": "plan", "instructions": "%s", "metadata": {"a": "%s"}'),
        ("/v1/responses", '"input": "plan", "text": {"%s": "%s"}, "reasoning": {"effort": "%s"}'),
    ],
)
def test_characters_that_nobody_keeps_do_no_harm(http: httpx2.Client, path: str, body: str) -> None:
    sent = '{"model": "citeweb-quote", ' + body.replace("%s", UNSTORABLE) + "}"
    answer = http.post(path, content=sent, headers={"Content-Type": "application/json"})
    assert answer.status_code == 200, answer.text
    assert answer.json().get("metadata", {}).get("a", "abc") == "abc"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_in_whichever_encoding_of_json(http: httpx2.Client, encoding: str) -> None:
    sent = '{"model": "citeweb-quote", "messages": [{"role": "user", "content": "plan"}], "metadata": {"a": "%s"}}'
    body = sent.replace("%s", UNSTORABLE).encode(encoding)
    answer = http.post(CHAT, content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["metadata"]) == (200, {"a": "abc"})


def test_names_and_attributes_too(server: WebServer, house: House) -> None:
    with program_of(server, house.owner).http() as http:
        headers = {"Content-Type": "application/json"}
        body = '{"name": "%s", "metadata": {"%s": "%s"}}'.replace("%s", UNSTORABLE)
        store = http.post("/v1/vector_stores", content=body, headers=headers).json()
        assert (store["name"], store["metadata"]) == ("abc", {"abc": "abc"})
        searched = http.post(
            f"/v1/vector_stores/{store['id']}/search",
            content='{"query": "%s"}'.replace("%s", UNSTORABLE),
            headers=headers,
        )
        assert searched.status_code == 200


def test_in_addresses_too(http: httpx2.Client) -> None:
    answer = http.get("/v1/files?purpose=assist%00ants&after=%00&order=de%00sc")
    assert answer.status_code == 200, answer.text


def test_a_parameter_of_two_kinds_has_one_name(http: httpx2.Client) -> None:
    body = {"model": "citeweb-quote", "messages": [{"role": "user", "content": 5}]}
    error = http.post(CHAT, json=body).json()["error"]
    assert error["param"] == "messages[0].content"


def _revoked(key: ApiKey) -> None:
    revoke(key, by=None)


def _expired(key: ApiKey) -> None:
    ApiKey.objects.filter(pk=key.pk).update(expires_at=timezone.now() - timedelta(seconds=1))


def _user_left(key: ApiKey) -> None:
    Membership.objects.filter(user=key.user_id).delete()


def _user_locked(key: ApiKey) -> None:
    type(key.user).objects.filter(pk=key.user_id).update(is_active=False)


@pytest.mark.parametrize("end", [_revoked, _expired, _user_left, _user_locked])
@pytest.mark.parametrize("path", [CHAT, "/v1/responses"])
def test_a_key_that_ends_ends_its_answers(
    program: Program, model: ModelServer, path: str, end: Callable[[ApiKey], None]
) -> None:
    model.always([chat_chunk({"content": "It began "}), Hang()])
    client = program.client()
    asked: dict[str, Any] = {"model": "patient-model", "stream": True}
    messages: Any = MESSAGES
    if path == CHAT:
        chunks: Any = iter(client.chat.completions.create(messages=messages, **asked))
        next(chunk for chunk in chunks if chunk.choices[0].delta.content)
        end(ApiKey.objects.select_related("user").get())
        with pytest.raises(APIError) as caught:
            list(chunks)
        assert caught.value.code == "stopped"
    else:
        events = iter(client.responses.create(input=QUESTION, **asked))
        next(event for event in events if event.type == "response.output_text.delta")
        end(ApiKey.objects.select_related("user").get())
        assert list(events)[-1].type == "response.failed"
    model.requests[-1].wait_closed(2)


def test_another_key_goes_on(server: WebServer, house: House, program: Program, model: ModelServer) -> None:
    other = program_of(server, house.stranger)
    revoke(ApiKey.objects.latest("pk"), by=None)
    model.always(
        [chat_chunk({"content": "Still "}), chat_chunk({"content": "here."}), chat_chunk({}, "stop")]
    )
    messages: Any = MESSAGES
    answer = program.client().chat.completions.create(model="patient-model", messages=messages)
    assert answer.choices[0].message.content == "Still here."
    with other.http() as http:
        assert http.get("/v1/models").status_code == 401
