"""All set-up before the first page and match: tables, files, ladders, sample bots. Done again, it changes nothing."""

import base64
import fcntl
import hashlib
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import TextIO
from zipfile import ZIP_DEFLATED, ZipFile

from django.apps import apps
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder

from arena.bots.models import Bot, BotVersion
from arena.bots.running import (
    find_sample_folder,
    is_on_ladder,
    list_anchors,
    list_levels,
    list_samples,
    read_sample_files,
)
from arena.bots.services import add_version, create_bot
from arena.contests.formations.services import register_library
from arena.contests.ladders.models import Ladder
from arena.contests.ladders.queries import list_ladders_of_bot
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.refitting import recompute_ladder
from arena.contests.ladders.services.seasons import make_samples_anchors, open_season
from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.services.entering import enter
from arena.contests.tournaments.services.organising import TournamentPlan, close_entries, create, open_entries
from arena.contests.tournaments.services.playing import advance_tournament
from arena.contests.tournaments.settings import Settings
from arena.core.catalogues import compile_catalogues
from arena.core.database import check_release
from arena.core.release import DISTRIBUTION, REPOSITORY_ROOT, hash_folders
from arena.people.accounts.models import User
from arena.runner import archive
from engine.registry import GAMES

# Build the wheel of the authors' command that the arena hands out at `/install/`.
#
# It is of the version that runs here, and needs no package index of its own.

WHEEL_SOURCE_FOLDERS = ("arena", "bots", "docs", "engine", "templates")
"""The folders of a checkout from which a wheel is built."""
COMPILING_VARIABLE = "HATCH_BUILD_HOOK_ENABLE_MYPYC"
"""Compiled files are for one machine, and the wheel is for all."""
PRIVATE_FILE_MODE = 0o600
"""The mode of all files of the data folder; the build backend makes its own readable by everybody."""
BUILD_TIMEOUT_S = 120
NOT_IN_WHEEL = ("../", "__pycache__")
INSTALLATION_FILES = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json")
"""Files that an installer adds beside those of the wheel."""


class WheelBuildError(Exception):
    """The wheel could not be built. The text says why."""


def build_authors_wheel(folder: Path) -> Path:
    """Return the wheel in this folder, built anew unless it is of the present files. Raises WheelBuildError."""
    mark = folder / "built-from"
    found = compute_source_hash()
    known = next(folder.glob("*.whl"), None)
    if known is not None and mark.is_file() and mark.read_text() == found:
        return known
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as draft:
        built = build_from_checkout(Path(draft)) if is_checkout() else pack_installed_files(Path(draft))
        for old in folder.glob("*.whl"):
            old.unlink()
        wheel = Path(shutil.move(built, folder / built.name))
    wheel.chmod(PRIVATE_FILE_MODE)
    mark.write_text(found)
    return wheel


def is_checkout() -> bool:
    """Return whether this code runs from a checkout, from which a wheel can be built."""
    return (REPOSITORY_ROOT / "pyproject.toml").is_file()


def compute_source_hash() -> str:
    """Return a hash of all that a wheel is made from."""
    if not is_checkout():
        return str(distribution(DISTRIBUTION).read_text("RECORD"))
    return hash_folders([REPOSITORY_ROOT / name for name in WHEEL_SOURCE_FOLDERS])


def build_from_checkout(folder: Path) -> Path:
    """Build the wheel by the project's own build backend. Raises WheelBuildError."""
    environment = {name: value for name, value in os.environ.items() if name != COMPILING_VARIABLE}
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    try:
        subprocess.run(
            command,
            cwd=REPOSITORY_ROOT,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=BUILD_TIMEOUT_S,
        )
    except subprocess.CalledProcessError as error:
        raise WheelBuildError(error.stderr.strip()) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WheelBuildError(str(error)) from error
    return next(folder.glob("*.whl"))


def pack_installed_files(folder: Path) -> Path:
    """Pack what was installed from a wheel into a wheel again."""
    installed = distribution(DISTRIBUTION)
    tag = read_tag(installed)
    wheel = folder / f"{DISTRIBUTION.replace('-', '_')}-{installed.version}-{tag}.whl"
    records = []
    with ZipFile(wheel, "w", ZIP_DEFLATED) as archive:
        for file in installed.files or ():
            name = file.as_posix()
            if file.name in INSTALLATION_FILES or any(part in name for part in NOT_IN_WHEEL):
                continue
            content = file.read_binary()
            archive.writestr(name, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            records.append(f"{name},sha256={digest},{len(content)}")
        record = f"{installed.name.replace('-', '_')}-{installed.version}.dist-info/RECORD"
        archive.writestr(record, "\n".join([*records, f"{record},,"]) + "\n")
    return wheel


def read_tag(installed: Distribution) -> str:
    """Return for which machines the installed wheel is, as `py3-none-any`."""
    lines = (installed.read_text("WHEEL") or "").splitlines()
    return next(line.removeprefix("Tag: ") for line in lines if line.startswith("Tag: "))


# Create what every installation has: ladders, sample bots, named formations and an administrator.

HOUSE_USERNAME = "house"
ADMIN_USERNAME = "admin"


def seed_database() -> str | None:
    """Add ladders, samples and an admin, and register the library; return a new admin's password, else None."""
    for key, game in GAMES.items():
        for edition, name in game.editions.items():
            open_season(game=key, edition=edition, title=f"{game.title}, {name}")
    for key in GAMES:
        for name in list_samples(key):
            if find_sample_folder(key, name).is_dir():
                _enter_sample(key, name)
        for name in list_levels(key):
            _store_sample(key, name)
    for ladder in Ladder.objects.open():
        make_samples_anchors(ladder=ladder)
    register_library()
    return _create_admin()


def _enter_sample(game: str, name: str) -> None:
    """Enter a sample as it stands in the folder: a new version where that has changed."""
    version = _store_sample(game, name)
    for ladder in list_ladders_of_bot(version.bot):
        if is_on_ladder(name, ladder.edition):
            enter_version(ladder=ladder, version=version)


def _store_sample(game: str, name: str) -> BotVersion:
    """Return the version with the files of a sample: a new one where they have changed."""
    house, is_new = User.objects.get_or_create(username=HOUSE_USERNAME, defaults={"is_house": True})
    if is_new:
        house.set_unusable_password()
        house.save(update_fields=["password"])
    bot = Bot.objects.filter(owner=house, name=name, game=game).first() or _create_sample_bot(house, game, name)
    files = dict(read_sample_files(game, name))
    version = bot.versions.order_by("-number").first()
    if version is None or version.sha256 != archive.hash_zip(archive.pack_files(files)):
        version = add_version(bot=bot, files=files, state=BotVersion.State.ACCEPTED)
    return version


def _create_sample_bot(house: User, game: str, name: str) -> Bot:
    """Create a sample's bot for a game; the bot of its first game has the plain slug."""
    is_taken = Bot.objects.filter(slug=name).exists()
    return create_bot(owner=house, name=name, game=game, slug=f"{name}-{game}" if is_taken else name)


def _create_admin() -> str | None:
    if User.objects.filter(is_superuser=True).exists():
        return None
    password = secrets.token_urlsafe(12)
    User.objects.create_superuser(ADMIN_USERNAME, password=password)
    return password


# Create tournaments of the sample bots in a new installation.

DEMO_GAME = "battleline"
CUP_PLAN = TournamentPlan(
    title="Opening Cup",
    description="The sample bots in a small bracket: a bot that loses twice is out.",
    game=DEMO_GAME,
    edition="short",
    settings=Settings(format="double-elimination"),
)
LEAGUE_PLAN = TournamentPlan(
    title="House League",
    description="The sample bots in a double round robin, which is played only when nothing else waits.",
    game=DEMO_GAME,
    edition="standard",
    settings=Settings(format="double-round-robin", matches_per_pairing=10),
    is_low_priority=True,
)


@transaction.atomic
def create_demo_tournaments() -> None:
    """Create a short cup and a long league of the sample bots, unless there has been any tournament."""
    organiser = User.objects.filter(is_superuser=True).order_by("pk").first()
    if organiser is None or Tournament.objects.exists():
        return
    bots = Bot.objects.filter(owner__is_house=True, game=DEMO_GAME, name__in=list_anchors(DEMO_GAME))
    for plan in (CUP_PLAN, LEAGUE_PLAN):
        tournament = open_entries(tournament=create(organiser=organiser, plan=plan), organiser=organiser)
        for bot in bots:
            enter(tournament=tournament, bot=bot, user=organiser)
        close_entries(tournament=tournament, organiser=organiser)
        advance_tournament(tournament=tournament)


# Let one process at a time prepare an installation: two that migrate a database at the same time break it.

POSTGRESQL_LOCK = 0x70656E6E616E74
"""Number of the advisory lock, which all processes on the database share."""
WAITING = "Another process is preparing this installation. Waiting for it to finish."


@contextmanager
def hold_prepare_lock(say: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of this installation. Where another process holds it, say so and wait. It ends with its process."""
    lock = _lock_database if connection.vendor == "postgresql" else _lock_file
    with lock(lambda: say(WAITING)):
        yield


@contextmanager
def _lock_database(on_wait: Callable[[], None]) -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [POSTGRESQL_LOCK])
        if cursor.fetchone() == (False,):
            on_wait()
            cursor.execute("SELECT pg_advisory_lock(%s)", [POSTGRESQL_LOCK])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [POSTGRESQL_LOCK])


@contextmanager
def _lock_file(on_wait: Callable[[], None]) -> Iterator[None]:
    with Path(f"{connection.settings_dict['NAME']}.prepare-lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


# Check whether `up` may begin, and whether the site answers already.


def lock_data_folder(path: Path) -> TextIO:
    """Hold this installation; closing the file lets it go. Raises CommandError where another `up` holds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.open("a")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise CommandError(f"Another `up` is using the data in {path.parent}. Stop it first.") from None
    return lock


def check_port(host: str, port: int) -> None:
    """Check that one can listen there. Raises CommandError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise CommandError(
                f"Port {port} of {host} can't be used: {reason}. Choose another: up --port {min(port, 65000) + 1}"
            ) from None


def is_answering(host: str, port: int) -> bool:
    """Return whether a server listens at the address."""
    try:
        socket.create_connection((host, port), timeout=0.2).close()
    except OSError:
        return False
    return True


def choose_browser_host(host: str) -> str:
    """Return what a browser on this machine calls an address to listen on."""
    return "localhost" if host in ("0.0.0.0", "127.0.0.1", "::") else bracket(host)


def bracket(host: str) -> str:
    """Return a host as an address has it before its port: one of IPv6 stands in brackets."""
    return f"[{host}]" if ":" in host else host


# Give the database role of workers what they need, and no more.
#
# Workers run strangers' programs, so they should be able to do less to the database than the site: they own nothing
# and can't change the schema, read no session, token or second factor, and change no account.

CLOSED = frozenset(
    """
    account_emailconfirmation accounts_invitation accounts_limitedaction bots_token django_admin_log django_session
    groups_invitation groups_signinlink mfa_authenticator socialaccount_socialaccount socialaccount_socialapp
    socialaccount_socialtoken usersessions_usersession
    """.split()
)
"""Tables by which one could sign in as somebody, or join something; the worker for analyses cleans them up."""
READ_ONLY = frozenset(
    """
    account_emailaddress accounts_user accounts_user_groups accounts_user_user_permissions auth_group
    auth_group_permissions auth_permission django_content_type django_migrations
    """.split()
)
"""Tables of accounts and rights, and those that a migration alone writes."""
APPEND_ONLY = frozenset({"audit_auditentry"})
LOCKED_BY_COLUMN = {"accounts_user": "time_zone"}
"""To lock a row one must be allowed to change a column: the most harmless one."""


def list_rights(table: str) -> str:
    """Return the rights that workers have to a table, as SQL names them; empty for none."""
    if table in CLOSED:
        return ""
    if table in READ_ONLY:
        return "select"
    return "select, insert" if table in APPEND_ONLY else "select, insert, update, delete"


def list_tables() -> list[str]:
    """List the tables of the arena."""
    models = apps.get_models(include_auto_created=True)
    return sorted({model._meta.db_table for model in models if model._meta.managed} | {"django_migrations"})


def grant_rights(role: str) -> None:
    """Give a role of PostgreSQL the rights of workers, and take from it what else it has to the arena's tables.

    Raises CommandError where there is no such role, or where it has more than can be taken from it here.
    """
    if connection.vendor != "postgresql":
        raise CommandError("PENNANT_WORKER_ROLE is a PostgreSQL role, but the database isn't PostgreSQL.")
    name = connection.ops.quote_name(role)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "select rolsuper or pg_has_role(rolname, current_user, 'member') from pg_roles where rolname = %s", [role]
        )
        row = cursor.fetchone()
        if row is None:
            raise CommandError(f"PENNANT_WORKER_ROLE: the database has no role {role}. Create it: createuser {role}")
        if row[0]:
            raise CommandError(f"PENNANT_WORKER_ROLE: {role} has all the site's rights. Workers need another role.")
        for table in list_tables():
            quoted = connection.ops.quote_name(table)
            cursor.execute(f"revoke all on {quoted} from {name}")
            if rights := list_rights(table):
                cursor.execute(f"grant {rights} on {quoted} to {name}")
            if column := LOCKED_BY_COLUMN.get(table):
                cursor.execute(f"grant update ({column}) on {quoted} to {name}")


# All set-up that an installation needs before its first page and its first match. Done again, it changes nothing.


def prepare_installation(say: Callable[[str], None]) -> str | None:
    """Create folders, tables, static files and sample bots. Return the password of a new admin, shown nowhere else.

    Of several processes at once each waits for the one before, and says so.
    """
    say(f"Preparing {settings.DATA_DIR}: database, pages and sample bots.")
    settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
    if not settings.REDIS_URL:
        settings.BROKER_DIR.mkdir(exist_ok=True)
    with hold_prepare_lock(say):
        check_release(MigrationRecorder(connection).applied_migrations())
        call_command("migrate", interactive=False, verbosity=0)
        if settings.WORKER_ROLE:
            grant_rights(settings.WORKER_ROLE)
        build_missing_pair_totals()
        compile_translations(say)
        collect_static_files()
        build_wheel(say)
        return seed_database()


def compile_translations(say: Callable[[str], None]) -> None:
    """Compile the catalogues that have changed. Where that can't be written, pages keep those of the installation."""
    try:
        compile_catalogues(settings.LOCALE_PATHS)
    except OSError as error:
        say(f"Translations can't be compiled, so some might be out of date: {error}")


def build_wheel(say: Callable[[str], None]) -> None:
    """Build the wheel of the authors' command. The arena runs without one, and its page says so."""
    try:
        build_authors_wheel(settings.WHEEL_DIR)
    except WheelBuildError as error:
        say(f"Authors can't install the pennant command from this site: its wheel wasn't built. {error}")


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
