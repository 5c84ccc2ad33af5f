"""The tests' settings for a server that has forgotten every permission filter."""

from tests.settings import *  # noqa: F403  # the one purpose of this module
from tests.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.mutant_app.ForgetEverything"]
