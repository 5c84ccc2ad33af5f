"""What is read of one moment, beside somebody who writes."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from citeweb.accounts.models import Tenant
from citeweb.accounts.row_security import acting_as_system
from citeweb.database.snapshot import one_moment


def _add(slug: str) -> None:
    try:
        with acting_as_system("a test's other thread"):
            Tenant.objects.create(slug=slug, name=slug)
    finally:
        connection.close()


def _in_another_thread(slug: str) -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(_add, slug).result()


@pytest.mark.django_db(transaction=True)
def test_it_works() -> None:
    with one_moment():
        before = Tenant.objects.count()
        _in_another_thread("meanwhile")
        assert Tenant.objects.count() == before
    assert Tenant.objects.count() == before + 1


@pytest.mark.django_db(transaction=True)
def test_the_connection_is_as_before_afterwards() -> None:
    with one_moment():
        Tenant.objects.count()
    before = Tenant.objects.count()
    _in_another_thread("afterwards")
    assert Tenant.objects.count() == before + 1
