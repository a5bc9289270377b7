"""All set-up that an installation needs before its first page and its first match. Done again, it changes nothing."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command

from arena.ladders.models import Ladder
from arena.ladders.services.recomputing import recompute_ladder
from arena.management.authors_wheel import WheelBuildError, build_authors_wheel
from arena.management.prepare_lock import hold_prepare_lock
from arena.management.seed import seed_database


def prepare_installation(say: Callable[[str], None]) -> str | None:
    """Create folders, tables, static files and sample bots. Return the password of a new admin, shown nowhere else.

    Of several processes at once each waits for the one before, and says so.
    """
    say(f"Preparing {settings.DATA_DIR}: the database, the pages and the sample bots.")
    settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
    if not settings.REDIS_URL:
        settings.BROKER_DIR.mkdir(exist_ok=True)
    with hold_prepare_lock(say):
        call_command("migrate", interactive=False, verbosity=0)
        build_missing_pair_totals()
        collect_static_files()
        build_wheel(say)
        return seed_database()


def build_wheel(say: Callable[[str], None]) -> None:
    """Build the wheel of the authors' command. The arena runs without one, and its page says so."""
    try:
        build_authors_wheel(settings.WHEEL_DIR)
    except WheelBuildError as error:
        say(f"The command for authors can't be handed out: its wheel was not built. {error}")


def build_missing_pair_totals() -> None:
    """Compute the pair totals of ladders that were played on before these totals existed."""
    for ladder in Ladder.objects.filter(last_sequence__gt=0, fitted_at=None, pair_stats=None):
        recompute_ladder(ladder=ladder)


def collect_static_files() -> None:
    """Collect and compress the files that pages need, unless just these were collected last time."""
    mark: Path = settings.STATIC_ROOT / "collected"
    found = _hash_static_sources()
    if mark.exists() and mark.read_text() == found:
        return
    call_command("collectstatic", interactive=False, verbosity=0, clear=settings.STATIC_ROOT.exists())
    mark.write_text(found)


def _hash_static_sources() -> str:
    digest = hashlib.sha256(settings.STORAGES["staticfiles"]["BACKEND"].encode())
    for finder in get_finders():
        for path, storage in finder.list([]):
            digest.update(f"{path} {storage.size(path)} {storage.get_modified_time(path)}\n".encode())
    return digest.hexdigest()
