"""A conversation opens in its own tenant, with the roles that the reader holds there and no others."""

import uuid

import pytest
from django.test import Client

from chat import store
from citeweb.accounts.tenancy import SESSION_KEY
from tests.conftest import House, join

pytestmark = pytest.mark.django_db


def test_roles_do_not_travel_with_the_reader(client: Client, house: House, neighbour: House) -> None:
    curator_here = house.owner.user
    join(curator_here, neighbour.tenant)
    new = store.NewTurn(uuid.uuid4(), uuid.uuid4(), "When?", "citeweb-quote", "req")
    turn, _made = store.begin_turn(new, user=curator_here, tenant=neighbour.tenant)
    client.force_login(curator_here)
    session = client.session
    session[SESSION_KEY] = str(house.tenant.pk)
    session.save()
    response = client.get(f"/c/{turn.conversation_id}/")
    shown = response.context["place"]
    assert (shown.tenant, shown.roles) == (neighbour.tenant, {"member"})
    assert response.context["tenant"] == neighbour.tenant
