from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.cache import cache
from django.utils import translation


@pytest.fixture(autouse=True)
def _what_was_kept_and_counted_is_forgotten() -> None:
    """Empty the cache: limits of requests count by address, and all tests have the same one."""
    cache.clear()
    Path(settings.DATA_DIR, "drawing-time").unlink(missing_ok=True)


@pytest.fixture(autouse=True)
def _the_language_of_a_request_ends_with_its_test() -> Iterator[None]:
    """What a request switched on stays on in its thread: the next test shall not read Hungarian."""
    yield
    translation.deactivate()
