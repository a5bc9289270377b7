"""Find tournaments, rounds and entrants, for whoever may see them."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, OuterRef, Prefetch, Q, QuerySet, Subquery

from arena.accounts.models import User
from arena.bots.queries.versions import list_named_versions
from arena.tournaments.models import Check, Entrant, Pairing, PairingMatch, PairingSeat, Round, Tournament

GONE = [Entrant.State.WITHDRAWN, Entrant.State.DISQUALIFIED]


def visible_to(reader: User | AnonymousUser) -> QuerySet[Tournament]:
    """List the tournaments that the reader may see: all but other people's drafts."""
    if not isinstance(reader, User):
        return Tournament.objects.public()
    if reader.is_superuser:
        return Tournament.objects.all()
    return Tournament.objects.exclude(~Q(organiser=reader), state=Tournament.State.DRAFT)


def list_tournaments(reader: User | AnonymousUser, **conditions: Any) -> QuerySet[Tournament]:
    """List visible tournaments that meet the conditions, with what is counted of each and without its secret."""
    rounds = Count("rounds", filter=Q(rounds__is_latest_attempt=True), distinct=True)
    return (
        visible_to(reader)
        .filter(**conditions)
        .select_related("organiser")
        .defer("secret")
        .annotate(there=Count("entrants", filter=~Q(entrants__state__in=GONE), distinct=True))
        .annotate(numbered=Count("entrants", filter=Q(entrants__number__isnull=False), distinct=True))
        .annotate(begun=rounds)
    )


def find_tournament(reader: User | AnonymousUser, slug: str) -> Tournament | None:
    """Return that tournament if the reader may see it, or None."""
    return list_tournaments(reader, slug=slug).first()


def list_entrants(tournament: Tournament) -> QuerySet[Entrant]:
    """List the entrants of a tournament, also those that have left, each with version and check."""
    checks = Check.objects.filter(entrant=OuterRef("pk"), version=OuterRef("version")).order_by("-pk")
    entrants = Entrant.objects.filter(tournament=tournament).select_related("bot__owner")
    versions = Prefetch("version", list_named_versions())
    return entrants.annotate(check_match=Subquery(checks.values("match")[:1])).prefetch_related(versions)


def find_entrant(tournament: Tournament, slug: str) -> Entrant | None:
    """Return the entry of a bot, or None."""
    return tournament.entrants.select_related("bot__owner", "tournament").filter(bot__slug=slug).first()


def list_seeded_entrants(tournament: Tournament) -> QuerySet[Entrant]:
    """List the entrants that had a seed at the start, by seed, with what names them."""
    field = Entrant.objects.field().filter(tournament=tournament)
    return field.select_related("bot__owner", "version").defer("version__build_log")


def list_rounds(tournament: Tournament, *, number: int | None = None, all_attempts: bool = False) -> QuerySet[Round]:
    """List rounds with pairings, seats and matches: of a number, with or without replayed attempts."""
    rounds = Round.objects.filter(tournament=tournament)
    if not all_attempts:
        rounds = rounds.current()
    if number is not None:
        rounds = rounds.filter(number=number)
    seats = PairingSeat.objects.select_related("entrant__bot").order_by("index")
    matches = PairingMatch.objects.select_related("match").order_by("number", "pk")
    matches = matches.only("pairing", "match", "number", "counts", "match__state")
    parts = [Prefetch("seats", seats), Prefetch("pairing_matches", matches)]
    return rounds.prefetch_related(Prefetch("pairings", Pairing.objects.order_by("board").prefetch_related(*parts)))


def list_pairing_matches(tournament: Tournament) -> QuerySet[PairingMatch]:
    """List all matches of a tournament with their rounds, also those that don't count any more."""
    rows = PairingMatch.objects.filter(pairing__round__tournament=tournament)
    return rows.select_related("pairing__round", "match").defer("match__deal", "match__options", "match__limits")
