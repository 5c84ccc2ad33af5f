"""A Django app that takes every permission filter out of the process that installs it."""

from importlib import import_module

from django.apps import AppConfig


class ForgetEverything(AppConfig):
    """Forgets when all apps are there; what it replaces can't be imported before."""

    name = "tests"
    label = "mutants"

    def ready(self) -> None:
        """Forget."""
        mutants = import_module("tests.mutants")
        mutants.forget(setattr, *mutants.MUTANTS)
