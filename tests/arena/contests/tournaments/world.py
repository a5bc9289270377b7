"""Tournaments in rows, and matches that are over without being played."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.timezone import now

from arena.bots.models import REMOTE_LANGUAGE, Bot
from arena.bots.services import add_version, create_bot
from arena.contests.tournaments.models import Check, Entrant, Tournament
from arena.contests.tournaments.services.entering import enter, record_check_result
from arena.contests.tournaments.services.organising import TournamentPlan, close_entries, create, open_entries
from arena.contests.tournaments.services.playing import advance_tournament
from arena.contests.tournaments.settings import Settings
from arena.matches.models import Leg, LegSeat, Match, Participant, WorkerStatus
from arena.matches.remote.models import RemoteBot
from arena.people.accounts.models import User
from tests.conftest import FIRST_LEGAL

Decide = Callable[[Sequence[Bot]], Sequence[int]]
"""From the bots of a match to their places, the same in each leg."""
WON, LOST = 10.0, 6.0
"""Series scores of a match: two legs of 5 and 3."""


def make_organiser(name: str = "olga") -> User:
    """Somebody who may organise, and is staff."""
    found = User.objects.filter(username=name).first()
    return found or User.objects.create_superuser(name, password=f"{name}'s password")


def make_bots(count: int, owner: User | None = None, game: str = "battleline", name: str = "Bot") -> list[Bot]:
    """Each with an accepted version of files of its own; of authors of their own, or all of one."""
    bots = []
    for number in range(1, count + 1):
        author = owner or User.objects.get_or_create(username=f"author{number}")[0]
        bot = create_bot(owner=author, name=f"{name} {number}", game=game)
        add_version(bot=bot, files={"bot.py": FIRST_LEGAL + f"\n# {bot.slug}\n".encode()}, state="accepted")
        bots.append(bot)
    return bots


def make_remote_bot(name: str = "Far Away", owner: User | None = None) -> Bot:
    """With one version, which is accepted at once."""
    owner = owner or User.objects.get_or_create(username=name.lower().replace(" ", "-"))[0]
    bot = create_bot(owner=owner, name=name, game="battleline")
    Bot.objects.filter(pk=bot.pk).update(is_remote=True)
    bot.refresh_from_db()
    bot.versions.create(number=1, language=REMOTE_LANGUAGE, size=0, state="accepted", declared="laptop")
    RemoteBot.objects.update_or_create(bot=bot)
    return bot


def make_tournament(bots: Sequence[Bot] = (), settings: Settings | None = None, **plan) -> Tournament:
    """Open for entries, and entered by these bots in this order. They are not checked yet."""
    organiser = make_organiser()
    plan = {"title": "Autumn Cup", "game": "battleline", "edition": "standard", "max_entrants_per_author": 64} | plan
    plan["max_entrants_per_author"] = min(plan["max_entrants_per_author"], plan.get("max_entrants", 64))
    tournament = create(organiser=organiser, plan=TournamentPlan(settings=settings or Settings(), **plan))
    tournament = open_entries(tournament=tournament, organiser=organiser)
    for bot in bots:
        enter(tournament=tournament, bot=bot, user=bot.owner)
    return tournament


def begin(bots: Sequence[Bot], settings: Settings | None = None, **plan) -> Tournament:
    """Checked and begun, with the matches of the first round queued."""
    tournament = make_tournament(bots, settings, **plan)
    close_entries(tournament=tournament, organiser=tournament.organiser)
    pass_checks(tournament)
    tournament.refresh_from_db()
    return tournament


def pass_checks(
    tournament: Tournament, failing: Sequence[Bot] = (), seconds: Mapping[Bot, float] | None = None
) -> None:
    """Finish the checks that wait, those of some bots with a crash in the first leg."""
    advance_tournament(tournament=tournament)
    for check in Check.objects.filter(entrant__tournament=tournament, match__state=Match.State.QUEUED):
        finish(
            check.match, [1] * check.match.participants.count(), crashes=check.entrant.bot in failing, seconds=seconds
        )
        record_check_result(match=check.match)
    advance_tournament(tournament=tournament)


def start_worker(name: str = "table", **report: Any) -> WorkerStatus:
    """A machine that plays matches."""
    return WorkerStatus.objects.create(worker=name, **{"level": "A", "sandbox": "namespaces"} | report)


def finish(
    match: Match, places: Sequence[int], *, crashes: bool = False, seconds: Mapping[Bot, float] | None = None
) -> Match:
    """Leave a match as a worker does, with these places by participant in each leg.

    Bots need these processor seconds for each leg, and wait half as long again.
    """
    participants = list(match.participants.order_by("index").select_related("version__bot"))
    others = len(places) - 1
    for participant, place in zip(participants, places, strict=True):
        beside = sum(other == place for other in places) - 1
        participant.points = (sum(other > place for other in places) + beside / 2) / others
        if seconds is not None:
            participant.waited_s = match.legs.count() * seconds[participant.version.bot] / 2
            participant.elapsed_s = 3 * participant.waited_s
    Participant.objects.bulk_update(participants, ["points", "elapsed_s", "waited_s"])
    LegSeat.objects.bulk_create(
        report_seat(leg, seat, participants[index], places[index], crashes=crashes and leg.number == 1 and index == 0)
        for leg in Leg.objects.filter(match=match)
        for seat, index in enumerate(leg.seating)
    )
    Match.objects.filter(pk=match.pk).update(state=Match.State.FINISHED, started_at=now(), finished_at=now())
    match.refresh_from_db()
    return match


def report_seat(leg: Leg, seat: int, participant: Participant, place: int, *, crashes: bool) -> LegSeat:
    return LegSeat(
        leg=leg,
        seat=seat,
        participant=participant,
        place=place,
        score=(WON if place == 1 else LOST) / 2,
        verdict="crash" if crashes else "ok",
        fault={"message": "It ended.", "sent": "", "request": None} if crashes else None,
    )


def waiting(tournament: Tournament) -> list[Match]:
    """What is queued of its pairings, in the order in which it is played."""
    rows = Match.objects.queued().filter(pairing_match__pairing__round__tournament=tournament)
    return list(rows.prefetch_related("participants__version__bot"))


def favourite(bots: Sequence[Bot]) -> list[int]:
    """Return the places when the bot created first wins."""
    order = sorted(bot.pk for bot in bots)
    return [order.index(bot.pk) + 1 for bot in bots]


def play_round(
    tournament: Tournament, decide: Decide = favourite, seconds: Mapping[Bot, float] | None = None
) -> Tournament:
    """Finish all that waits, and let it go on once."""
    for match in waiting(tournament):
        finish(match, decide([one.version.bot for one in match.participants.all()]), seconds=seconds)
    advance_tournament(tournament=tournament)
    tournament.refresh_from_db()
    return tournament


def play_out(tournament: Tournament, decide: Decide = favourite) -> Tournament:
    """To its end."""
    while tournament.state == Tournament.State.RUNNING:
        assert waiting(tournament), f"{tournament} runs, and nothing of it waits"
        play_round(tournament, decide)
    return tournament


def placing(tournament: Tournament) -> list[tuple[int | None, str]]:
    """Place and bot of each entrant, best first."""
    rows = Entrant.objects.seeded().filter(tournament=tournament).order_by("place", "number")
    return list(rows.values_list("place", "bot__name"))
