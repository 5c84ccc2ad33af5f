"""The tenant's border in PostgreSQL itself: it holds when a query forgets its filter, and when nobody acts at all."""

import asyncio
import contextvars
import io
from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.db import DatabaseError, ProgrammingError, connection, connections, transaction

from chat.models import Conversation
from citeweb.accounts.models import ApiKey, Membership, Tenant, User
from citeweb.accounts.row_security import acting_as_system, acting_for, current_scope, go_on_for
from citeweb.accounts.tenancy import tenants_of
from citeweb.database import roles
from citeweb.database.base import DatabaseWrapper
from citeweb.threads import in_thread
from sources.models import Chunk, Collection, Document
from tests.conftest import House, join, make_house
from tests.tenant_tables import counts, furnish, tenant_tables

pytestmark = pytest.mark.django_db


def value(query: str, *parameters: str) -> object:
    """Return the one value that a query gives."""
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return cursor.fetchone()[0]


# --- The roles ----------------------------------------------------------------------------------------


def test_the_application_is_a_role_of_its_own() -> None:
    roles.check_bound(connection)
    rights = (
        "SELECT rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb FROM pg_roles WHERE rolname = {}"
    )
    assert value(rights.format("current_user")) is False
    assert value(rights.format("session_user")) is False
    assert value("SELECT bool_or(pg_has_role(tableowner, 'MEMBER')) FROM pg_tables") is False


@pytest.mark.parametrize(
    "statement",
    [
        "TRUNCATE sources_page",
        "ALTER TABLE sources_page DISABLE ROW LEVEL SECURITY",
        "DROP POLICY tenant_border ON sources_page",
        "SELECT key FROM citeweb_scope_key",
        "CREATE TABLE mine (id int)",
    ],
)
def test_the_application_may_not_get_around_the_border(statement: str) -> None:
    with pytest.raises(ProgrammingError, match=r"must be owner|permission denied"):
        value(statement)


def test_a_role_that_policies_do_not_bind_is_refused() -> None:
    owner = connections["default"].copy()
    assert isinstance(owner, DatabaseWrapper)
    with owner.as_owner(), pytest.raises(roles.RoleProblem, match="DATABASE_URL connects as a superuser"):
        roles.check_bound(owner)


# --- The tables ---------------------------------------------------------------------------------------


def test_every_table_that_holds_tenants_rows_has_a_forced_policy() -> None:
    found = tenant_tables()
    assert len(found) > 15
    without = [name for name, forced, policies in found if not (forced and "tenant_border" in policies)]
    assert without == [], (
        "add tenant_border(…) to the migration that makes the table, see docs/permissions.md"
    )


def test_a_query_without_any_filter_returns_nothing_of_another_tenant(house: House, neighbour: House) -> None:
    furnish(house), furnish(neighbour)
    everything = counts()
    assert [table for table, rows in everything.items() if not rows] == [], "furnish() them all"
    with acting_for(tenant=house.tenant, user=house.stranger.user):
        here = counts()
        assert {row.tenant_id for row in Chunk.objects.all()} == {house.tenant.pk}
    with acting_for(tenant=neighbour.tenant):
        there = counts()
    assert all(0 < here[table] < everything[table] for table in everything)
    assert {table: here[table] + there[table] for table in everything} == everything


def test_nobody_sees_nothing(house: House) -> None:
    furnish(house)
    with acting_for():
        assert set(counts().values()) == {0}


def test_a_user_without_a_tenant_sees_their_own_memberships_only(house: House, neighbour: House) -> None:
    furnish(house), furnish(neighbour)
    join(house.stranger.user, neighbour.tenant)
    with acting_for(user=house.stranger.user):
        in_sight = {table: rows for table, rows in counts().items() if rows}
        assert in_sight == {"accounts_membership": 2, "accounts_tenant": 2}
        assert tenants_of(house.stranger.user) == [house.tenant, neighbour.tenant]


def test_an_update_or_delete_without_filter_stays_inside(house: House, neighbour: House) -> None:
    furnish(house), furnish(neighbour)
    with acting_for(tenant=house.tenant):
        Document.objects.update(title="Ours")
        ApiKey.objects.all().delete()
    assert set(Document.objects.values_list("tenant", "title")) == {
        (house.tenant.pk, "Ours"),
        (neighbour.tenant.pk, "Secrets"),
    }
    assert [key.tenant for key in ApiKey.objects.all()] == [neighbour.tenant]


@pytest.mark.parametrize(
    "write",
    [
        lambda ours, theirs: Collection.objects.create(tenant=theirs.tenant, name="Smuggled"),
        lambda ours, theirs: Collection.objects.filter(pk=ours.open_shelf.pk).update(tenant=theirs.tenant),
        lambda ours, theirs: Membership.objects.create(tenant=theirs.tenant, user=ours.owner.user),
        lambda ours, theirs: Tenant.objects.create(slug="new", name="New"),
    ],
)
def test_nothing_is_written_across_the_border(
    house: House, neighbour: House, write: Callable[[House, House], object]
) -> None:
    with (
        acting_for(tenant=house.tenant, user=house.owner.user),
        pytest.raises(ProgrammingError, match="violates row-level security policy"),
        transaction.atomic(),
    ):
        write(house, neighbour)


# Functions that run as another role than the application's, past the policies. Each holds the border itself; a new
# one is called below, for another tenant and by nobody.
_PAST_THE_POLICIES = {
    "citeweb_scope": "SELECT citeweb_scope()",
    "sources_chunks_holding": "SELECT count(*) FROM sources_chunks_holding({tenant}, 'the', 'the')",
    "chat_audit_lock_head": "SELECT count(*) FROM chat_audit_lock_head({tenant})",
    "chat_audit_find": "SELECT count(*) FROM chat_audit_find("
    "{tenant}, 'w=0', 1 << 14, 0, '-infinity', 'infinity', 10)",
    "chat_audit_find_newer": "SELECT count(*) FROM chat_audit_find_newer("
    "{tenant}, 'w=0', 0, 1 << 14, '-infinity', 'infinity', 10)",
    # A trigger: PostgreSQL calls it, for a row that the policy of its table lets in.
    "chat_audit_follow": "",
}


def test_no_function_past_the_policies_is_unknown() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT proname FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace"
        )
        assert {name for (name,) in cursor.fetchall()} == set(_PAST_THE_POLICIES)


def test_functions_past_the_policies_hold_the_border(house: House, neighbour: House) -> None:
    furnish(house), furnish(neighbour)
    queries = [query for name, query in _PAST_THE_POLICIES.items() if "{tenant}" in query]
    theirs = [query.format(tenant=f"'{neighbour.tenant.pk}'") for query in queries]
    anybodys = [query.format(tenant="null") for query in queries]
    with acting_for(tenant=neighbour.tenant):
        assert all(value(query) for query in theirs)
        assert [value(query) for query in anybodys] == [0] * len(theirs)
    for scope in (acting_for(tenant=house.tenant, user=house.owner.user), acting_for()):
        with scope:
            assert [value(query) for query in theirs + anybodys] == [0] * 2 * len(theirs)


# --- The scope ----------------------------------------------------------------------------------------


def test_a_scope_can_not_be_made_in_sql(house: House, neighbour: House) -> None:
    furnish(neighbour)
    with acting_for(tenant=house.tenant):
        note = current_scope()
    signature = note.rpartition("|")[2]
    forged = [
        "||system",
        f"||system|{signature}",
        f"{neighbour.tenant.pk}||",
        note.replace(str(house.tenant.pk), str(neighbour.tenant.pk)),
    ]
    # The outer row makes PostgreSQL set the note before it counts.
    query = (
        "SELECT (SELECT count(*) FROM sources_document WHERE note.text IS NOT NULL)"
        " FROM set_config('citeweb.scope', %s, true) AS note(text)"
    )
    with acting_for():
        for scope in forged:
            assert value(query, scope) == 0
        # The same way with a note that was signed shows what the forged ones would have shown.
        with acting_for(tenant=neighbour.tenant):
            signed = current_scope()
        assert value(query, signed) == 1


def test_only_identifiers_get_into_the_statement() -> None:
    with pytest.raises(ValueError, match="badly formed"), acting_for(tenant="'; DROP TABLE x; --"):  # type: ignore[arg-type]
        pass
    with pytest.raises(ValueError, match="invalid literal"), acting_for(user="1'"):  # type: ignore[arg-type]
        pass


@pytest.mark.django_db(transaction=True)
def test_a_scope_ends_with_its_statement_and_leaves_nothing_on_the_connection(house: House) -> None:
    assert Collection.objects.count() == 2
    assert connection.connection.execute("SELECT current_setting('citeweb.scope', true)").fetchone() == ("",)
    assert connection.connection.execute("SELECT count(*) FROM sources_collection").fetchone() == (0,)


@pytest.mark.django_db(transaction=True)
def test_scopes_take_turns_inside_one_transaction(house: House, neighbour: House) -> None:
    names = Collection.objects.values_list("tenant__slug", flat=True).distinct()
    with transaction.atomic():
        with acting_for(tenant=house.tenant):
            assert list(names.all()) == ["aurora"]
            with acting_for(tenant=neighbour.tenant):
                assert list(names.all()) == ["borealis"]
            assert list(names.all()) == ["aurora"]
            with acting_for():
                assert list(names.all()) == []
        assert sorted(names.all()) == ["aurora", "borealis"]


@pytest.mark.django_db(transaction=True)
def test_a_failed_statement_can_be_rolled_back_in_another_scope(house: House, neighbour: House) -> None:
    with acting_for(tenant=house.tenant), transaction.atomic():
        with pytest.raises(DatabaseError), transaction.atomic(), acting_for(tenant=neighbour.tenant):
            value("SELECT 1 / 0")
        assert Collection.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_many_statements_at_once_are_in_scope_too(house: House, neighbour: House) -> None:
    shelves = [[str(house.open_shelf.pk)], [str(neighbour.open_shelf.pk)]]
    with acting_for(tenant=house.tenant), connection.cursor() as cursor:
        cursor.executemany("UPDATE sources_collection SET name = 'Renamed' WHERE id = %s", shelves)
    assert [shelf.tenant for shelf in Collection.objects.filter(name="Renamed")] == [house.tenant]


def test_going_on_elsewhere_ends_with_the_scope_around(house: House, neighbour: House) -> None:
    with acting_for(user=house.owner.user):
        before = current_scope()
        with acting_for(tenant=house.tenant, user=house.owner.user):
            go_on_for(tenant=neighbour.tenant, user=house.owner.user)
            assert {shelf.tenant for shelf in Collection.objects.all()} == {neighbour.tenant}
        assert current_scope() == before


@pytest.mark.django_db(transaction=True)
async def test_tasks_and_threads_work_in_the_scope_that_started_them() -> None:
    one, other = await in_thread(make_house, "aurora"), await in_thread(make_house, "borealis")

    async def tenants() -> list[str]:
        return await in_thread(
            lambda: list(Collection.objects.values_list("tenant__slug", flat=True).distinct())
        )

    with acting_for(tenant=one.tenant):
        first = asyncio.create_task(tenants())
        with acting_for(tenant=other.tenant):
            second = asyncio.create_task(tenants())
    assert (await first, await second) == (["aurora"], ["borealis"])
    assert await asyncio.create_task(tenants(), context=contextvars.Context()) == []


# --- Across tenants on purpose ------------------------------------------------------------------------


def test_an_id_that_another_tenant_took_is_refused_like_any_other(house: House, neighbour: House) -> None:
    taken = Conversation.objects.create(tenant=neighbour.tenant, user=neighbour.owner.user, title="Theirs")
    with (
        acting_for(tenant=house.tenant, user=house.owner.user),
        pytest.raises(DatabaseError),
        transaction.atomic(),
    ):
        Conversation.objects.create(pk=taken.pk, tenant=house.tenant, user=house.owner.user, title="Ours")


def test_commands_of_the_operator_see_all_tenants(house: House, neighbour: House) -> None:
    furnish(house), furnish(neighbour)
    output = io.StringIO()
    with acting_for():
        call_command("create_collection", "--tenant", "aurora", "--name", "New", stdout=output)
        call_command("verify_audit", stdout=output)
        assert Tenant.objects.count() == 0
    assert output.getvalue() == "Created collection New in aurora.\nThe audit chain holds.\n"


def test_a_system_task_is_named() -> None:
    with acting_as_system("a test"):
        assert value("SELECT citeweb_acting_as_system()") is True
        assert User.objects.count() == 0
