"""The API against tests/access_table.py, over HTTP: every route, every person, with their key."""

import json
import re
from itertools import count

import httpx2
import pytest

from tests.access_scene import PLACEHOLDER, Scene, set_scene
from tests.access_table import PEOPLE, TABLE, Row
from tests.conftest import House, make_house
from tests.test_access_table import METHODS
from tests.web_server import WebServer

# A few hundred requests; other work on the machine must not end them.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(400)]

API = [row for row in TABLE if row.path.startswith("v1/")]
# One for all: each would read the certificates anew.
_http = httpx2.Client(timeout=30)
# Different in any two answers.
_RANDOM = re.compile(r"x-request-id|x-ratelimit-.*|date")


@pytest.fixture
def scene(house: House, neighbour: House) -> Scene:
    return set_scene(house, neighbour)


def ask(server: WebServer, scene: Scene, row: Row, person: str) -> httpx2.Response:
    """Send the row's request with a person's key."""
    key = scene.keys.get(person)
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    body = None if row.method == "GET" else json.dumps(scene.fields(row))
    address = f"{server.url}/{scene.filled(row.path)}"
    return _http.request(row.method, address, headers=headers, content=body)


def shown(scene: Scene, row: Row, response: httpx2.Response) -> tuple[object, ...]:
    """What an answer tells, apart from the ids that the caller named and what is random in any answer."""
    headers = {name: value for name, value in response.headers.items() if not _RANDOM.fullmatch(name)}
    body = response.text
    for one, other in PLACEHOLDER.findall(row.text):
        body = body.replace(scene.values[one or other], "…")
    return response.status_code, headers | {"content-length": ""}, body


def test_every_method_has_a_row(server: WebServer, scene: Scene) -> None:
    rows = {(row.method, row.path) for row in API}
    taken = set()
    for path in {row.path for row in API}:
        allowed = ask(server, scene, Row("TRACE", path, ()), "curator").headers["Allow"]
        taken |= {(method, path) for method in METHODS & set(re.split(r", *", allowed))}
    assert sorted(taken - rows) == [], "add rows to tests/access_table.py"


def test_everybody_gets_what_the_table_says(server: WebServer) -> None:
    houses = (set_scene(make_house(f"aurora{n}"), make_house(f"borealis{n}")) for n in count())
    scene, wrong = next(houses), []
    for row in API:
        for person, status in zip(PEOPLE, row.statuses, strict=True):
            got = ask(server, scene, row, person).status_code
            if got != status:
                wrong.append(f"{row.method} {row.path}: {person} got {got}, not {status}")
            if row.method != "GET" and got < 400:
                # What it did must not show in the next row.
                scene = next(houses)
    assert wrong == []


def test_what_is_forbidden_looks_like_what_is_not_there(server: WebServer, scene: Scene) -> None:
    different = []
    for row in API:
        hidden = [person for person, status in zip(PEOPLE, row.statuses, strict=True) if status == 404]
        nowhere = scene.without(row) if PLACEHOLDER.search(row.text) else scene
        for person in hidden:
            forbidden = shown(scene, row, ask(server, scene, row, person))
            absent = shown(nowhere, row, ask(server, nowhere, row, person))
            if forbidden != absent:
                different.append((f"{row.method} {row.path}: {person}", forbidden, absent))
    assert different == []
