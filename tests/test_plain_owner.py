"""The whole product where the tables' owner is an ordinary role: no superuser, no BYPASSRLS, and roles made by hand.

The policies are forced, so here they bind the owner too, and with it each function that runs in the owner's name.
"""

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import httpx2
import psycopg
import pytest
from django.db import connection
from psycopg import sql

from sources.demo.documents import DEMO_PASSWORD
from tests.web_server import ROOT, WebServer, environment_with, job_worker, test_database_url, web_server

pytestmark = pytest.mark.django_db(transaction=True)

# The name, the bytes and the type of a file, by the name of its field.
Files = Mapping[str, tuple[str, bytes, str]]
CURATOR = "ada@aurora.example"
MEMBER = ("--tenant", "aurora", "--email", CURATOR)
NOTE = "# Gate\n\nThe north gate closes at half past nine.\n"
# As in docs/permissions.md.
_BY_HAND = """
CREATE ROLE {owner} LOGIN;
CREATE ROLE {app} LOGIN;
CREATE ROLE {index} NOLOGIN;
GRANT {index} TO {owner};
CREATE DATABASE {name} OWNER {owner}
"""
_BY_ITSELF = """
CREATE ROLE {owner} LOGIN CREATEROLE;
CREATE DATABASE {name} OWNER {owner}
"""
_GONE = """
DROP DATABASE IF EXISTS {name} WITH (FORCE);
DROP ROLE IF EXISTS {app};
DROP ROLE IF EXISTS {index};
DROP ROLE IF EXISTS {owner}
"""


@pytest.fixture
def by_hand(tmp_path: Path, transactional_db: None) -> Iterator[dict[str, str]]:
    """A database whose three roles were made by hand, and the variables of a process that works in it."""
    with database_of(_BY_HAND) as roles:
        yield {
            "DATABASE_OWNER_URL": url_of(roles["name"], roles["owner"]),
            "DATABASE_URL": url_of(roles["name"], roles["app"]),
            "CITEWEB_DATA_DIR": str(tmp_path),
        }


@pytest.fixture
def by_itself(tmp_path: Path, transactional_db: None) -> Iterator[dict[str, str]]:
    """A database whose owner may make roles, and does."""
    with database_of(_BY_ITSELF) as roles:
        yield {
            "DATABASE_URL": url_of(roles["name"], roles["owner"]),
            "CITEWEB_DATA_DIR": str(tmp_path),
        }


@contextmanager
def database_of(statements: str) -> Iterator[dict[str, str]]:
    """Make a database with its roles, and remove both."""
    name = f"{connection.settings_dict['NAME']}_plain"
    roles = {"name": name} | {kind: f"{name}_{kind}" for kind in ("owner", "app", "index")}
    as_superuser("postgres", _GONE, **roles)
    as_superuser("postgres", statements, **roles)
    as_superuser(name, "CREATE EXTENSION vector")
    try:
        yield roles
    finally:
        as_superuser("postgres", _GONE, **roles)


def as_superuser(database: str, statements: str, **names: str) -> None:
    """Run statements as the superuser that the test server came with, one by one."""
    identifiers = {key: sql.Identifier(name) for key, name in names.items()}
    with psycopg.connect(url_of(database), autocommit=True) as superuser:
        for statement in statements.split(";"):
            superuser.execute(sql.SQL(statement).format(**identifiers))


def url_of(database: str, role: str = "") -> str:
    """Return the URL of a database on the tests' server."""
    url = test_database_url()
    used = connection.settings_dict
    url = url.replace(f"/{used['NAME']}?", f"/{quote(database)}?")
    return url.replace(f"//{quote(used['USER'])}@", f"//{quote(role)}@") if role else url


def run(variables: dict[str, str], *arguments: str) -> str:
    """Run a command and return what it prints."""
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment_with(**variables),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_uploading_asking_purging_and_proving_work(by_hand: dict[str, str], tmp_path: Path) -> None:
    run(by_hand, "migrate")
    run(by_hand, "load_demo")
    run(by_hand, "migrate")
    assert "budget" in run(by_hand, "search", *MEMBER, "When do enterprise customers get budget alerts?")
    asked = run(by_hand, "ask", *MEMBER, "When do enterprise customers get budget alerts?")
    assert "[^1]" in asked or "[1]" in asked
    path = tmp_path / "gate.md"
    path.write_text(NOTE)
    with job_worker(**by_hand), web_server(workers=1, **by_hand) as server:
        curator = Curator(server)
        address = curator.upload(path)
        assert "north gate" in run(by_hand, "search", *MEMBER, "When does the north gate close?")
        curator.purge(address)
        curator.wait_for("/sources/deleted/", lambda page: "gate.md" not in page and "Gate" not in page)
    assert "The audit chain holds" in run(by_hand, "verify_audit")
    assert words_left(by_hand, "north gate") == 0


def test_an_owner_who_may_make_roles_needs_nothing_by_hand(by_itself: dict[str, str]) -> None:
    run(by_itself, "migrate")
    run(by_itself, "load_demo")
    assert "budget" in run(by_itself, "search", *MEMBER, "When do enterprise customers get budget alerts?")
    run(by_itself, "ask", *MEMBER, "When do enterprise customers get budget alerts?")
    assert "The audit chain holds" in run(by_itself, "verify_audit")


def words_left(by_hand: dict[str, str], words: str) -> int:
    """Count the versions and chunks that hold the words, whoever's they are."""
    name = by_hand["DATABASE_URL"].split("?")[0].rsplit("/", 1)[1]
    with psycopg.connect(url_of(name)) as superuser:
        row = superuser.execute(
            "SELECT (SELECT count(*) FROM sources_version WHERE position(%(words)s in text) > 0)"
            " + (SELECT count(*) FROM sources_chunk WHERE position(%(words)s in text) > 0)",
            {"words": words},
        ).fetchone()
    assert row is not None
    return int(row[0])


class Curator:
    """Somebody at the pages of the running product."""

    def __init__(self, server: WebServer) -> None:
        self._http = httpx2.Client(base_url=server.url, follow_redirects=True, timeout=30)
        self._send("/accounts/login/", "/accounts/login/", login=CURATOR, password=DEMO_PASSWORD)

    def upload(self, path: Path) -> str:
        """Upload a file into the first collection, wait until it is ready, and return its document's address."""
        page = self._http.get("/sources/").text
        collection = re.search(r'<option value="([0-9a-f-]{36})"', page)
        assert collection is not None
        fields = {"collection": collection[1], "next": "/sources/?q=gate", "same_name": "replace"}
        files = {"documents": (path.name, path.read_bytes(), "text/markdown")}
        self._send("/sources/", "/sources/upload/", files=files, **fields)
        page = self.wait_for("/sources/?q=gate", lambda page: "badge--ready" in page)
        found = re.search(r'href="(/d/[0-9a-f-]{36}/)', page)
        assert found is not None
        return found[1]

    def purge(self, address: str) -> None:
        """Delete a document and order its purge."""
        self._send(f"{address}delete/", f"{address}delete/")
        purge = re.search(
            r'href="(/sources/deleted/[0-9a-f-]{36}/purge/)"', self._http.get("/sources/deleted/").text
        )
        assert purge is not None
        self._send(purge[1], purge[1])

    def wait_for(self, address: str, seen: Callable[[str], bool]) -> str:
        """Ask for a page until it shows what is wanted."""
        end = time.monotonic() + 60
        while True:
            page = self._http.get(address).text
            if seen(page):
                return page
            assert time.monotonic() < end, page
            time.sleep(0.1)

    def _send(self, form: str, action: str, files: Files | None = None, **fields: str) -> None:
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self._http.get(form).text)
        assert token is not None, form
        data = {"csrfmiddlewaretoken": token[1], **fields}
        answer = self._http.post(action, data=data, files=files)
        assert answer.status_code == 200, answer.text
