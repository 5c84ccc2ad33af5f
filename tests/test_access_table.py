"""The product against tests/access_table.py: every address and every person."""

import re
from collections.abc import Iterator

import pytest
import websockets
from django.db import transaction
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from chat.consumers import NOT_FOUND
from chat.routing import websocket_urlpatterns
from citeweb.accounts.models import Group, Tenant
from citeweb.threads import in_thread
from sources.models import Collection
from tests.access_scene import PLACEHOLDER, Scene, set_scene
from tests.access_table import NAMED_IN_FORMS, PEOPLE, TABLE, Row
from tests.conftest import House
from tests.page_reading import read
from tests.web_server import WebServer

# Masked anew in each answer.
_CSRF = re.compile(rb'(name="csrfmiddlewaretoken" value="|"x-csrftoken": ?")[^"]+', re.IGNORECASE)
# A few hundred requests; other work on the machine must not end them.
pytestmark = pytest.mark.timeout(400)
METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}
SOCKETS = [row for row in TABLE if row.method == "SOCKET"]
PAGES = [
    row for row in (*TABLE, *NAMED_IN_FORMS) if row.method != "SOCKET" and not row.path.startswith("v1/")
]


def addresses(resolver: URLResolver, prefix: str = "") -> Iterator[str]:
    """Yield every address of the URLconf as urls.py writes it."""
    for entry in resolver.url_patterns:
        path = prefix + str(entry.pattern).lstrip("^").removesuffix("$")
        if isinstance(entry, URLPattern):
            yield path
        elif isinstance(entry, URLResolver):
            yield from addresses(entry, path)


def pages() -> set[str]:
    """All addresses but those of the admin site and the API."""
    return {path for path in addresses(get_resolver()) if not path.startswith("admin/")}


@pytest.fixture
def scene(house: House, neighbour: House) -> Scene:
    return set_scene(house, neighbour)


def ask(scene: Scene, row: Row, person: str) -> HttpResponseBase:
    """Send the row's request as a person, and undo what it did."""
    with transaction.atomic():
        send = getattr(scene.client(person), row.method.lower())
        response: HttpResponseBase = send("/" + scene.filled(row.path), scene.fields(row))
        transaction.set_rollback(True)
    return response


def shown(response: HttpResponseBase) -> tuple[object, ...]:
    """What an answer tells: status, headers and body, without what is random in any answer."""
    body = b"".join(response) if response.streaming else _CSRF.sub(rb"\1", response.content)  # type: ignore[attr-defined]
    return response.status_code, sorted(response.headers.items()), body


# --- The table is whole -------------------------------------------------------------------------------


def test_every_address_has_a_row() -> None:
    sockets = {str(entry.pattern) for entry in websocket_urlpatterns}
    rows = {row.path for row in TABLE}
    there = pages() | sockets | set(addresses(get_resolver("chat.api.urls")))
    assert sorted(there - rows) == [], "add rows to tests/access_table.py"
    assert sorted(rows - there) == [], "these addresses are gone"


def test_no_address_has_two_rows() -> None:
    rows = [row.line for row in TABLE]
    assert sorted(line for line in set(rows) if rows.count(line) > 1) == []


@pytest.mark.django_db
def test_every_method_has_a_row(scene: Scene) -> None:
    rows = {(row.method, row.path) for row in PAGES}
    taken = {(method, path) for path in pages() for method in methods(scene, path)}
    assert sorted(taken - rows) == [], "add rows to tests/access_table.py"


def methods(scene: Scene, path: str) -> set[str]:
    """Return the methods that a page takes, as it says to who comes with another one."""
    answer = scene.client("curator").generic("BREW", "/" + scene.filled(path))
    allowed = set(re.split(r", *", answer.headers.get("Allow", "GET")))
    # allauth's forms take a PUT for a POST.
    return allowed & ({"GET", "POST"} if path.startswith("accounts/") else METHODS)


# --- The table holds ----------------------------------------------------------------------------------


@pytest.mark.django_db
def test_everybody_gets_what_the_table_says(scene: Scene) -> None:
    wrong = []
    for row in PAGES:
        got = tuple(ask(scene, row, person).status_code for person in PEOPLE)
        if got != row.statuses:
            wrong.append(f"{row.method} {row.path}: {got}")
    assert wrong == []


@pytest.mark.django_db
def test_what_is_forbidden_looks_like_what_is_not_there(scene: Scene) -> None:
    hidden = [
        (row, person)
        for row in PAGES
        if PLACEHOLDER.search(row.text)
        for person, status in zip(PEOPLE, row.statuses, strict=True)
        if status == 404
    ]
    different = [
        f"{row.method} {row.path}: {person}"
        for row, person in hidden
        if shown(ask(scene, row, person)) != shown(ask(scene.without(row), row, person))
    ]
    assert (len(hidden) > 60, different) == (True, [])


@pytest.mark.django_db(transaction=True)
async def test_sockets_open_for_whom_the_table_says(
    server: WebServer, house: House, neighbour: House
) -> None:
    scene = await in_thread(set_scene, house, neighbour)
    for row in SOCKETS:
        got = [await socket_status(server, scene, row, person) for person in PEOPLE]
        assert tuple(got) == row.statuses
        assert await socket_status(server, scene.without(row), row, "reader") == NOT_FOUND


async def socket_status(server: WebServer, scene: Scene, row: Row, person: str) -> int:
    """Return 101 for a socket that answers, else the code that it is closed with."""
    client = await in_thread(scene.client, person)
    cookies = "; ".join(f"{name}={cookie.value}" for name, cookie in client.cookies.items())
    address = f"{server.url.replace('http', 'ws')}/{scene.filled(row.path)}"
    async with websockets.connect(
        address, additional_headers={"Cookie": cookies}, origin=websockets.Origin(server.url)
    ) as socket:
        try:
            await socket.send("no frame of ours")
            await socket.recv()
        except websockets.ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else 0
        return 101


# --- The admin site -----------------------------------------------------------------------------------

# The form; all else sends there.
_ADMIN_OPEN = {"admin/login/": 200}


def admin_pages() -> list[str]:
    return sorted(path for path in addresses(get_resolver()) if path.startswith("admin/"))


@pytest.mark.django_db
@pytest.mark.parametrize("person", PEOPLE)
def test_the_admin_site_is_for_staff(scene: Scene, person: str) -> None:
    client = scene.client(person)
    got = {path: client.get("/" + scene.filled(path)).status_code for path in admin_pages()}
    assert len(got) > 20
    assert got == {path: _ADMIN_OPEN.get(path, 302) for path in got}


@pytest.mark.django_db
def test_staff_see_all_tenants_in_the_admin_site_and_the_pages_open(
    scene: Scene, admin_client: Client
) -> None:
    tenants = admin_client.get("/admin/accounts/tenant/")
    assert {"Aurora", "Borealis"} <= set(read(tenants.content.decode()).texts)
    lists = [path for path in admin_pages() if path.count("/") == 3 and "<" not in path]
    assert {admin_client.get(f"/{path}").status_code for path in lists} == {200}
    for model in (Tenant, Collection, Group):
        kept = model.objects.order_by("pk")[0]
        address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_change", args=[kept.pk])
        assert admin_client.get(address).status_code == 200
