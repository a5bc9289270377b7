"""The site's settings, with a data folder that lives as long as the tests."""

import atexit
import os
import shutil
import tempfile

os.environ["PENNANT_DATA"] = tempfile.mkdtemp(prefix="pennant-tests-")
for folder in ("broker", "static"):
    os.mkdir(os.path.join(os.environ["PENNANT_DATA"], folder))
atexit.register(shutil.rmtree, os.environ["PENNANT_DATA"], ignore_errors=True)

# Once a browser was driven its event loop stays in this thread, and Django would refuse to ask the database beside it.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

from arena.settings import *  # noqa: E402, F403
from arena.settings import DATA_DIR, DATABASES, STORAGES  # noqa: E402

DATABASES["default"]["TEST"] = (
    {"NAME": str(DATA_DIR / "test.sqlite3")} if "sqlite" in DATABASES["default"]["ENGINE"] else {}
)
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
API_PER_MINUTE = {"read": 100_000, "write": 100_000, "nobody": 100_000}
EXPORTS_PER_HOUR = 100_000
ANONYMOUS_PAGE_CACHE_S = 0
# Tests of what is shown are about the matches that they have played.
RECORDED_GAMES = False
