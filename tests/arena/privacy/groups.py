"""Groups in a world, and the ladder that one of them has for itself."""

from arena.bots.models import Bot, BotVersion
from arena.bots.services import add_version, create_bot
from arena.contests.ladders.services.seasons import end_group_season, enter_group_ladder, open_group_ladder
from arena.contests.reading import compare_versions
from arena.contests.tournaments.models import Entrant, Tournament
from arena.contests.tournaments.services.announcing import announce
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Invitation, Membership
from arena.people.groups.services import (
    ListedPerson,
    accept_reading,
    add_listed_people,
    announce_to_group,
    edit_group,
    renew_join_code,
)
from tests.arena.privacy.secrets import NOBODY, OF, OWNER, STAFF, World

ALL_AUTHORS = OF["ana"] | OF["eva"] | STAFF | {"rival"}
"""All who have a bot in the Autumn Cup or organise it: everybody who is signed in."""


def make_group(world: World) -> None:
    """Ana owns a group with a ladder of its own in which Zoe is, who has another one and invites her to it."""
    owner, zoe = world.people["owner"], User.objects.create_user("zoe")
    for name, person in (("group", owner), ("other group", zoe)):
        title = world.hide(f"name of the {name}", f"Those who meet in the {name} of Ana", OWNER | STAFF)
        group = Group.objects.create(name=title, slug=f"meets-as-{name.replace(' ', '-')}", created_by=person)
        Membership.objects.create(group=group, user=person, role=Membership.Role.OWNER)
        world.names[name] = group.slug
    group, other = Group.objects.get(slug=world.names["group"]), Group.objects.get(slug=world.names["other group"])
    real = world.hide("real name of a member", "Zita Kisfaludy-Strobl", OWNER)
    world.names["group_member"] = Membership.objects.create(group=group, user=zoe, real_name=real).pk
    listed = add_listed_people(group=group, by=owner, people=[ListedPerson("Zoé Kisfaludy", "")], days=1)
    world.hide("sign-in link", listed.slips[0].path, NOBODY)
    code = renew_join_code(group=group, by=owner, hours=2).open_code
    world.hide("code of a group", code, OWNER)
    make_source(world, group, owner, zoe)
    world.names["group_invitation"] = Invitation.objects.create(group=other, user=owner, email="").pk
    text = world.hide("announcement of a group", "The falcons fly in the tower on Tuesday", OWNER)
    world.names["group_announcement"] = announce_to_group(group=group, by=owner, text=text).pk
    make_ladder_of_group(world, group)
    make_classmates(world, zoe)


def make_source(world: World, group: Group, owner: User, zoe: User) -> None:
    """Zoe has accepted that organisers of Ana's group read her bots."""
    edit_group(group=group, by=owner, name=group.name, description="", hides_names=False, reads_bots=True)
    accept_reading(member=Membership.objects.get(group=group, user=zoe))
    text = world.hide("source of a member", "where_zoe_hides_the_deserter", OWNER)
    bot = create_bot(owner=zoe, name="Turnstone", game="battleline", group=group)
    version = add_version(bot=bot, files={"bot.py": f"{text} = 7".encode()}, state=BotVersion.State.ACCEPTED)
    world.names["group_source"] = version.pk
    assert compare_versions(versions=[version]).is_complete


def make_ladder_of_group(world: World, group: Group) -> None:
    """A season that is over and one that runs; Ana's bots play in both, a public one and one for the group."""
    owner = world.people["owner"]
    first = open_group_ladder(group=group, by=owner, game="battleline", edition="standard", with_samples=False)
    own = _make_version(owner, world.hide("group-only bot", "Bowerbird", OF["ana"] | STAFF), group).bot
    for bot in (Bot.objects.get(slug="kingfisher"), own):
        enter_group_ladder(ladder=first, bot=bot, by=owner)
    end_group_season(ladder=first, by=owner)
    ladder = open_group_ladder(group=group, by=owner, game="battleline", edition="standard", with_samples=False)
    world.hide("secret of the group's season", ladder.secret, NOBODY)
    world.hide("commitment of the group's season", ladder.commitment, OWNER | STAFF)


def make_classmates(world: World, zoe: User) -> None:
    """The Autumn Cup, which everybody sees, is of a class of Zoe's: classmates alone read there who is who."""
    group = Group.objects.create(name="Class 10.b", slug="class-10b", created_by=zoe)
    real = world.hide("real name in a tournament", "Zoltána Kisfaludy-Strobl", OWNER)
    Membership.objects.create(group=group, user=zoe, role=Membership.Role.OWNER, real_name=real)
    Membership.objects.create(group=group, user=world.people["owner"])
    tournament = Tournament.objects.get(slug=world.names["tournament"])
    version = _make_version(zoe, "Wigeon")
    Entrant.objects.create(tournament=tournament, bot=version.bot, version=version, state=Entrant.State.WITHDRAWN)
    Tournament.objects.filter(pk=tournament.pk).update(group=group)
    text = world.hide("announcement of a tournament", "The final is in the lecture hall", ALL_AUTHORS)
    made = announce(tournament=tournament, organiser=world.people["staff"], text=text)
    world.names["announcement"] = made.pk


def _make_version(owner: User, name: str, group: Group | None = None) -> BotVersion:
    bot = create_bot(owner=owner, name=name, game="battleline", group=group)
    return add_version(bot=bot, files={"bot.py": b"print()"}, state=BotVersion.State.ACCEPTED)
