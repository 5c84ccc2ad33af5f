"""Citeweb's settings with one thing that would cost the tests minutes: slow password hashes."""

from citeweb.settings import *  # noqa: F403  # the one purpose of this module

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
