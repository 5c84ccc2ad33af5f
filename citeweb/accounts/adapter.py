"""How allauth behaves here: accounts are made by administrators, not by passers-by."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class ClosedSignup(DefaultAccountAdapter):  # type: ignore[misc]  # allauth ships no types
    """Sign in only."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Say no: `manage.py create_member` and the admin site make accounts."""
        return False
