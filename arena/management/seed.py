"""Create what every installation has: ladders, sample bots, named formations and an administrator."""

import secrets

from arena.accounts.models import User
from arena.bots import archive
from arena.bots.models import Bot, BotVersion
from arena.bots.samples import (
    find_sample_folder,
    is_on_ladder,
    list_levels,
    list_samples,
    read_sample_files,
)
from arena.bots.services import add_version, create_bot
from arena.formations.services.counting import register_library
from arena.ladders.models import Ladder
from arena.ladders.queries.group_ladders import list_ladders_of_bot
from arena.ladders.services.entering import enter_version
from arena.ladders.services.seasons import make_samples_anchors, open_season
from engine.registry import GAMES

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
