"""Behind a real PgBouncer in transaction mode, with fewer connections than clients (case B69).

Each transaction may run on another connection than the one before, next to those of other people: nothing that a
session would keep may matter, neither a scope nor a prepared statement nor a cursor.
"""

import io
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import httpx2
import psycopg
import pytest
from django.core.files.base import File
from django.db import connection

from citeweb.accounts.models import User
from citeweb.database import roles
from citeweb.threads import in_thread
from sources.models import Version, VersionState
from sources.uploads import accept_as_system
from tests.api_client import QUESTION, program_of
from tests.chat_socket import chat_page
from tests.conftest import House
from tests.documents import put
from tests.sources import PRICING, add_document
from tests.web_server import (
    ROOT,
    WebServer,
    environment_with,
    free_port,
    job_worker,
    session_cookie,
    test_database_url,
    web_server,
)

pytestmark = [pytest.mark.pgbouncer, pytest.mark.django_db(transaction=True)]

CONNECTIONS = 2
_SETTINGS = """
[databases]
* = host={host} port={server_port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {users}
pool_mode = transaction
default_pool_size = {connections}
max_client_conn = 200
"""


@pytest.fixture
def pooled(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A PgBouncer of the test's own, and the variables of a process that works through it."""
    program = shutil.which("pgbouncer") or shutil.which("/usr/sbin/pgbouncer")
    assert program is not None, "pgbouncer is missing; .ci/provide-browser installs it"
    port, users, settings = free_port(), tmp_path / "users.txt", tmp_path / "pgbouncer.ini"
    database = connection.settings_dict
    role = roles.app_role(database)
    users.write_text(f'"{role}" ""\n')
    settings.write_text(
        _SETTINGS.format(
            host=database["HOST"],
            server_port=database["PORT"] or 5432,
            port=port,
            users=users,
            connections=CONNECTIONS,
        )
    )
    # It won't run as root, and the folder of the embedded server's socket is its owner's.
    as_whom = ["-u", Path(database["HOST"]).owner()] if os.geteuid() == 0 else []
    process = subprocess.Popen([program, "-q", *as_whom, str(settings)])
    url = f"postgresql://{quote(role)}@127.0.0.1:{port}/{quote(database['NAME'])}"
    try:
        wait_for(url)
        yield {
            "DATABASE_URL": url,
            "DATABASE_OWNER_URL": test_database_url(),
            "CITEWEB_DATABASE_POOL": "no",
        }
    finally:
        process.terminate()
        process.wait(timeout=10)


def wait_for(url: str) -> None:
    end = time.monotonic() + 20
    while True:
        try:
            psycopg.connect(url).close()
            return
        except psycopg.OperationalError:
            assert time.monotonic() < end, "PgBouncer gives no answer"
            time.sleep(0.05)


@pytest.fixture
def pooled_server(pooled: dict[str, str], models_file: Path) -> Iterator[WebServer]:
    variables = {"CITEWEB_MODELS_FILE": str(models_file), **pooled}
    with web_server(workers=1, **variables) as server:
        yield server


def test_people_of_two_tenants_at_once_see_their_own(
    pooled_server: WebServer, pooled: dict[str, str], house: House, neighbour: House
) -> None:
    names = {house.stranger.user: "Aurora's handbook", neighbour.stranger.user: "Borealis's handbook"}
    put(house.open_shelf, names[house.stranger.user], "Ours.")
    put(neighbour.open_shelf, names[neighbour.stranger.user], "Theirs.")
    cookies = {name: session_cookie(user) for user, name in names.items()}

    def shown(name: str) -> set[str]:
        page = httpx2.get(f"{pooled_server.url}/sources/", headers={"Cookie": cookies[name]}, timeout=60)
        assert page.status_code == 200
        return {one for one in names.values() if one.replace("'", "&#x27;") in page.text}

    asked = [*names.values()] * 20
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(shown, asked)) == [{name} for name in asked]
    assert scopes_left(pooled["DATABASE_URL"]) == {""}


def scopes_left(url: str) -> set[str]:
    """Return what the pooler's connections still know of anybody, each of them asked."""
    query = "SELECT pg_backend_pid(), coalesce(current_setting('citeweb.scope', true), '')"
    # Open transactions hold a connection each, so that the next one gets another.
    clients = [psycopg.connect(url) for _ in range(CONNECTIONS)]
    try:
        found = [client.execute(query).fetchone() for client in clients]
    finally:
        for client in clients:
            client.close()
    assert len({row[0] for row in found if row}) == CONNECTIONS
    return {row[1] for row in found if row}


async def test_a_question_its_export_and_the_api(pooled_server: WebServer, house: House) -> None:
    await in_thread(add_document, house.open_shelf, "pricing.md", PRICING)
    cookie = await in_thread(session_cookie, house.stranger.user)
    async with chat_page(pooled_server, house.stranger, cookie=cookie) as page:
        await page.ask(QUESTION)
        await page.ended("complete")
        place = f"/c/{page.conversation_id}/turns/{await page.turn_id()}/export.txt"
    export = httpx2.get(pooled_server.url + place, headers={"Cookie": cookie})
    assert "Pricing Policy" in export.text
    with (await in_thread(program_of, pooled_server, house.stranger)).http() as http:
        asked = {"model": "citeweb-quote", "messages": [{"role": "user", "content": QUESTION}]}
        assert http.post("/v1/chat/completions", json=asked).json()["citations"]


def test_an_upload_is_processed(pooled: dict[str, str], house: House) -> None:
    file = File(io.BytesIO(PRICING.encode()))
    upload = accept_as_system(collection=house.open_shelf, file=file, file_name="pricing.md")
    with job_worker(**pooled):
        end = time.monotonic() + 30
        while Version.objects.get(pk=upload.version.pk).state != VersionState.READY:
            assert time.monotonic() < end
            time.sleep(0.05)


def test_lists_of_the_admin_site(pooled_server: WebServer, house: House, admin_user: User) -> None:
    headers = {"Cookie": session_cookie(admin_user)}
    for name in ("accounts/tenant", "accounts/user", "accounts/group", "sources/collection"):
        answer = httpx2.get(f"{pooled_server.url}/admin/{name}/", headers=headers)
        assert (answer.status_code, len(answer.text) > 1000) == (200, True)


def test_commands(pooled: dict[str, str], house: House) -> None:
    put(house.open_shelf, "Handbook", "Visitors sign in at the front desk.")
    member = ("--tenant", "aurora", "--email", house.stranger.user.email)
    assert "Handbook" in command(pooled, "search", *member, "Where do visitors sign in?")
    assert "The audit chain holds" in command(pooled, "verify_audit")
    command(pooled, "migrate")


def command(variables: dict[str, str], *arguments: str) -> str:
    """Run a command through the pooler and return what it prints."""
    call = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(
        call, cwd=ROOT, env=environment_with(**variables), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
