"""Statements of the door that are kept as text: word for word those that Django writes for the same asker."""

import uuid
from collections.abc import Sequence

import pytest
from django.core.exceptions import EmptyResultSet

from citeweb.accounts.tenancy import Place
from sources.compiled import Given, Rows, compiled
from sources.retrieval import _named, _numbered
from sources.retrieval_lexical import _readable
from sources.retrieval_vector import _distances
from tests.conftest import House

STATEMENTS = (_readable, _numbered, _named, _distances)


def written(rows: Rows, place: Place, collections: Sequence[uuid.UUID] | None) -> tuple[str, list[object]]:
    sql, parameters = rows(place.user, place.tenant, collections).query.sql_with_params()
    return sql, list(parameters)


@pytest.mark.parametrize("rows", STATEMENTS)
def test_it_works(rows: Rows, house: House, neighbour: House) -> None:
    shelves = [house.open_shelf.pk, house.closed_shelf.pk]
    for place in (house.stranger, house.granted, neighbour.owner, house.stranger):
        for collections in (None, shelves[:1], shelves, shelves[::-1]):
            kept = compiled(rows, user=place.user, tenant=place.tenant, collections=collections)
            assert kept == written(rows, place, collections)


def test_places_are_filled_in(house: House) -> None:
    user, tenant = house.stranger.user, house.tenant
    _, parameters = compiled(_numbered, user=user, tenant=tenant)
    [place] = [one for one in parameters if isinstance(one, Given)]
    _, filled = compiled(_numbered, user=user, tenant=tenant, given={place: [1, 2]})
    assert [1, 2] in filled
    assert place not in filled


@pytest.mark.parametrize("rows", STATEMENTS)
def test_no_collection_has_no_rows(rows: Rows, house: House) -> None:
    with pytest.raises(EmptyResultSet):
        compiled(rows, user=house.owner.user, tenant=house.tenant, collections=[])
