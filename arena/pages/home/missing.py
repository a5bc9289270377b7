"""Say what is missing at an address that leads nowhere."""

import re

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

MISSING_PAGE_TEXTS = (
    (re.compile(r"/matches/(\d+)/"), gettext_noop("There is no match %(name)s, or not this part of it.")),
    (re.compile(r"/bots/([\w-]+)/v/(?:\d+)/"), gettext_noop("%(name)s has no such version.")),
    (re.compile(r"/bots/([\w-]+)/"), gettext_noop("There is no bot called %(name)s, or not this page of it.")),
    (re.compile(r"/rules/([\w-]+)/"), gettext_noop("There are no such rules of %(name)s.")),
)
"""Patterns of addresses and what to say there; the first that fits is taken."""
DJANGO_NOT_FOUND_TEXT = "given query"
"""A part of Django's own message for a row that was not found, which is of no use to readers."""


def describe_missing_page(path: str, reason: str) -> str:
    """Describe what is missing at an address, or return an empty text. `reason` is the message of an Http404."""
    if reason.endswith(".") and DJANGO_NOT_FOUND_TEXT not in reason:
        return reason
    for pattern, text in MISSING_PAGE_TEXTS:
        if found := pattern.match(path):
            return _(text) % {"name": found[1]}
    return ""
