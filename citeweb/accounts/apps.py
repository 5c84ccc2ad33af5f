"""Accounts: users, tenants, memberships, keys."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Registers the accounts app."""

    name = "citeweb.accounts"
    label = "accounts"
    verbose_name = "Accounts"
