"""A group with bots for it only, their matches, and a tournament that nobody else may see."""

import json
from dataclasses import dataclass, field

from arena.bots.models import Bot, BotVersion
from arena.bots.services import add_version, create_bot
from arena.bots.teams import issue_token
from arena.contests.challenges.services import create_challenge
from arena.contests.comparisons.services import queue_comparison_matches, start_comparison
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.seasons import open_season
from arena.contests.tournaments.models import Entrant
from arena.contests.tournaments.services import organising
from arena.contests.tournaments.services.access import Access
from arena.contests.tournaments.services.entering import enter
from arena.contests.tournaments.services.playing import advance_tournament
from arena.matches.models import Leg, Match, WorkerStatus
from arena.matches.services import claim_match, queue_trial
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership
from tests.arena.privacy.secrets import squeezed
from tests.arena.privacy.world import BOT
from tests.conftest import Play

OWN, MATE, OPEN = "Quetzalfinch", "Hoopoelark", "Dotterelgull"
"""Two bots for the group only, and a public one of a member, which takes part in the group's tournament."""


@dataclass(slots=True)
class GroupWorld:
    people: dict[str, User]
    tokens: dict[str, str]
    names: dict[str, object] = field(default_factory=dict)
    """What paths are made of."""
    secrets: dict[str, bytes] = field(default_factory=dict)

    def hide(self, name: str, text: str) -> None:
        self.secrets[name] = squeezed(text.encode())


def make_group_world(play: Play) -> GroupWorld:
    people = {name: User.objects.create_user(name) for name in ("ana", "ben", "eva")}
    world = GroupWorld(people, {"stranger's token": issue_token(owner=people["eva"], name="of Eva")[1]})
    WorkerStatus.objects.create(worker="one", level="A")
    group = Group.objects.create(name="Tuesday Falconers", slug="tuesday-falconers")
    Membership.objects.create(group=group, user=people["ana"], role="owner", real_name="Anna Kisfaludy")
    Membership.objects.create(group=group, user=people["ben"], real_name="Benedek Kisfaludy")
    world.names["group"] = group.slug
    ladder = open_season(game="battleline", edition="standard", title="Battle Line")
    own, older = (_make_version(people["ana"], OWN, group, f"{OWN} {number}") for number in (1, 2))
    mate = _make_version(people["ben"], MATE, group, MATE)
    public = _make_version(people["ana"], OPEN, None, OPEN)
    for version in (public, _make_version(people["eva"], "Egret", None, "Egret")):
        enter_version(ladder=ladder, version=version)
    finished, underway = (create_challenge(owner=people["ana"], version=own, opponent=mate).match for _ in range(2))
    assert play(finished)
    assert claim_match(match_id=underway.pk, worker="mill")
    waiting = add_version(bot=own.bot, files=_files("newer"), state=BotVersion.State.ON_TRIAL)
    trial = queue_trial(version=waiting)
    comparison = start_comparison(owner=people["ana"], version=older, baseline=own)
    compared, *_more = queue_comparison_matches(comparison=comparison)
    played, drawn = _make_tournament(world, group, play, [own, mate, public])
    assert trial is not None
    matches = {"finished": finished, "running": underway, "trial": trial, "queued": compared, "played": played}
    world.names |= {name: match.pk for name, match in matches.items()} | {"comparison": comparison.pk}
    for name, match in matches.items():
        hide_match(world, name, match)
    for match in drawn:
        world.hide(f"address of match {match.pk}", f"/matches/{match.pk}/")
    for name, text in (("own", OWN), ("mate", MATE), ("group", group.name), ("real", "Kisfaludy")):
        world.hide(f"name: {name}", text)
        world.hide(f"slug: {name}", text.lower().replace(" ", "-"))
    return world


def _files(comment: str) -> dict[str, bytes]:
    return {"bot.py": BOT.format(comment=comment, log=comment).encode()}


def _make_version(owner: User, name: str, group: Group | None, comment: str) -> BotVersion:
    bot = Bot.objects.filter(name=name).first() or create_bot(owner=owner, name=name, game="battleline", group=group)
    return add_version(bot=bot, files=_files(comment), state=BotVersion.State.ACCEPTED)


def _make_tournament(
    world: GroupWorld, group: Group, play: Play, versions: list[BotVersion]
) -> tuple[Match, list[Match]]:
    access = Access(group=group, visibility="group", entry_rule="code")
    plan = organising.TournamentPlan(
        "Falconers Cup", "battleline", "standard", max_entrants_per_author=2, access=access
    )
    organiser = world.people["ana"]
    tournament = organising.create(organiser=organiser, plan=plan)
    organising.open_entries(tournament=tournament, organiser=organiser)
    for version in versions:
        enter(tournament=tournament, bot=version.bot, user=organiser, version=version)
    tournament.entrants.update(state=Entrant.State.READY)
    organising.close_entries(tournament=tournament, organiser=organiser)
    drawn = advance_tournament(tournament=tournament)
    assert play(drawn[0])
    tournament.refresh_from_db()
    world.names["tournament"] = tournament.slug
    world.hide("title of the tournament", tournament.title)
    world.hide("slug of the tournament", tournament.slug)
    world.hide("commitment", tournament.commitment)
    world.hide("code", tournament.entry_code or "")
    return drawn[0], drawn


def hide_match(world: GroupWorld, name: str, match: Match) -> None:
    world.hide(f"address: {name}", f"/matches/{match.pk}/")
    for leg in Leg.objects.filter(match=match):
        world.hide(f"hash: {name} {leg.number}", leg.deal_hash)
    for pile, cards in match.deal.items():
        if isinstance(cards, list) and len(cards) > 4:
            world.hide(f"{pile}: {name}", json.dumps(cards[:5])[1:-1])
