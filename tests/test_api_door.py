"""Who gets in under /v1/, and what everybody else is told: always JSON in OpenAI's shape."""

import re
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from django.utils import timezone
from openai import AuthenticationError, PermissionDeniedError, RateLimitError

from citeweb.accounts.api_keys import TooMany, digest_of, issue, revoke, use
from citeweb.accounts.models import ApiKey, Membership
from tests.api_client import QUESTION, Program, program_of
from tests.audited import records
from tests.conftest import House
from tests.model_server import ModelServer, chat_text
from tests.web_server import WebServer, session_cookie

pytestmark = pytest.mark.django_db(transaction=True)

ASK = {"model": "citeweb-quote", "messages": [{"role": "user", "content": QUESTION}]}


def error_of(answer: httpx2.Response, status: int) -> dict[str, Any]:
    """Check the shape of a refusal and return its error."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert re.fullmatch(r"req_[0-9a-f]{32}", answer.headers["x-request-id"])
    (error,) = answer.json().values()
    assert set(error) == {"message", "type", "param", "code"}
    assert error["message"]
    return dict(error)


def test_it_works(http: httpx2.Client) -> None:
    answer = http.get("/v1/models")
    assert answer.status_code == 200
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "set-cookie" not in answer.headers


# Errors in OpenAI's shape


@pytest.mark.parametrize(
    "path", ["/v1", "/v1/", "/v1/nothing", "/v1/models/", "/v1/chat/completions/", "/v1//models"]
)
def test_an_unknown_address_is_not_found(http: httpx2.Client, path: str) -> None:
    error = error_of(http.get(path), 404)
    assert (error["type"], error["code"]) == ("invalid_request_error", "unknown_url")
    assert error["message"].startswith(f"Invalid URL (GET {path})")


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("PATCH", "/v1/models", "GET"),
        ("GET", "/v1/chat/completions", "POST"),
        ("PUT", "/v1/responses/resp_1", "DELETE, GET"),
        ("TRACE", "/v1/models", "GET"),
        ("OPTIONS", "/v1/models", "GET"),
    ],
)
def test_a_method_that_is_not_allowed(http: httpx2.Client, method: str, path: str, allow: str) -> None:
    answer = http.request(method, path)
    assert error_of(answer, 405)["code"] == "method_not_allowed"
    assert answer.headers["allow"] == allow


@pytest.mark.parametrize(
    "body", [b"{", b"", b"[]", b'"x"', b"null", b"\xff\xfe", b"[" * 50_000, b'{"model": NaN']
)
def test_a_body_that_is_no_json_object(http: httpx2.Client, body: bytes) -> None:
    answer = http.post("/v1/chat/completions", content=body, headers={"Content-Type": "application/json"})
    assert error_of(answer, 400)["type"] == "invalid_request_error"


def test_a_body_of_another_kind(http: httpx2.Client) -> None:
    answer = http.post("/v1/chat/completions", content=b"model=x", headers={"Content-Type": "text/plain"})
    assert error_of(answer, 415)["code"] == "unsupported_content_type"


def test_a_body_that_is_too_large(http: httpx2.Client) -> None:
    answer = http.post("/v1/chat/completions", json={**ASK, "user": "x" * 9_000_000})
    assert error_of(answer, 413)["code"] == "request_too_large"


def test_a_foreign_host(http: httpx2.Client) -> None:
    error_of(http.get("/v1/models", headers={"Host": "evil.example"}), 400)


@pytest.mark.parametrize(
    ("change", "param", "code"),
    [
        ({"model": None}, "model", "invalid_type"),
        ({"messages": []}, "messages", "invalid_value"),
        ({"messages": [{"content": "x"}]}, "messages[0].role", "missing_required_parameter"),
        ({"messages": [{"role": "king", "content": "x"}]}, "messages[0].role", "invalid_value"),
        ({"messages": [{"role": "assistant", "content": "x"}]}, "messages", "invalid_value"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages[0].role", "invalid_value"),
        ({"temperature": 3}, "temperature", "invalid_value"),
        ({"frobnicate": 1}, "frobnicate", "unknown_parameter"),
        ({"n": 2}, "n", "unsupported_parameter"),
        ({"logprobs": True}, "logprobs", "unsupported_parameter"),
        ({"response_format": {"type": "json_object"}}, "response_format", "unsupported_parameter"),
        ({"tools": [{"type": "function"}]}, "tools[0].type", "unsupported_parameter"),
        ({"tools": [{"type": "file_search"}]}, "tools[0].vector_store_ids", "missing_required_parameter"),
        ({"metadata": {"a": 1}}, "metadata.a", "invalid_type"),
        ({"citation_style": "runes"}, "citation_style", "invalid_value"),
    ],
)
def test_a_parameter_at_fault_is_named(
    http: httpx2.Client, change: dict[str, Any], param: str, code: str
) -> None:
    error = error_of(http.post("/v1/chat/completions", json={**ASK, **change}), 400)
    assert (error["param"], error["code"]) == (param, code)


def test_what_openai_knows_and_we_do_not_need_is_taken(http: httpx2.Client) -> None:
    more = {
        "top_p": 0.5,
        "seed": 7,
        "presence_penalty": 0,
        "n": 1,
        "stop": None,
        "user": "u",
        "service_tier": "auto",
    }
    assert http.post("/v1/chat/completions", json={**ASK, **more}).status_code == 200


def test_an_unknown_model_and_a_foreign_one_are_the_same(http: httpx2.Client) -> None:
    error = error_of(http.post("/v1/chat/completions", json={**ASK, "model": "gpt-x"}), 404)
    assert (error["param"], error["code"]) == ("model", "model_not_found")


# Keys


@pytest.mark.parametrize("header", [None, "", "Bearer", "Basic eDp5", "cw-x"])
def test_without_a_key(server: WebServer, house: House, header: str | None) -> None:
    headers = {"Authorization": header} if header is not None else {}
    answer = httpx2.get(f"{server.url}/v1/models", headers=headers)
    assert "didn't provide an API key" in error_of(answer, 401)["message"]
    assert answer.headers["www-authenticate"] == "Bearer"


def test_every_worthless_key_is_told_the_same(server: WebServer, house: House) -> None:
    people = (house.stranger, house.granted, house.owner)
    revoked, expired, left = (issue(tenant=place.tenant, user=place.user) for place in people)
    revoke(revoked[0], by=None)
    ApiKey.objects.filter(pk=expired[0].pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    Membership.objects.filter(user=house.owner.user).delete()
    told = set()
    for text in (revoked[1], expired[1], left[1], "cw-" + "x" * 43, "sk-other"):
        with pytest.raises(AuthenticationError) as caught:
            Program(f"{server.url}/v1", text).client().models.list()
        told.add((caught.value.message, caught.value.code))
    assert len(told) == 1


def test_a_revoked_key_is_worthless_at_once(server: WebServer, house: House) -> None:
    key, text = issue(tenant=house.tenant, user=house.stranger.user)
    client = Program(f"{server.url}/v1", text).client()
    client.models.list()
    revoke(key, by=house.stranger.user)
    with pytest.raises(AuthenticationError):
        client.models.list()


def test_only_the_hash_is_kept_and_the_use_is_noted(program: Program) -> None:
    key = ApiKey.objects.get()
    assert key.last_used_at is None
    program.client().models.list()
    key = ApiKey.objects.get()
    assert key.last_used_at is not None
    assert key.digest == digest_of(program.key)
    assert program.key not in str(vars(key))
    assert program.key.startswith(key.prefix)


def test_a_key_may_only_what_its_scopes_say(server: WebServer, house: House) -> None:
    program = program_of(server, house.stranger, scopes=["search"])
    client = program.client()
    assert client.models.list().data
    with pytest.raises(PermissionDeniedError, match="no 'chat' scope"):
        client.chat.completions.create(**ASK)  # type: ignore[call-overload]  # a dict
    with program.http() as http:
        assert http.post("/v1/citations/lookup", json={"cases": "x"}).status_code == 200


def test_keys_are_in_the_audit_record(house: House) -> None:
    key, text = issue(tenant=house.tenant, user=house.stranger.user, name="Robot", by=house.stranger.user)
    revoke(key, by=house.owner.user)
    kept = records(house.tenant)
    assert [(r["kind"], r["key"], r["name"], r["actor_email"]) for r in kept] == [
        ("key_issued", text[:10], "Robot", "stranger@aurora.example"),
        ("key_revoked", text[:10], "Robot", "owner@aurora.example"),
    ]
    assert text not in str(kept)


# Rate limits


def test_the_rate_limit_has_the_usual_headers(server: WebServer, house: House) -> None:
    program = program_of(server, house.stranger, requests_per_minute=3)
    with program.http() as http:
        left = [http.get("/v1/models").headers["x-ratelimit-remaining-requests"] for _ in range(3)]
        refused = http.get("/v1/models")
    assert left == ["2", "1", "0"]
    error = error_of(refused, 429)
    assert (error["type"], error["code"]) == ("rate_limit_error", "rate_limit_exceeded")
    assert refused.headers["x-ratelimit-limit-requests"] == "3"
    assert re.fullmatch(r"[\d.]+s", refused.headers["x-ratelimit-reset-requests"])
    # One of three a minute comes back after 20 seconds.
    assert 15 <= int(refused.headers["retry-after"]) <= 21
    with pytest.raises(RateLimitError):
        program.client().models.list()


def test_the_rate_limit_holds_over_all_processes(server: WebServer, house: House) -> None:
    """The other process is this one: only the database knows of both."""
    program = program_of(server, house.stranger, requests_per_minute=2)
    with program.http() as http:
        assert http.get("/v1/models").status_code == 200
        use(program.key)
        assert http.get("/v1/models").status_code == 429
    with pytest.raises(TooMany):
        use(program.key)


def test_a_cookie_is_no_key(server: WebServer, house: House, model: ModelServer) -> None:
    model.always(chat_text("x"))
    answer = httpx2.get(f"{server.url}/v1/models", headers={"Cookie": session_cookie(house.owner.user)})
    error_of(answer, 401)
