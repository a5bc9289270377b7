"""The settings of a comparison: check whether versions may be compared, and choose the opponents of a field."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.accounts.models import User
from arena.bots.models import Bot, BotVersion
from arena.comparisons.models import Comparison
from arena.comparisons.sprt import PRESETS
from arena.errors import ArenaError
from arena.ladders.models import Entry
from arena.ladders.rating.elo import INITIAL_RATING_ELO
from arena.matches.variants import resolve_variant
from engine.message import gettext_noop, message
from engine.variants import Variant

MAX_FIELD_SIZE = 16
MIN_FIELD_SIZE = 2


class NotComparable(ArenaError):
    """Two versions can't be compared like that; the message says why."""


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """Choices of the author who starts a comparison."""

    mode: str = Comparison.Mode.HEAD_TO_HEAD
    preset: str = "default"
    """A key of `sprt.PRESETS`."""
    edition: str = ""
    """The game's first one where empty."""
    promote_if_better: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    """Changes of the edition's options."""
    adjust_for_luck: bool = False
    """Whether the results less a part of the luck decide."""


def find_rules(version: BotVersion, settings: ComparisonSettings) -> Variant:
    """Return the rules that are played by. Raises NotComparable for unknown settings, or UnplayableRules."""
    if settings.mode not in Comparison.Mode.values or settings.preset not in PRESETS:
        problem = gettext_noop("Choose one of the modes %(modes)s and one of the presets %(presets)s.")
        raise NotComparable(message(problem, modes=", ".join(Comparison.Mode.values), presets=", ".join(PRESETS)))
    return resolve_variant(version.bot.game, settings.edition, settings.options)


def check_pair(owner: User, version: BotVersion, baseline: BotVersion) -> None:
    """Check that two versions may be compared. Raises NotComparable."""
    for one in (version, baseline):
        if one.state != BotVersion.State.ACCEPTED:
            raise NotComparable(message(gettext_noop("%(version)s has not passed its trial."), version=str(one)))
    if version.bot.game != baseline.bot.game:
        problem = gettext_noop("%(one)s and %(other)s play different games.")
        raise NotComparable(message(problem, one=version.bot.name, other=baseline.bot.name))
    if version.source_id == baseline.source_id:
        raise NotComparable(message(gettext_noop("These are the same files: neither is better.")))
    is_own = baseline.bot.has_author(owner)
    if not is_own and not baseline.entries.active().public().filter(ladder__closed_at=None).exists():
        raise NotComparable(message(gettext_noop("%(version)s is not on a ladder now."), version=str(baseline)))


def previous_version(version: BotVersion) -> BotVersion | None:
    """Return the accepted version of the bot before this one, or None."""
    older = version.bot.versions.filter(number__lt=version.number).exclude(source=version.source_id)
    return older.accepted().order_by("-number").first()


def find_field(version: BotVersion, baseline: BotVersion, edition: str) -> list[BotVersion]:
    """Return the opponents of a field: active bots of others, nearest in rating. Raises NotComparable."""
    on_ladder = (
        Entry.objects.public()
        .filter(ladder__game=version.bot.game, ladder__edition=edition, ladder__closed_at=None)
        .order_by("rating")
    )
    own = on_ladder.filter(version__in=[version, baseline]).order_by("deviation").values_list("rating", flat=True)
    middle = own.first() or INITIAL_RATING_ELO
    of_authors = Bot.objects.of_authors(version.bot.author_keys)
    others = on_ladder.active().exclude(version__bot__in=of_authors).exclude(version__bot=baseline.bot_id)
    others = others.select_related("version__bot")
    near = [
        *others.filter(rating__gte=middle)[:MAX_FIELD_SIZE],
        *others.filter(rating__lt=middle).reverse()[:MAX_FIELD_SIZE],
    ]
    near.sort(key=lambda entry: (abs(entry.rating - middle), entry.pk))
    if len(near) < MIN_FIELD_SIZE:
        problem = gettext_noop("A field has at least %(least)s bots of others, and that ladder has not so many.")
        raise NotComparable(message(problem, least=MIN_FIELD_SIZE))
    return [entry.version for entry in near[:MAX_FIELD_SIZE]]
