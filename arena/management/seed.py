"""What every installation has: a ladder an edition, sample bots, named formations, and an administrator."""

import secrets

from arena.accounts.models import User
from arena.bots import archive
from arena.bots.models import Bot, BotVersion
from arena.bots.samples import FOLDER, SAMPLES
from arena.bots.services import add_version, create_bot
from arena.formations.services.counting import register_library
from arena.ladders.models import Ladder
from arena.ladders.services.entering import enter_version
from arena.ladders.services.seasons import make_samples_anchors, open_season
from arena.runner.program import read_program
from engine.registry import GAMES

HOUSE = "house"
ADMIN = "admin"


def seed() -> str | None:
    """Add all that; return the password of a new admin, or None where there is one."""
    for key, game in GAMES.items():
        for edition, name in game.editions.items():
            open_season(game=key, edition=edition, title=f"{game.title}, {name}")
    for key in GAMES:
        for name in SAMPLES.get(key, ()):
            if (FOLDER / name).is_dir():
                _enter_sample(key, name)
    for ladder in Ladder.objects.open():
        make_samples_anchors(ladder=ladder)
    register_library()
    return _make_admin()


def _enter_sample(game: str, name: str) -> None:
    """Enter a sample as it stands in the folder: a new version where that has changed."""
    house, is_new = User.objects.get_or_create(username=HOUSE, defaults={"is_house": True})
    if is_new:
        house.set_unusable_password()
        house.save(update_fields=["password"])
    bot = Bot.objects.filter(owner=house, name=name, game=game).first() or _new_bot(house, game, name)
    files = dict(read_program(FOLDER / name).files)
    version = bot.versions.order_by("-number").first()
    if version is None or version.sha256 != archive.digest(archive.pack(files)):
        version = add_version(bot=bot, files=files, state=BotVersion.State.ACCEPTED)
    for ladder in Ladder.objects.open().filter(game=game):
        enter_version(ladder=ladder, version=version)


def _new_bot(house: User, game: str, name: str) -> Bot:
    """Create a sample's bot for a game; the bot of its first game has the plain slug."""
    is_taken = Bot.objects.filter(slug=name).exists()
    return create_bot(owner=house, name=name, game=game, slug=f"{name}-{game}" if is_taken else name)


def _make_admin() -> str | None:
    if User.objects.filter(is_superuser=True).exists():
        return None
    password = secrets.token_urlsafe(12)
    User.objects.create_superuser(ADMIN, password=password)
    return password
