"""What a page that isn't there would have been about, as far as its address tells."""

import re

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

PLACES = (
    (re.compile(r"/matches/(\d+)/"), gettext_noop("There is no match %(name)s, or not this part of it.")),
    (re.compile(r"/bots/([\w-]+)/v/(?:\d+)/"), gettext_noop("%(name)s has no such version.")),
    (re.compile(r"/bots/([\w-]+)/"), gettext_noop("There is no bot called %(name)s, or not this page of it.")),
    (re.compile(r"/rules/([\w-]+)/"), gettext_noop("There are no such rules of %(name)s.")),
)
"""The first that fits says it."""
QUERY = "given query"
"""Part of what the framework says of a row that it didn't find, in words for programmers."""


def name_missing(path: str, told: str) -> str:
    """A sentence; empty where nothing is known. `told` is what the view said of it."""
    if told.endswith(".") and QUERY not in told:
        return told
    for place, words in PLACES:
        if found := place.match(path):
            return _(words) % {"name": found[1]}
    return ""
