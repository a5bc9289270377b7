"""The WSGI application."""

import gc
import os
import sys

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
GUNICORN_BOOT_ERROR = 3
"""Exit status after which Gunicorn ends. After any other it starts the process again, and again."""
try:
    application = get_wsgi_application()
except SystemExit as refused:
    sys.stderr.write(f"{refused}\n")
    sys.exit(GUNICORN_BOOT_ERROR)

# A full collection of garbage walks over all that lives, and held up one in ten of the longer lists by 100 ms. What is
# loaded now lives as long as the process, so it is left out; and a list of some thousand objects is no reason to begin.
get_resolver().url_patterns  # noqa: B018 - loads every view
gc.collect()
gc.freeze()
gc.set_threshold(10_000, 10, 10)
