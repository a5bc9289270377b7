"""The site's settings for the process that serves remote bots, with only the apps whose rows it reads and writes.

It has no pages, no API and no tasks. With all apps of the site it would take 30 MB more.
"""

from django.apps import AppConfig

from arena.settings import *  # noqa: F403


class Commands(AppConfig):
    """The app `arena` for its commands alone: its own configuration loads the tasks, which load everything."""

    name = "arena.operations"
    label = "arena"


INSTALLED_APPS = [
    f"{__name__}.Commands",
    "arena.people.accounts",
    "arena.people.groups",
    "arena.people.notices",
    "arena.bots",
    "arena.matches",
    "arena.matches.livegames",
    "arena.matches.remote",
    # Second factors of staff, and their addresses.
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.usersessions",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
]
MIDDLEWARE = ["allauth.account.middleware.AccountMiddleware"]  # allauth asks for it
