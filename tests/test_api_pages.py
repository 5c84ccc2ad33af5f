"""The pages of API keys and of the API's reference."""

import re

import pytest
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.test import Client

from citeweb.accounts.api_keys import issue, use
from citeweb.accounts.models import ApiKey
from tests.conftest import House
from tests.page_reading import read

FORM = {"name": "Robot", "scopes": ["chat"], "days": "30", "requests_per_minute": "60"}


@pytest.fixture
def own(client: Client, house: House) -> Client:
    client.force_login(house.stranger.user)
    return client


def text(response: HttpResponseBase) -> str:
    assert isinstance(response, HttpResponse)
    return response.content.decode()


@pytest.mark.django_db
def test_it_works(own: Client, house: House) -> None:
    page = own.post("/accounts/keys/", FORM)
    found = re.search(r"data-key>(cw-[\w-]{43})<", text(page))
    assert found
    key = ApiKey.objects.get()
    assert (key.name, key.scopes, key.requests_per_minute) == ("Robot", ["chat"], 60)
    assert key.expires_at is not None
    assert use(found[1]).place.user == house.stranger.user
    assert "no-store" in page.headers["Cache-Control"]
    # Shown only this once.
    again = text(own.get("/accounts/keys/"))
    assert found[1] not in again
    assert "Robot" in read(again).texts


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change",
    [{"name": ""}, {"scopes": []}, {"scopes": ["root"]}, {"days": "9999"}, {"requests_per_minute": "0"}],
)
def test_a_wrong_form_makes_no_key(own: Client, change: dict[str, object]) -> None:
    assert own.post("/accounts/keys/", {**FORM, **change}).status_code == 422
    assert not ApiKey.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("role", ["stranger", "owner", "auditor", "staff"])
def test_the_scope_of_the_audit_is_offered_to_those_who_may_read_it(
    client: Client, house: House, role: str
) -> None:
    place = house.stranger if role == "staff" else getattr(house, role)
    if role == "staff":
        place.user.is_staff = True
        place.user.save()
    client.force_login(place.user)
    is_offered = 'value="audit"' in text(client.get("/accounts/keys/"))
    made = client.post("/accounts/keys/", {**FORM, "scopes": ["audit"]})
    assert (is_offered, made.status_code) == ((True, 200) if role in {"auditor", "staff"} else (False, 422))


@pytest.mark.django_db
def test_a_key_is_revoked_by_its_owner_or_an_administrator(client: Client, house: House) -> None:
    keys = [issue(tenant=house.tenant, user=house.stranger.user)[0] for _ in range(3)]
    for place, key, status in (
        (house.granted, keys[0], 404),
        (house.stranger, keys[1], 302),
        (house.owner, keys[2], 302),
    ):
        client.force_login(place.user)
        assert client.post(f"/accounts/keys/{key.pk}/revoke/").status_code == status
        key.refresh_from_db()
        assert (key.revoked_at is None) == (status == 404)


@pytest.mark.django_db
def test_an_administrator_sees_all_keys_and_others_their_own(client: Client, house: House) -> None:
    for place, name in ((house.stranger, "Mine"), (house.granted, "Theirs")):
        issue(tenant=house.tenant, user=place.user, name=name)
    client.force_login(house.stranger.user)
    texts = read(text(client.get("/accounts/keys/"))).texts
    assert "Mine" in texts
    assert "Theirs" not in texts
    client.force_login(house.owner.user)
    assert {"Mine", "Theirs"} <= set(read(text(client.get("/accounts/keys/"))).texts)


@pytest.mark.django_db
def test_the_reference_shows_each_route_and_shape(own: Client) -> None:
    texts = read(text(own.get("/api/"))).texts
    assert {"/v1/chat/completions", "/v1/vector_stores/{store_id}/search", "CitationSchema"} <= set(texts)


@pytest.mark.django_db
def test_the_reference_is_searched(own: Client) -> None:
    texts = read(text(own.get("/api/", {"q": "citationschema case_index"}))).texts
    assert "CitationSchema" in texts
    assert "/v1/files" not in texts
    assert "0 entries" in read(text(own.get("/api/", {"q": "zeppelin"}))).texts
    part = own.get("/api/", {"q": "lookup"}, headers={"HX-Request": "true", "HX-Target": "api-found"})
    assert "<html" not in text(part)
    assert "/v1/citations/lookup" in read(text(part)).texts


@pytest.mark.django_db
def test_the_eight_fields_of_the_citation_schema_are_documented(own: Client) -> None:
    schema = own.get("/v1/openapi.json").json()["components"]["schemas"]["CitationSchema"]
    assert sorted(schema["required"]) == sorted(schema["properties"])
    assert len(schema["properties"]) == 8
    assert schema["properties"]["source_id"]["format"] == "uuid"
