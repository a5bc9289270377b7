"""Create tournaments of the sample bots in a new installation."""

from django.db import transaction

from arena.accounts.models import User
from arena.bots.models import Bot
from arena.bots.samples import list_anchors
from arena.tournaments.models import Tournament
from arena.tournaments.services.entering import enter
from arena.tournaments.services.organising import Plan, close_entries, create, open_entries
from arena.tournaments.services.playing import advance_tournament
from arena.tournaments.settings import Settings

DEMO_GAME = "battleline"
CUP_PLAN = Plan(
    title="Opening Cup",
    description="The sample bots in a small bracket: a bot that loses twice is out.",
    game=DEMO_GAME,
    edition="short",
    settings=Settings(format="double-elimination"),
)
LEAGUE_PLAN = Plan(
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
