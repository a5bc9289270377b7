"""Reads for replays: finished matches, their legs with records, and who sat where."""

from collections.abc import Sequence

from django.db.models import Prefetch, prefetch_related_objects

from arena.bots.models import Bot, BotVersion
from arena.groups.audience import Reader
from arena.matches.models import Leg, LegSeat, Match, Participant


def find_match(reader: Reader, pk: int) -> Match | None:
    """Return a match that a reader may see with what it is played for, without its deal, or None."""
    purposes = ("ladder_match__ladder", "trial", "challenge", "comparison_match__comparison")
    tournament = "pairing_match__pairing__round__tournament"
    unneeded = [f"{tournament}__{name}" for name in ("secret", "forecast", "description")]
    found = Match.objects.visible_to(reader).select_related(*purposes, tournament).filter(pk=pk)
    return found.defer("deal", "options", *unneeded).first()


def find_finished_match(reader: Reader, pk: int) -> Match | None:
    """Return a match with a result that a reader may see, without its deal; None where there is none."""
    return Match.objects.visible_to(reader).filter(pk=pk, state=Match.State.FINISHED).defer("deal").first()


def list_finished_matches(reader: Reader, keys: Sequence[int]) -> list[Match]:
    """Return those of these matches that have a result and the reader may see, in this order, as `lean` leaves them."""
    found = Match.objects.visible_to(reader).filter(state=Match.State.FINISHED).lean().in_bulk(keys)
    return [found[key] for key in keys if key in found]


def find_finished_leg(reader: Reader, match: int, number: int, *, with_record: bool = True) -> Leg | None:
    """Return a leg of a match with a result that the reader may see, with its match and record, or None."""
    legs = Leg.objects.filter(match=match, match__state=Match.State.FINISHED, number=number)
    legs = legs.filter(match__in=Match.objects.visible_to(reader))
    legs = legs.select_related("match").defer("match__deal", "deal")
    return (legs if with_record else legs.defer("match__deal", "deal", "record")).first()


def list_legs(match: Match) -> list[Leg]:
    """Return the legs of a match in order, without their records."""
    legs = list(Leg.objects.filter(match=match).defer("record", "deal").order_by("number"))
    for leg in legs:
        leg.match = match
    return legs


def count_legs_of(match: Match) -> int:
    """Return the number of legs of a match."""
    return Leg.objects.filter(match=match).count()


def fetch_record(leg: Leg) -> bytes | memoryview | None:
    """Return the packed record of a leg; None where it was lost."""
    return Leg.objects.values_list("record", flat=True).get(pk=leg.pk)


def list_legs_with_records(match: Match, numbers: Sequence[int] | None = None) -> list[Leg]:
    """Return the legs of a match in order, or those of these numbers. A lost record is None."""
    legs = Leg.objects.filter(match=match).defer("deal").order_by("number")
    return list(legs if numbers is None else legs.filter(number__in=numbers))


def list_seats(legs: Sequence[Leg]) -> list[LegSeat]:
    """Return the seats of these legs in order, with the bots that sat there."""
    by_key = {leg.pk: leg for leg in legs}
    seats = LegSeat.objects.filter(leg__in=by_key).select_related("participant__version__bot__owner")
    found = list(seats.defer("participant__version__build_log").order_by("leg", "seat"))
    for seat in found:
        seat.leg = by_key[seat.leg_id]
    return found


def attach_leg_seats(participants: Sequence[Participant]) -> None:
    """Read in one query where each participant sat in every leg, and which place that brought."""
    seats = LegSeat.objects.only("participant_id", "leg_id", "seat", "place", "score", "verdict").order_by("leg_id")
    prefetch_related_objects(participants, Prefetch("leg_seats", seats))


def list_next_matches(versions: Sequence[BotVersion], match: int, reader: Reader) -> list[tuple[Bot, int]]:
    """Return the bot of each of these versions and the key of its next match with a result after this one, if any.

    Only matches that the reader may see are found.
    """
    found = []
    visible = Match.objects.visible_to(reader).filter(state=Match.State.FINISHED)
    for version in versions:
        later = Participant.objects.filter(version=version, match__gt=match, match__in=visible)
        following = later.order_by("match").values_list("match", flat=True).first()
        if following is not None:
            found.append((version.bot, following))
    return found
