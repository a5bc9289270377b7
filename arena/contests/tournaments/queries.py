"""Read tournaments, rounds, entrants, their matches and faults."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    IntegerField,
    Max,
    Min,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)

from arena.bots.models import Bot, BotVersion, TeamMember
from arena.bots.queries import list_named_versions
from arena.contests.tournaments.models import (
    Check,
    Entrant,
    Invitation,
    OrganiserAct,
    Pairing,
    PairingMatch,
    Round,
    Tournament,
    TournamentAnnouncement,
)
from arena.matches.models import Attempt, Leg, LegSeat, Lesson, Match, MatchQuerySet, Participant, find_lesson
from arena.matches.remote.models import RemoteBot
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership
from arena.runner.program import Verdict
from engine.core import CloseCall
from engine.registry import GAMES
from engine.replay import find_close_call

# Read tournaments, rounds and entrants.

PODIUM_PLACES = 3
MAX_BOTS_OFFERED = 300
"""The number of bots that an organiser can pick from a list; others can be typed."""


def visible_to(reader: User | AnonymousUser) -> QuerySet[Tournament]:
    """List the tournaments whose pages the reader may open, those for whoever has the link included.

    Drafts are for organisers; a tournament for a group is for its members. Superusers may open all.
    """
    opened, link_or_public = ~Q(state=Tournament.State.DRAFT), ~Q(visibility=Tournament.Visibility.GROUP)
    if not isinstance(reader, User):
        return Tournament.objects.filter(opened & link_or_public)
    if reader.is_superuser:
        return Tournament.objects.all()
    return Tournament.objects.filter(opened & link_or_public | _is_known_to(reader))


def listed_for(reader: User | AnonymousUser) -> QuerySet[Tournament]:
    """List the tournaments that stand in lists of the reader: public ones, and those the reader has to do with.

    Rehearsals stand in no list.
    """
    public = ~Q(state=Tournament.State.DRAFT) & Q(visibility=Tournament.Visibility.PUBLIC)
    shown = Tournament.objects.filter(is_rehearsal=False)
    if not isinstance(reader, User):
        return shown.filter(public)
    if reader.is_superuser:
        return shown
    entered = Entrant.objects.filter(
        bot__in=Bot.objects.of_authors([reader]), tournament__visibility=Tournament.Visibility.LINK
    )
    return shown.filter(public | _is_known_to(reader) | Q(pk__in=entered.values("tournament")))


def _is_known_to(reader: User) -> Q:
    """Return the condition of a reader's own tournaments and those of the reader's groups."""
    member = Membership.objects.filter(user=reader)
    organised = member.filter(role__in=Membership.ORGANISING_ROLES)
    is_for_group = Q(visibility=Tournament.Visibility.GROUP)
    for_members = is_for_group & Q(group__in=member.values("group"))
    co_organised = Q(pk__in=reader.co_organised_tournaments.values("pk")) & (~is_for_group | for_members)
    own = Q(organiser=reader) | Q(group__in=organised.values("group")) | co_organised
    return own | (~Q(state=Tournament.State.DRAFT) & for_members)


def list_tournaments(reader: User | AnonymousUser, **conditions: Any) -> QuerySet[Tournament]:
    """List tournaments that meet the conditions, without their secrets; one named by its slug need not be listed.

    Each has `entrants_count`, `seeded_count` and `rounds_count`.
    """
    rounds = Count("rounds", filter=Q(rounds__is_latest_attempt=True), distinct=True)
    found = visible_to(reader) if "slug" in conditions else listed_for(reader)
    return (
        found.filter(**conditions)
        .select_related("organiser", "group")
        .defer("secret")
        .annotate(entrants_count=Count("entrants", filter=~Q(entrants__state__in=Entrant.OUT_STATES), distinct=True))
        .annotate(seeded_count=Count("entrants", filter=Q(entrants__number__isnull=False), distinct=True))
        .annotate(rounds_count=rounds)
    )


def find_tournament(reader: User | AnonymousUser, slug: str) -> Tournament | None:
    """Return that tournament if the reader may see it, or None."""
    return list_tournaments(reader, slug=slug).first()


MAX_IN_CALENDAR = 200


def list_calendar_tournaments(reader: User, group: Group | None = None) -> list[Tournament]:
    """List the opened tournaments that a reader organises, has entered or has in a group; of a group only its own.

    The newest of very many.
    """
    entered = Entrant.objects.not_out().filter(bot__in=Bot.objects.of_authors([reader]))
    in_group = Q(group__in=Membership.objects.filter(user=reader).values("group"))
    own = in_group | Q(organiser=reader) | Q(pk__in=reader.co_organised_tournaments.values("pk"))
    found = visible_to(reader).filter(own | Q(pk__in=entered.values("tournament")), is_rehearsal=False)
    found = found.exclude(state=Tournament.State.DRAFT)
    if group is not None:
        found = found.filter(group=group)
    return list(found.order_by("-pk")[:MAX_IN_CALENDAR])


@dataclass(slots=True)
class Schedule:
    """What a calendar tells of a tournament."""

    revision: int = 0
    """How often it was changed: it only grows."""
    changed_at: datetime | None = None
    rounds: list[Round] = field(default_factory=list)
    """Those that count, by number."""


def fetch_schedules(tournaments: Sequence[Tournament]) -> dict[int, Schedule]:
    """Return by tournament its rounds, and how often and when it was last changed, as everybody may know."""
    found = {one.pk: Schedule() for one in tournaments}
    hidden = {one.pk: one.hidden_from_round for one in tournaments if one.is_concealed}
    acts = OrganiserAct.objects.filter(tournament__in=found, is_public=True).order_by().values_list("tournament")
    for pk, revision, changed_at in acts.annotate(Count("pk"), Max("at")):
        found[pk].revision, found[pk].changed_at = revision, changed_at
    for round in Round.objects.latest_attempts().filter(tournament__in=found).order_by("tournament", "number"):
        first = hidden.get(round.tournament_id)
        if first is None or round.number < first:
            found[round.tournament_id].rounds.append(round)
    return found


def list_tournaments_of_group(reader: User, group: Group) -> QuerySet[Tournament]:
    """List the tournaments of a group that a reader may see, as `list_tournaments_by_state`."""
    return list_tournaments_by_state(reader).filter(group=group)


def fetch_permitted_authors(tournament: Tournament) -> list[str]:
    """Return the names of the authors on the list, or who have typed the code."""
    return list(tournament.permitted_authors.order_by("username").values_list("username", flat=True))


def find_tournament_of_match(match: Match) -> Tournament | None:
    """Return the tournament that has this match in a pairing, or None."""
    return Tournament.objects.filter(rounds__pairings__pairing_matches__match=match).first()


def list_entrants(tournament: Tournament) -> QuerySet[Entrant]:
    """List all entrants of a tournament, each with its version and `check_match`."""
    checks = Check.objects.filter(entrant=OuterRef("pk"), version=OuterRef("version")).order_by("-pk")
    entrants = Entrant.objects.filter(tournament=tournament).select_related("bot__owner")
    versions = Prefetch("version", list_named_versions())
    return entrants.annotate(check_match=Subquery(checks.values("match")[:1])).prefetch_related(versions)


def find_entrant(tournament: Tournament, slug: str) -> Entrant | None:
    """Return the entry of a bot, or None."""
    return tournament.entrants.select_related("bot__owner", "tournament").filter(bot__slug=slug).first()


def list_entrant_keys(tournament: Tournament) -> list[int]:
    """List the keys of all entrants of a tournament."""
    return list(tournament.entrants.values_list("pk", flat=True))


def list_co_organisers(tournament: Tournament) -> QuerySet[User]:
    """List those who organise a tournament beside its owner."""
    return tournament.co_organisers.order_by("username")


def list_audience(tournament: Tournament) -> QuerySet[User]:
    """List whom organisers reach: authors of its bots, who it is for, and who organises it; all may sign in.

    It is for the members of a group, or for those who have typed its code. An author whom organisers have put on a
    list has not asked for anything yet. Of a tournament that a group alone sees, nobody else is told.
    """
    bots = Bot.objects.filter(tournament_entries__in=Entrant.objects.not_out().filter(tournament=tournament))
    team = TeamMember.objects.joined().filter(bot__in=bots)
    reached = Q(pk__in=bots.values("owner")) | Q(pk__in=team.values("user"))
    reached |= Q(pk=tournament.organiser_id) | Q(pk__in=tournament.co_organisers.values("pk"))
    members = Membership.objects.filter(group=tournament.group_id).values("user")
    if tournament.audience_id is not None or tournament.entry_rule == Tournament.EntryRule.GROUP:
        reached |= Q(pk__in=members)
    if tournament.entry_rule == Tournament.EntryRule.CODE:
        reached |= Q(pk__in=tournament.permitted_authors.values("pk"))
    people = User.objects.filter(reached, is_active=True, is_house=False)
    return people if tournament.audience_id is None else people.filter(pk__in=members)


def list_announcements(
    tournament: Tournament, reader: User | AnonymousUser, *, as_organiser: bool
) -> QuerySet[TournamentAnnouncement]:
    """List what was announced, newest first, for organisers and for those whom they reach now; none for others."""
    found = TournamentAnnouncement.objects.filter(tournament=tournament).select_related("author")
    if as_organiser or isinstance(reader, User) and list_audience(tournament).filter(pk=reader.pk).exists():
        return found
    return found.none()


def find_rehearsal(tournament: Tournament) -> Tournament | None:
    """Return the rehearsal of a tournament that goes on, or None."""
    return tournament.rehearsals.first()


def list_unchecked_entrants(tournament: Tournament) -> list[Entrant]:
    """List the entrants that need a check and have none that is queued, running or not settled yet."""
    pending = Q(state__in=[Match.State.QUEUED, Match.State.RUNNING]) | Q(
        state=Match.State.FINISHED, settled_at__isnull=True
    )
    checks = Check.objects.filter(match__in=Match.objects.filter(pending, tournament_check__isnull=False))
    checking = Entrant.objects.filter(tournament=tournament, state=Entrant.State.CHECKING)
    return [
        entrant
        for entrant in checking.select_related("version__bot")
        if not checks.filter(entrant=entrant, version=entrant.version_id).exists()
    ]


def list_awaited_versions(tournament: Tournament) -> QuerySet[BotVersion]:
    """List the versions for whose trials the start waits: entered ones, and those uploaded in time to replace them.

    However long the arena takes to try them, they are waited for.
    """
    if tournament.state != Tournament.State.CHECKING or tournament.entries_close_at is None:
        return BotVersion.objects.none()
    there = Entrant.objects.not_out().filter(tournament=tournament, bot=OuterRef("bot"))
    entered = there.filter(state=Entrant.State.ON_TRIAL, version=OuterRef("pk"))
    newer = there.filter(updates_automatically=True, version__number__lt=OuterRef("number")).exclude(
        skipped_version__gte=OuterRef("number")
    )
    states = [BotVersion.State.BUILDING, BotVersion.State.ON_TRIAL]
    in_time = Q(created_at__lt=tournament.entries_close_at) & Exists(newer)
    return BotVersion.objects.filter(in_time | Exists(entered), state__in=states).may_go_on().select_related("bot")


def list_seeded_entrants(tournament: Tournament) -> QuerySet[Entrant]:
    """List the entrants that have a seed, sorted by it, with bot, owner and version."""
    field = Entrant.objects.seeded().filter(tournament=tournament)
    return field.select_related("bot__owner", "version").defer("version__build_log")


@dataclass(frozen=True, slots=True)
class AbsentBot:
    """A remote bot that is offline, though a match of a tournament waits for it."""

    bot: Bot
    round: int
    """The round's number."""
    board: int
    pairing: int
    """The key of the pairing."""
    since: datetime
    """Since when its first match there has waited."""


def list_absent_bots(tournament: Tournament) -> list[AbsentBot]:
    """List the remote bots for which pairings wait, in the order of rounds and boards."""
    if not tournament.allows_remote:
        return []
    waiting = PairingMatch.objects.filter(counts=True, match__state=Match.State.QUEUED, pairing__is_over=False)
    waiting = waiting.filter(pairing__round__in=Round.objects.shown(tournament).latest_attempts())
    players = Participant.objects.filter(match__in=waiting.values("match"), version__bot__is_remote=True)
    absent = players.exclude(version__bot__in=RemoteBot.objects.online().values("bot"))
    place = "match__pairing_match__pairing"
    grouped = absent.values("version__bot", place, f"{place}__round__number", f"{place}__board").order_by()
    rows = grouped.annotate(since=Min("match__created_at"))
    bots = Bot.objects.select_related("owner", "remote").in_bulk([row["version__bot"] for row in rows])
    found = [
        AbsentBot(
            bots[row["version__bot"]], row[f"{place}__round__number"], row[f"{place}__board"], row[place], row["since"]
        )
        for row in rows
    ]
    return sorted(found, key=lambda one: (one.round, one.board, one.bot.slug))


def list_rounds(tournament: Tournament, *, number: int | None = None, all_attempts: bool = False) -> QuerySet[Round]:
    """List rounds; by default without replayed attempts."""
    rounds = Round.objects.shown(tournament)
    if not all_attempts:
        rounds = rounds.latest_attempts()
    return rounds if number is None else rounds.filter(number=number)


def count_rounds_over(tournament: Tournament) -> int:
    """Return the number of rounds that count, are over and are shown."""
    return Round.objects.shown(tournament).latest_attempts().exclude(finished_at=None).count()


def fetch_draw_orders(rounds: QuerySet[Round]) -> dict[int, int]:
    """Return which rounds of a tournament were drawn first, by number: 1 for the first, replayed ones included.

    `rounds` are all of its rounds; a number stands for the attempt that counts.
    """
    drawn = enumerate(rounds.order_by("pk").values_list("number", "is_latest_attempt"), start=1)
    return {number: order for order, (number, is_latest) in drawn if is_latest}


def fetch_seeded_bots(tournament: Tournament) -> dict[int, str]:
    """Return the slugs of the bots by seed."""
    rows = Entrant.objects.seeded().filter(tournament=tournament).values_list("number", "bot__slug")
    return {number: slug for number, slug in rows if number is not None}


def list_pairing_matches(tournament: Tournament) -> QuerySet[PairingMatch]:
    """List all matches of a tournament with their rounds, also those that don't count any more."""
    rows = PairingMatch.objects.filter(pairing__round__in=Round.objects.shown(tournament))
    return rows.select_related("pairing__round", "match").defer("match__deal", "match__options", "match__limits")


def list_tournaments_by_state(reader: User | AnonymousUser, states: Collection[str] = ()) -> QuerySet[Tournament]:
    """List visible tournaments: running ones first, then drafts, those open for entries, and those that are over.

    Each has `entrants_count`, `round_number` and the list `winners`.
    """
    state = Tournament.State
    found = listed_for(reader)
    if states:
        found = found.filter(state__in=states)
    order = Case(
        When(state__in=[state.RUNNING, state.CHECKING, state.PAUSED], then=Value(0)),
        When(state=state.DRAFT, then=Value(1)),
        When(state=state.OPEN, then=Value(2)),
        default=Value(3),
        output_field=IntegerField(),
    )
    there = Q(entrants__state__in=Entrant.PLAYABLE_STATES)
    winners = Entrant.objects.filter(place=1).select_related("bot").only("tournament", "bot__name", "bot__slug")
    first: Prefetch[Any, Any, Any] = Prefetch("entrants", winners, to_attr="winners")
    return (
        found.annotate(entrants_count=Count("entrants", filter=there, distinct=True))
        .annotate(round_number=Max("rounds__number", filter=Q(rounds__is_latest_attempt=True)))
        .prefetch_related(first)
        .defer("description", "forecast")
        .order_by(order, "-pk")
    )


def list_current_tournaments(
    reader: User | AnonymousUser, *, bot: Bot | None = None, author: User | None = None
) -> QuerySet[Tournament]:
    """List visible tournaments that take entries or are going on, as `list_tournaments_by_state`.

    With `bot` or `author`, only those in which it, or a bot of theirs, takes part.
    """
    state = Tournament.State
    found = list_tournaments_by_state(reader, [state.OPEN, state.CHECKING, state.RUNNING, state.PAUSED])
    entrants = Entrant.objects.not_out()
    if bot is not None:
        found = found.filter(pk__in=entrants.filter(bot=bot).values("tournament"))
    if author is not None:
        found = found.filter(pk__in=entrants.filter(bot__in=Bot.objects.of_authors([author])).values("tournament"))
    return found


def list_entrants_by_seed(tournament: Tournament) -> list[Entrant]:
    """List all entrants, by seed once they have one, each with `check_match`, the match that checked its version."""
    checks = Check.objects.filter(entrant=OuterRef("pk"), version=OuterRef("version")).order_by("-pk")
    entrants = Entrant.objects.filter(tournament=tournament).select_related("bot__owner", "version")
    entrants = entrants.annotate(check_match=Subquery(checks.values("match")[:1])).defer("version__build_log")
    found = list(entrants.order_by(F("number").asc(nulls_last=True), F("wanted_seed").asc(nulls_last=True), "pk"))
    for entrant in found:
        entrant.version.bot = entrant.bot
    return found


def list_podium_places(bot: Bot, limit: int) -> list[Entrant]:
    """List where a bot was among the first three of a finished tournament, best places first, then newest."""
    placed = Entrant.objects.filter(bot=bot, place__lte=PODIUM_PLACES, tournament__state=Tournament.State.FINISHED)
    field = Count("tournament__entrants", filter=Q(tournament__entrants__number__isnull=False))
    rows = placed.filter(tournament__in=listed_for(AnonymousUser())).select_related("tournament")
    return list(rows.annotate(field_size=field).order_by("place", "-tournament__finished_at")[:limit])


def count_titles(bots: Sequence[int]) -> dict[int, int]:
    """Return how many finished tournaments that everybody finds each of these bots has won; none for the others."""
    won = Entrant.objects.filter(bot__in=bots, place=1, tournament__state=Tournament.State.FINISHED)
    won = won.filter(tournament__in=listed_for(AnonymousUser()))
    return dict(won.order_by().values_list("bot").annotate(titles=Count("pk")))


def list_acts(tournament: Tournament, *, as_organiser: bool) -> QuerySet[OrganiserAct]:
    """List what organisers decided, newest first; `as_organiser` also what touches no result."""
    acts = tournament.acts.select_related("actor")
    return acts if as_organiser else acts.filter(is_public=True)


def has_given_seeds(tournament: Tournament) -> bool:
    """Return whether the organiser gave any entrant its seed."""
    return tournament.entrants.filter(wanted_seed__isnull=False).exists()


def list_enterable_versions(owner: User, tournament: Tournament) -> list[tuple[str, str, int, str]]:
    """Return slug, name, version number and state of the versions of an author's bots that weren't rejected.

    They are sorted by bot, newest first. Bots for a group only are left out where others would see them.
    """
    versions = _list_versions(owner, tournament).exclude(state=BotVersion.State.REJECTED)
    return list(versions.order_by("bot__slug", "-number").values_list("bot__slug", "bot__name", "number", "state"))


def list_versions_to_practise(owner: User, tournament: Tournament) -> QuerySet[BotVersion]:
    """List the newest accepted versions that an author can practise with for a tournament: of bots that we can run."""
    playing = {"bot__stopped_at": None, "bot__is_remote": False}
    versions = _list_versions(owner, tournament).filter(state=BotVersion.State.ACCEPTED, **playing)
    return versions.select_related("bot").only("number", "bot__name").order_by("-pk")[:MAX_BOTS_OFFERED]


def _list_versions(owner: User, tournament: Tournament) -> QuerySet[BotVersion]:
    """List the versions of an author whose bots may play in a tournament."""
    remote = {} if tournament.allows_remote else {"bot__is_remote": False}
    fits = Q(bot__group=None) | Q(bot__group__isnull=False, bot__group=tournament.audience_id)
    return BotVersion.objects.filter(fits, bot__in=Bot.objects.of_authors([owner]), bot__game=tournament.game, **remote)


def list_enterable_bots(tournament: Tournament, organiser: User) -> list[Bot]:
    """List the bots with a version that wasn't rejected, which an organiser sees and may enter, by name.

    Of very many, the first.
    """
    fits = Q(group=None) | Q(group__isnull=False, group=tournament.audience_id)
    versions = BotVersion.objects.exclude(state=BotVersion.State.REJECTED).filter(bot=OuterRef("pk"))
    bots = Bot.objects.visible_to(organiser).filter(fits, Exists(versions), game=tournament.game)
    if not tournament.allows_remote:
        bots = bots.filter(is_remote=False)
    others = bots.exclude(pk__in=tournament.entrants.exclude(state__in=Entrant.OUT_STATES).values("bot"))
    return list(others.select_related("owner").order_by("name")[:MAX_BOTS_OFFERED])


def list_invitations(tournament: Tournament, reader: User | AnonymousUser, *, as_organiser: bool) -> QuerySet[Any]:
    """List the invitations to a tournament, each with `has_entered`; but for organisers only those of own bots."""
    found = Invitation.objects.filter(tournament=tournament)
    if not as_organiser:
        own = Bot.objects.of_authors([reader]) if isinstance(reader, User) else Bot.objects.none()
        found = found.filter(bot__in=own)
    entered = Entrant.objects.not_out().filter(tournament=tournament, bot=OuterRef("bot"))
    return found.select_related("bot__owner").annotate(has_entered=Exists(entered))


def list_counted_rounds(tournament: Tournament) -> list[Round]:
    """List the rounds that count, each with `boards`, the number of its pairings, and `over`, of those that ended."""
    over = Count("pairings", filter=Q(pairings__is_over=True))
    rounds = Round.objects.shown(tournament).latest_attempts()
    return list(rounds.annotate(boards=Count("pairings"), over=over))


def fetch_progress(tournament: Tournament) -> list[Any]:
    """Return values of which at least one changes whenever a page of the tournament would show something else."""
    names = (
        "pk",
        "title",
        "state",
        "visibility",
        "settings",
        "entries_close_at",
        "max_entrants",
        "forecast_after_round",
        "first_hidden_round",
        "is_concealed",
        "revealed_places",
    )
    rounds = list(tournament.rounds.values_list("pk", "is_latest_attempt", "finished_at"))
    last = max((pk for pk, is_latest, _finished in rounds if is_latest), default=None)
    matches = PairingMatch.objects.filter(pairing__round=last).order_by("pk")
    return [
        [str(tournament.state_reason), *(getattr(tournament, name) for name in names)],
        list(tournament.entrants.values_list("pk", "version", "state", "left_in_round", "place")),
        rounds,
        list(Pairing.objects.filter(round=last, is_over=True).order_by("pk").values_list("pk", "given_points")),
        tournament.acts.filter(is_public=True).values_list("pk", flat=True).first(),
        list(matches.values_list("match", "match__state")),
    ]


def fetch_named_pairings(reader: User | AnonymousUser, matches: Collection[int]) -> dict[int, Pairing]:
    """Return the pairings of matches, with rounds and tournaments, of tournaments that the reader has in lists.

    A tournament that only who has the link sees isn't betrayed by its matches.
    """
    rows = PairingMatch.objects.filter(match__in=matches, pairing__round__tournament__in=listed_for(reader))
    return {row.match_id: row.pairing for row in rows.select_related("pairing__round__tournament")}


def list_matches_of_round(round: Round) -> MatchQuerySet:
    """List all matches of a round; those that run with `open_attempts`, whose `leg` is the leg that is played."""
    reported = Attempt.objects.open().annotate(leg=F("underway__leg")).defer("underway")
    matches = Match.objects.filter(pairing_match__pairing__round=round).lean()
    return matches.prefetch_related(Prefetch("attempts", reported, to_attr="open_attempts"))


# Read what the document of a tournament states of each match, besides its result.


@dataclass(slots=True)
class MatchFacts:
    """The rules of a match, the hashes of its legs, and its game points by participant."""

    rules_version: int
    deal_hashes: list[str] = field(default_factory=list)
    record_hashes: list[str] = field(default_factory=list)
    """Empty until all legs are played."""
    scores: list[float] = field(default_factory=list)
    """Sums of the game points of the legs, by participant; empty until it is over."""


def fetch_match_facts(tournament: Tournament) -> dict[int, MatchFacts]:
    """Return the facts of all matches of a tournament by their keys."""
    matches = Match.objects.filter(pairing_match__pairing__round__tournament=tournament)
    found = {pk: MatchFacts(version) for pk, version in matches.values_list("pk", "rules_version")}
    records: dict[int, list[str]] = defaultdict(list)
    legs = Leg.objects.filter(match__pairing_match__pairing__round__tournament=tournament).order_by("match", "number")
    for match, deal_hash, record_hash in legs.values_list("match", "deal_hash", "record_hash"):
        found[match].deal_hashes.append(deal_hash)
        records[match].append(record_hash)
    for match, hashes in records.items():
        found[match].record_hashes = hashes if all(hashes) else []
    seats = LegSeat.objects.filter(
        participant__match__pairing_match__pairing__round__tournament=tournament,
        participant__match__state=Match.State.FINISHED,
    ).values("participant__match", "participant__index")
    for row in seats.annotate(total=Sum("score")).order_by("participant__match", "participant__index"):
        found[row["participant__match"]].scores.append(row["total"] or 0.0)
    return found


# Read the faults in the matches of a tournament that count.


@dataclass(frozen=True, slots=True)
class TournamentFault:
    """A fault of an entrant."""

    entrant: int
    """Its number, which is its seed."""
    round: int
    match: int
    leg: int
    verdict: Verdict


def select_faulty_seats(tournament: Tournament) -> QuerySet[LegSeat]:
    """Select the faults in matches that count, with cause and log, which are for owners and organisers alone."""
    seats = LegSeat.objects.filter(
        leg__match__pairing_match__pairing__round__in=Round.objects.shown(tournament).latest_attempts(),
        leg__match__pairing_match__counts=True,
        leg__match__state=Match.State.FINISHED,
    ).exclude(verdict=Verdict.OK)
    related = ("leg__match__pairing_match__pairing__round", "participant__version__bot__owner")
    unneeded = ("leg__record", "leg__deal", "leg__match__deal", "participant__version__build_log")
    return seats.select_related(*related).defer(*unneeded)


def list_faulty_seats(tournament: Tournament, limit: int) -> list[LegSeat]:
    """List the newest of `select_faulty_seats`."""
    return list(select_faulty_seats(tournament).order_by("-leg__match", "leg__number", "seat")[:limit])


def list_faults(tournament: Tournament) -> Sequence[TournamentFault]:
    """List the faults of all entrants in matches that count, in the order of rounds, matches and legs."""
    seats = LegSeat.objects.filter(
        leg__match__pairing_match__pairing__round__in=Round.objects.shown(tournament).latest_attempts(),
        leg__match__pairing_match__counts=True,
        participant__version__tournament_entries__tournament=tournament,
    ).exclude(verdict=Verdict.OK)
    rows = seats.values_list(
        "participant__version__tournament_entries__number",
        "leg__match__pairing_match__pairing__round__number",
        "leg__match",
        "leg__number",
        "verdict",
    )
    ordered = rows.order_by("leg__match__pairing_match__pairing__round__number", "leg__match", "leg__number", "seat")
    return [
        TournamentFault(number, round, match, leg, Verdict(verdict))
        for number, round, match, leg, verdict in ordered
        if number is not None
    ]


# Find the matches of a tournament that are shown on its projector's page, and its longest leg.


@dataclass(frozen=True, slots=True)
class LongestLeg:
    """The leg with the most decisions."""

    match: int
    number: int
    decisions: int


def list_shown_matches(tournament: Tournament) -> list[int]:
    """List the finished matches of the last round that has one, in the order in which they ended."""
    rows = PairingMatch.objects.filter(
        pairing__round__in=Round.objects.shown(tournament).latest_attempts(),
        counts=True,
        match__state=Match.State.FINISHED,
    ).order_by("-pairing__round__number", "match__finished_at", "match")
    found = list(rows.values_list("pairing__round__number", "match"))
    return [match for number, match in found if number == found[0][0]]


def list_after(matches: list[int], shown: int | None) -> list[int]:
    """Return matches in the order in which they follow another one: after the last comes the first."""
    at = matches.index(shown) + 1 if shown in matches else 0
    return [*matches[at:], *matches[:at]]


def list_counted_legs(tournament: Tournament) -> QuerySet[Leg]:
    """List the legs of all finished matches that count."""
    return Leg.objects.filter(
        match__pairing_match__pairing__round__in=Round.objects.shown(tournament).latest_attempts(),
        match__pairing_match__counts=True,
        match__state=Match.State.FINISHED,
    )


def count_legs(tournament: Tournament) -> int:
    """Return the number of legs that were played in matches that count."""
    return list_counted_legs(tournament).count()


def find_longest_leg_of(tournament: Tournament) -> LongestLeg | None:
    """Return the leg with the most decisions of all matches that count; None before the first."""
    legs = list_counted_legs(tournament).filter(decisions__isnull=False)
    row = legs.order_by("-decisions", "match", "number").values_list("match", "number", "decisions").first()
    return LongestLeg(row[0], row[1], row[2] or 0) if row else None


# Replay legs of the last round of a tournament to find the claim that came nearest to being refuted.

MAX_LEGS_REPLAYED = 8
"""A leg takes some 12 ms, and a page waits for them: those of the first pairings of the last round are replayed."""


@dataclass(frozen=True, slots=True)
class TournamentCall:
    """The close call of a leg."""

    match: int
    leg: int
    entrant: int
    """The seed of who decided."""
    round: int
    closest: CloseCall


def find_narrowest_claim(tournament: Tournament) -> TournamentCall | None:
    """Return the closest call of the legs that are replayed, of equal ones the first; None where none has one."""
    if tournament.game not in GAMES:
        return None
    last = Round.objects.shown(tournament).latest_attempts().last()
    legs = list_counted_legs(tournament).filter(match__pairing_match__pairing__round=last).exclude(record=None)
    legs = legs.order_by("match__pairing_match__pairing__board", "match", "number").only("match", "number", "record")
    found = [(closest, leg) for leg in legs[:MAX_LEGS_REPLAYED] if (closest := find_close_call(leg.record_data))]
    if last is None or not found:
        return None
    closest, leg = min(found, key=lambda pair: pair[0].margin)
    seat = LegSeat.objects.filter(leg=leg, seat=closest.seat)
    number = seat.filter(participant__version__tournament_entries__tournament=tournament).values_list(
        "participant__version__tournament_entries__number", flat=True
    )
    entrant = number.first()
    return TournamentCall(leg.match_id, leg.number, entrant, last.number, closest) if entrant else None


def find_holding_lesson(tournament: Tournament) -> Lesson | None:
    """Return the lesson for which a demo tournament's matches wait, or None."""
    if tournament.state != Tournament.State.RUNNING or tournament.group_id is not None:
        return None
    held = Match.objects.held_in_lesson().filter(pairing_match__pairing__round__tournament=tournament)
    lesson = find_lesson()
    return lesson if lesson is not None and held.exists() else None
