"""The model server that other tests rely on: scripted from this process and from another one."""

import json
import urllib.error
import urllib.request

import pytest

from tests.model_calls import call, running_server, server, settings_for
from tests.model_server import ModelServer, chat_chunk

__all__ = ["running_server", "server"]


def post(server: ModelServer, path: str, body: object) -> object:
    data = json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", data, method="POST")
    with urllib.request.urlopen(request, timeout=5) as answer:
        return json.load(answer)


async def test_without_a_script_it_echoes_the_last_message(server: ModelServer) -> None:
    assert (await call(settings_for(server))).text == "The question?"


async def test_scripts_are_played_once_and_a_standing_one_again_and_again(server: ModelServer) -> None:
    server.always([chat_chunk({"content": "standing"}, "stop")])
    server.script([chat_chunk({"content": "first"}, "stop")])
    assert [(await call(settings_for(server))).text for _ in range(3)] == ["first", "standing", "standing"]


async def test_another_process_scripts_it_over_http(server: ModelServer) -> None:
    post(
        server,
        "/_script",
        {"steps": [{"$wait": 0.01}, chat_chunk({"content": "far"}, "stop"), "data: [DONE]\n\n"]},
    )
    post(server, "/_script", {"steps": [{"$status": [401, {"error": {"message": "no"}}]}]})
    assert (await call(settings_for(server))).text == "far"
    assert (await call(settings_for(server))).failure.code == "auth"
    asked = post(server, "/_requests", {})
    assert isinstance(asked, list)
    assert [entry["path"] for entry in asked] == ["/v1/chat/completions"] * 2
    post(server, "/_reset", {})
    assert server.requests == []


def test_a_status_reaches_any_client(server: ModelServer) -> None:
    post(server, "/_script", {"steps": [{"$status": [503, "busy", {"retry-after": "1"}]}]})
    with pytest.raises(urllib.error.HTTPError) as caught:
        post(server, "/v1/chat/completions", {"messages": []})
    assert (caught.value.code, caught.value.headers["retry-after"]) == (503, "1")
