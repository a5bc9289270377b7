"""Seed entrants: as the organiser ordered them, or by their strength on the ladder."""

from collections.abc import Iterable, Mapping, Sequence

from django.db import transaction

from arena.accounts.models import User
from arena.errors import ArenaError, Conflict
from arena.ladders.models import Entry, Ladder
from arena.ladders.queries.ladders import find_open_ladder
from arena.tournaments.acts import Act
from arena.tournaments.models import Entrant, Tournament
from arena.tournaments.queries.tournaments import listed_for, visible_to
from arena.tournaments.services.organisers import check_organiser
from arena.tournaments.services.recording import record_act
from engine.message import gettext_noop, message

LAST_SEED = 10_000
"""Above all seeds that can be given by hand."""


def order_by_strength(tournament: Tournament, entrants: Iterable[Entrant]) -> list[Entrant]:
    """Return the entrants by seed, with `rating` set but not saved.

    First come those that the organiser gave a seed, by this number; then the others by rating on the ladder, those with
    a rank first; then those that aren't on the ladder, in the order of entry.
    """
    known = _fetch_strength(tournament)
    ordered = sorted(
        entrants,
        key=lambda one: (
            one.wanted_seed or LAST_SEED,
            *(-value for value in known.get(one.bot_id, (-1, 0.0))),
            one.pk,
        ),
    )
    for entrant in ordered:
        entrant.rating = known[entrant.bot_id][1] if entrant.bot_id in known else None
    return ordered


def _fetch_strength(tournament: Tournament) -> dict[int, tuple[bool, float]]:
    """Return by bot whether it is ranked, and its rating.

    A version that has just taken over from another starts at its rating, and hasn't a rank yet: the bot keeps it.
    """
    ladder = _find_seeding_ladder(tournament)
    entries = Entry.objects.filter(ladder=ladder, version__bot__tournament_entries__tournament=tournament)
    known: dict[int, tuple[bool, float]] = {}
    for entry in sorted(entries.select_related("version"), key=lambda entry: (_is_in_play(entry), entry.matches)):
        was_ranked = known.get(entry.version.bot_id, (False, 0.0))[0]
        known[entry.version.bot_id] = (was_ranked or entry.is_ranked, entry.rating)
    return known


def _find_seeding_ladder(tournament: Tournament) -> Ladder | None:
    """Return the ladder whose ratings seed a tournament; None where there is none of its edition.

    It is the group's own where a group alone sees the tournament and has such a ladder. Seeds of a tournament that
    others see would show what happens on a ladder that they don't.
    """
    own = tournament.group if tournament.audience_id else None
    ladder = find_open_ladder(tournament.game, tournament.edition, own)
    return ladder or (find_open_ladder(tournament.game, tournament.edition) if own else None)


def _is_in_play(entry: Entry) -> bool:
    return entry.state == Entry.State.ACTIVE


@transaction.atomic
def set_seeds(*, tournament: Tournament, organiser: User, seeds: Mapping[int, int | None]) -> None:
    """Give entrants, by their keys, a seed; None leaves it to their strength.

    Raise NotYours, Conflict or ArenaError.
    """
    tournament = _lock_before_start(tournament, organiser)
    entrants = list(tournament.entrants.filter(pk__in=seeds))
    for entrant in entrants:
        entrant.wanted_seed = seeds[entrant.pk]
    given = [entrant.wanted_seed for entrant in tournament.entrants.exclude(pk__in=seeds)]
    given += [entrant.wanted_seed for entrant in entrants]
    used = [number for number in given if number is not None]
    if len(set(used)) < len(used):
        twice = next(number for number in used if used.count(number) > 1)
        raise ArenaError(message(gettext_noop("Seed %(number)s is given twice."), number=twice))
    if not all(1 <= number < LAST_SEED for number in used):
        raise ArenaError(message(gettext_noop("Seeds are whole numbers from 1.")))
    Entrant.objects.bulk_update(entrants, ["wanted_seed"])
    record_act(tournament, Act.SET_SEEDS, message(gettext_noop("Seeds changed by hand")), by=organiser)


@transaction.atomic
def order_seeds(*, tournament: Tournament, organiser: User, bots: Sequence[str]) -> None:
    """Seed bots, named by their slugs, in this order; the others follow by strength. Raise as `set_seeds`."""
    if len(set(bots)) < len(bots):
        twice = next(slug for slug in bots if bots.count(slug) > 1)
        raise ArenaError(message(gettext_noop("%(bot)s is named twice."), bot=twice))
    keys = dict(tournament.entrants.values_list("bot__slug", "pk"))
    unknown = [slug for slug in bots if slug not in keys]
    if unknown:
        raise ArenaError(message(gettext_noop("These bots haven't entered: %(bots)s."), bots=", ".join(unknown)))
    numbers = {slug: number for number, slug in enumerate(bots, start=1)}
    set_seeds(tournament=tournament, organiser=organiser, seeds={pk: numbers.get(slug) for slug, pk in keys.items()})


@transaction.atomic
def take_seeds(*, tournament: Tournament, organiser: User, source: str) -> int:
    """Seed bots by their places in a finished tournament, named by its slug, and return how many these are.

    The others follow by strength. Raise NotYours, Conflict or ArenaError.
    """
    finished = visible_to(organiser).filter(state=Tournament.State.FINISHED, slug=source).first()
    if finished is None:
        raise ArenaError(message(gettext_noop("There is no finished tournament at %(slug)s."), slug=source))
    placed = finished.entrants.exclude(place=None).select_related("bot").order_by("place", "number")
    there = set(tournament.entrants.values_list("bot", flat=True))
    bots = [entrant.bot.slug for entrant in placed if entrant.bot_id in there]
    if not bots:
        raise ArenaError(message(gettext_noop("No bot of %(title)s has entered here."), title=finished.title))
    order_seeds(tournament=tournament, organiser=organiser, bots=bots)
    return len(bots)


def list_seed_sources(tournament: Tournament, organiser: User, limit: int = 20) -> list[Tournament]:
    """List the latest finished tournaments of the same game in which bots of this one took part."""
    bots = tournament.entrants.values("bot")
    finished = listed_for(organiser).filter(state=Tournament.State.FINISHED, game=tournament.game)
    return list(finished.filter(entrants__bot__in=bots).distinct().order_by("-finished_at")[:limit])


def _lock_before_start(tournament: Tournament, organiser: User) -> Tournament:
    tournament = check_organiser(tournament, organiser)
    if tournament.has_started or tournament.is_over:
        raise Conflict(message(gettext_noop("Seeds are fixed once the first round is drawn.")))
    return tournament
