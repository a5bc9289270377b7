"""The ladder of the group in `group_world`, with a finished match that it has rated and one that waits."""

from arena.bots.models import Bot
from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.ladders.services.pairing import queue_ladder_matches
from arena.contests.ladders.services.refitting import refit_ladder
from arena.contests.ladders.services.seasons import enter_group_ladder, open_group_ladder
from arena.people.groups.models import Group
from tests.arena.privacy.group_world import MATE, OPEN, OWN, GroupWorld, hide_match
from tests.conftest import Play


def add_ladder(world: GroupWorld, play: Play) -> Ladder:
    """Open ladder; all bots of the group are on it, and a member's public one."""
    group, ana = Group.objects.get(), world.people["ana"]
    ladder = open_group_ladder(group=group, by=ana, game="battleline", edition="standard", with_samples=False)
    enter_group_ladder(ladder=ladder, bot=Bot.objects.get(name=OPEN), by=ana)
    # Ana's bots never meet each other, so that Ben's is in every match
    rated, waits = queue_ladder_matches(ladder=ladder)
    assert play(rated) and append_finished_matches(ladder=ladder) == 1
    assert refit_ladder(ladder=ladder) is not None
    Entry.objects.filter(ladder=ladder).update(rating=1777.654321, is_ranked=True, rank_low=1, rank_high=1)
    world.names |= {"rated": rated.pk, "waits": waits.pk}
    for name, match in (("rated", rated), ("waits", waits)):
        hide_match(world, name, match)
    ladder.refresh_from_db()
    world.hide("commitment of the ladder", ladder.commitment)
    world.hide("secret of the ladder", ladder.secret)
    world.hide("rating on the ladder", "1777.654321")  # four digits are found in the random id of some request
    assert {entry.version.bot.name for entry in Entry.objects.filter(ladder=ladder)} == {OWN, MATE, OPEN}
    return ladder
