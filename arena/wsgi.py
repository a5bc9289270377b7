"""The WSGI application."""

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
application = get_wsgi_application()

# A full collection of garbage walks over all that lives, and held up one in ten of the longer lists by 100 ms. What is
# loaded now lives as long as the process, so it is left out; and a list of some thousand objects is no reason to begin.
get_resolver().url_patterns  # noqa: B018 - loads every view
gc.collect()
gc.freeze()
gc.set_threshold(10_000, 10, 10)
