"""The pages of the audit as tests ask for and read them."""

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from chat.models import AuditRecord
from citeweb.accounts.models import User
from tests.page_reading import Page, read


def signed_in(user: User) -> Client:
    """Return a browser in which this person is signed in."""
    client = Client()
    client.force_login(user)
    return client


def page(response: object) -> Page:
    """Read a page that was found."""
    assert isinstance(response, HttpResponse)
    assert response.status_code == 200
    return read(response.content.decode())


def listed(client: Client, query: str = "") -> list[str]:
    """Return the summaries that the list shows."""
    shown = page(client.get(f"/audit/?{query}"))
    return [row.text for row in shown.with_class("audit-list__summary")]


def record_address(record: AuditRecord) -> str:
    """Return where a record is shown."""
    return reverse("audit:record", args=[record.tenant_id, record.sequence])
