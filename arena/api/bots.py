"""Bots: authors, teams, newest version, entries on ladders, ratings, and results against each opponent."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateField,
    DateTimeField,
    FloatField,
    IntegerField,
    Serializer,
    SerializerMethodField,
    SlugField,
)

from arena.api.frame import (
    MAX_INTEGER_COLUMN_VALUE,
    AuthorsField,
    ChoiceField,
    HtmlUrlField,
    MessageText,
    Resource,
    operation,
)
from arena.api.requests import bot_or_404, own_bot_or_404, require_row
from arena.bots.models import Bot, BotVersion, TeamMember
from arena.bots.queries import is_game_known, list_bots, list_newest_versions
from arena.bots.services import (
    MAX_BOT_NAME_LENGTH,
    MAX_DECLARATION_LENGTH,
    MAX_STYLE_LENGTH,
    BadStyle,
    create_bot,
    describe_style,
)
from arena.bots.teams import decline_invitation, find_on_team, invite_author, list_team, remove_author
from arena.contests.ladders.models import Entry, PairStat
from arena.contests.ladders.queries import (
    count_refusals,
    fetch_entry_keys,
    fetch_presence,
    list_entries_in_play,
    list_own_remote_bots,
    list_pair_stats,
    list_rating_points,
)
from arena.contests.ladders.rating import expected_score
from arena.contests.ladders.services.entering import pause_bot, resume_bot
from arena.contests.ladders.services.remote import create_remote_bot
from arena.core.messages import gettext as _
from arena.core.messages import render_message
from arena.operations.acts import delete_bot, hand_over_bot, join_team, rename_own_bot, retire_bot, return_bot
from arena.operations.staff_acts import report_new_bot
from arena.people.accounts.models import User
from arena.people.accounts.names import BadName, find_author
from arena.people.groups.models import Group, Reader
from arena.people.groups.services import find_group
from engine.registry import GAMES

# Bots: authors, newest version, and entries on ladders.

ENTRY_STATES_IN_PLAY = [Entry.State.ACTIVE.value, Entry.State.SUSPENDED.value]


class BotEntrySerializer(Serializer):
    """A bot's version on a running ladder."""

    game = CharField(source="ladder.game", help_text="Key of the game.")
    edition = CharField(source="ladder.edition", help_text="Key of the edition.")
    clock = CharField(
        source="ladder.clock", help_text="Clock of an open ladder: open or slow; empty for ladders of sandboxed bots."
    )
    season = IntegerField(source="ladder.season", help_text="Season number, starting at 1.")
    version = IntegerField(source="version.number", help_text="Version number, starting at 1.")
    state = ChoiceField(ENTRY_STATES_IN_PLAY, help_text="Whether it's playing or suspended.")
    state_reason = MessageText(help_text="Why it's suspended; empty otherwise.")
    rating = FloatField(help_text="Rating in Elo.")
    margin_95 = FloatField(help_text="Half the width of the rating's 95% interval, in Elo.")
    is_ranked = BooleanField(help_text="Whether the rating is certain enough for a rank.")
    rank_low = IntegerField(allow_null=True, help_text="Best plausible rank.")
    rank_high = IntegerField(allow_null=True, help_text="Worst plausible rank.")
    group = IntegerField(allow_null=True, help_text="Group of entries that can't be told apart; 1 is the best group.")
    matches = IntegerField(help_text="Number of rated matches.")


class LatestVersionSerializer(Serializer):
    """A bot's newest version."""

    number = IntegerField(help_text="Version number, starting at 1.")
    state = ChoiceField(BotVersion.State.choices, help_text="The version's state.")
    language = CharField(help_text="Key of the programming language; `remote` for remote bots.")
    declared = CharField(help_text="What a remote bot runs on, in its author's words; empty for other bots.")


class BotSerializer(Serializer):
    """A bot."""

    slug = CharField(help_text="The bot's slug.")
    name = CharField(help_text="The bot's name.")
    authors = AuthorsField(source="*")
    game = CharField(help_text="Key of the game it plays.")
    created_at = DateTimeField(help_text="When the bot was created.")
    playing_style = CharField(source="style", help_text="How it plays, in its authors' words; may be empty.")
    stopped_at = DateTimeField(
        allow_null=True, help_text="When its owner or staff stopped it everywhere; null if it plays."
    )
    is_for_group_only = SerializerMethodField(help_text="Whether only a group's members can see it.")
    is_remote = BooleanField(help_text="Whether it runs on its author's machine.")
    is_online = BooleanField(
        read_only=True, allow_null=True, help_text="Whether a remote bot is connected; null for other bots."
    )
    html_url = HtmlUrlField()
    latest_version = LatestVersionSerializer(
        read_only=True, allow_null=True, help_text="Newest version; null before the first upload."
    )
    entries = BotEntrySerializer(
        source="in_play", many=True, read_only=True, help_text="Its entries on running ladders, playing or suspended."
    )

    def get_is_for_group_only(self, bot: Bot) -> bool:
        """Return whether it is for a group."""
        return bot.group_id is not None


class BotDraftSerializer(Serializer):
    """A bot to create."""

    name = CharField(max_length=MAX_BOT_NAME_LENGTH, help_text="The bot's name.")
    game = ChoiceField(list(GAMES), help_text="Key of the game it plays.")
    group = SlugField(
        required=False,
        allow_null=True,
        help_text="Slug of your group, to show the bot only to its members. Null for a public bot.",
    )


class BotChangesSerializer(Serializer):
    """Changes to a bot; omitted fields stay."""

    name = CharField(
        max_length=MAX_BOT_NAME_LENGTH, required=False, help_text="The bot's new name. Its address doesn't change."
    )
    playing_style = CharField(
        source="style",
        max_length=MAX_STYLE_LENGTH,
        required=False,
        allow_blank=True,
        help_text="One sentence about how the bot plays, for people choosing an opponent. Empty to remove it.",
    )


class KnownGameField(ChoiceField):
    """The key of a game that is installed, or that has bots from when it was."""

    def to_internal_value(self, data: Any) -> Any:
        """Return the key. Raises ValidationError, which names the installed games."""
        return data if is_game_known(str(data)) else super().to_internal_value(data)


class BotQuery(Serializer):
    """Filters for the list of bots."""

    game = KnownGameField(list(GAMES), required=False, help_text="Only bots that play this game.")
    author = CharField(max_length=150, required=False, help_text="Only bots by the author with this username.")
    search = CharField(
        max_length=MAX_BOT_NAME_LENGTH, required=False, help_text="Only bots whose names contain this text."
    )


def attach_versions_and_entries(reader: Reader, bots: Sequence[Any]) -> None:
    """Read what a reader is shown beside each bot: its newest version and its entries on ladders."""
    keys = [bot.pk for bot in bots]
    newest = {version.bot_id: version for version in list_newest_versions(keys)}
    entries: dict[int, list[Entry]] = {}
    for entry in list_entries_in_play(reader, keys):
        entries.setdefault(entry.version.bot_id, []).append(entry)
    remote = [bot.pk for bot in bots if bot.is_remote]
    presence = fetch_presence(remote) if remote else {}
    for bot in bots:
        bot.latest_version, bot.in_play = newest.get(bot.pk), entries.get(bot.pk, [])
        bot.is_online = presence[bot.pk].is_online if bot.pk in presence else None


# The people who work on a bot: its team, invitations to it, and who leads it.


class TeamMemberSerializer(Serializer):
    """A member of a bot's team, or a person invited to it."""

    username = CharField(help_text="The person's username.")
    is_lead = BooleanField(help_text="Whether the person is the lead.")
    invited_by = CharField(allow_null=True, help_text="Username of the inviter; null for the lead.")
    invited_at = DateTimeField(allow_null=True, help_text="When the person was invited; null for the lead.")
    joined_at = DateTimeField(allow_null=True, help_text="When the person joined; null for invitations and the lead.")


class TeamSerializer(Serializer):
    """A bot's team."""

    people = TeamMemberSerializer(many=True, help_text="The authors, the lead first, then invited people.")


class NamedUserSerializer(Serializer):
    """A reference to a person."""

    username = CharField(max_length=150, help_text="The person's username.")


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody on a team; the fields are described in `TeamMemberSerializer`."""

    username: str
    is_lead: bool = False
    invited_by: str | None = None
    invited_at: datetime | None = None
    joined_at: datetime | None = None


def list_people(bot: Bot) -> list[Person]:
    """Return the team with its lead, who comes first."""
    lead = Person(bot.owner.username, is_lead=True)
    return [lead, *map(_describe_place, list_team(bot))]


def _describe_place(place: TeamMember) -> Person:
    invited_by = place.invited_by.username if place.invited_by else None
    return Person(place.user.username, False, invited_by, place.invited_at, place.joined_at)


def user_on_team_or_404(bot: Bot, username: str) -> User:
    """Return the user of this name if it is on the team or invited to it. Raise NotFound."""
    return require_row(find_on_team(bot, username), _("%(person)s isn't on the team.") % {"person": username})


class Teams(Resource):
    """A bot's team."""

    def respond_team(self, bot: Bot) -> Response:
        """Return the team as it is now."""
        return self.respond({"people": list_people(bot)})

    @operation("bots_team_retrieve", "Show a bot's team", TeamSerializer)
    def show(self, request: Request, slug: str) -> Response:
        """Return your bot's authors, with the lead first, and the people invited to its team."""
        return self.respond_team(own_bot_or_404(request, slug))

    @operation("bots_team_invite", "Invite a person to the team", TeamSerializer, status=201, reads=NamedUserSerializer)
    def invite(self, request: Request, slug: str) -> Response:
        """Invite a person to the bot's team. The person can accept or decline. Team lead only."""
        user = self.unrestricted_user
        bot = own_bot_or_404(request, slug)
        name = self.read_data()["username"]
        invited = require_row(find_author(name), _("No author called %(name)s.") % {"name": name})
        invite_author(bot=bot, by=user, user=invited)
        return self.respond_team(bot)

    @operation("bots_team_remove", "Remove a person from the team", status=204)
    def remove(self, request: Request, slug: str, name: str) -> Response:
        """Remove a person or an invitation, as the team lead, or leave the team yourself."""
        user = self.unrestricted_user
        bot = own_bot_or_404(request, slug)
        remove_author(bot=bot, by=user, user=user_on_team_or_404(bot, name))
        return Response(status=204)

    @operation("bots_team_lead", "Hand over the lead", TeamSerializer, reads=NamedUserSerializer)
    def hand_over(self, request: Request, slug: str) -> Response:
        """Make another author the team's lead. You stay on the team."""
        user = self.unrestricted_user
        bot = own_bot_or_404(request, slug)
        heir = user_on_team_or_404(bot, self.read_data()["username"])
        return self.respond_team(hand_over_bot(bot=bot, owner=user, user=heir))

    @operation("bots_invitation_accept", "Accept an invitation to a team", TeamSerializer)
    def accept(self, request: Request, slug: str) -> Response:
        """Accept your invitation to join the bot's team."""
        user = self.unrestricted_user
        return self.respond_team(join_team(bot=bot_or_404(request, slug), user=user))

    @operation("bots_invitation_refuse", "Decline an invitation to a team", status=204)
    def refuse(self, request: Request, slug: str) -> Response:
        """Decline your invitation to join the bot's team."""
        decline_invitation(user=self.unrestricted_user, bot=bot_or_404(request, slug))
        return Response(status=204)


# Rating history of a bot's versions, day by day.


class RatingPointSerializer(Serializer):
    """A version's rating on one day."""

    day = DateField(help_text="Day of the rating.")
    game = CharField(source="entry.ladder.game", help_text="Key of the game.")
    edition = CharField(source="entry.ladder.edition", help_text="Key of the edition.")
    clock = CharField(
        source="entry.ladder.clock",
        help_text="Clock of an open ladder: open or slow; empty for ladders of sandboxed bots.",
    )
    season = IntegerField(source="entry.ladder.season", help_text="Season number, starting at 1.")
    version = IntegerField(source="entry.version.number", help_text="Version number, starting at 1.")
    rating = FloatField(help_text="Rating in Elo, as last computed on that day.")
    deviation = FloatField(help_text="Standard deviation of the rating, in Elo.")
    rank = IntegerField(allow_null=True, help_text="Rank; null if the rating wasn't certain enough.")
    matches = IntegerField(help_text="Number of rated matches so far.")


class OnLadderQuery(Serializer):
    """Filters by ladder and version."""

    edition = SlugField(required=False, help_text="Only ladders for the edition with this key.")
    season = IntegerField(
        required=False, min_value=1, max_value=MAX_INTEGER_COLUMN_VALUE, help_text="Only this season."
    )
    version = IntegerField(
        required=False, min_value=1, max_value=MAX_INTEGER_COLUMN_VALUE, help_text="Only this version."
    )


ENTRY_LOOKUPS = {"edition": "ladder__edition", "season": "ladder__season", "version": "version__number"}
"""Lookups of an entry, by parameter."""


def build_entry_conditions(query: dict[str, object]) -> dict[str, object]:
    """Return the lookups of entries that a query stands for."""
    return {ENTRY_LOOKUPS[name]: value for name, value in query.items()}


# Results of a bot against each of its opponents.


class HeadToHeadSerializer(Serializer):
    """A version's results against another version."""

    game = CharField(help_text="Key of the game.")
    edition = CharField(help_text="Key of the edition.")
    clock = CharField(help_text="Clock of an open ladder: open or slow; empty for ladders of sandboxed bots.")
    season = IntegerField(help_text="Season number, starting at 1.")
    version = IntegerField(help_text="The bot's version number.")
    opponent = CharField(help_text="The opponent's slug.")
    opponent_name = CharField(help_text="The opponent's name.")
    opponent_version = IntegerField(help_text="The opponent's version number.")
    seats = IntegerField(help_text="Number of seats, and of legs, in each of these matches; 1 is a single leg of two.")
    matches = IntegerField(help_text="Number of rated matches.")
    score = FloatField(help_text="Share of legs in which the bot placed better; ties count half.")
    expected_score = FloatField(help_text="Score predicted by the current ratings.")


def describe_pair(stat: PairStat, is_low: bool) -> dict[str, Any]:
    """Return the row from the side of the entry with the lower key, or of the other one."""
    own, other = (stat.low, stat.high) if is_low else (stat.high, stat.low)
    share = stat.halves / (2 * stat.matches * stat.seats)
    return {
        "game": stat.ladder.game,
        "edition": stat.ladder.edition,
        "clock": stat.ladder.clock,
        "season": stat.ladder.season,
        "version": own.version.number,
        "opponent": other.version.bot.slug,
        "opponent_name": other.version.bot.name,
        "opponent_version": other.version.number,
        "seats": stat.seats,
        "matches": stat.matches,
        "score": share if is_low else 1 - share,
        "expected_score": expected_score(own.rating - other.rating),
    }


@contextmanager
def naming_field(name: str) -> Iterator[None]:
    """Raise ValidationError at this field where its value is refused."""
    try:
        yield
    except (BadName, BadStyle) as error:
        raise ValidationError({name: [render_message(error.message)]}) from None


class Bots(Resource):
    """Bots."""

    def respond_bot(self, bot: Bot, status: int | None = None) -> Response:
        """Return the bot with its parts."""
        attach_versions_and_entries(self.request.user, [bot])
        return self.respond(bot, status)

    @operation("bots_list", "List bots", [BotSerializer], query=BotQuery)
    def list(self, request: Request) -> Response:
        """List bots, ordered by slug."""
        attach = partial(attach_versions_and_entries, request.user)
        return self.respond_page(list_bots(request.user, **self.query), ("slug",), attach)

    @operation("bots_create", "Create a bot", BotSerializer, status=201, reads=BotDraftSerializer)
    def create(self, request: Request) -> Response:
        """Create a bot without versions. Tokens limited to one bot can't do this."""
        user = self.unrestricted_user
        with naming_field("name"):
            sent = self.read_data()
            group = group_or_404(user, sent.pop("group", None))
            bot = create_bot(owner=user, group=group, **sent)
        report_new_bot(bot=bot)
        return self.respond_bot(bot)

    @operation("bots_retrieve", "Show a bot", BotSerializer)
    def show(self, request: Request, slug: str) -> Response:
        """Return a bot."""
        return self.respond_bot(bot_or_404(request, slug))

    @operation("bots_partial_update", "Change a bot", BotSerializer, reads=BotChangesSerializer)
    def change(self, request: Request, slug: str) -> Response:
        """Rename a bot, or describe how it plays. Records of earlier matches keep the old name."""
        user = self.unrestricted_user
        bot, sent = own_bot_or_404(request, slug), self.read_data()
        if not sent:
            raise ValidationError({"name": [_("Send a new name or how it plays.")]})
        with transaction.atomic():
            if "style" in sent:
                with naming_field("playing_style"):
                    describe_style(bot=bot, owner=user, style=sent["style"])
            if "name" in sent:
                with naming_field("name"):
                    rename_own_bot(bot=bot, owner=user, name=sent["name"])
        bot.refresh_from_db()
        return self.respond_bot(bot)

    @operation("bots_destroy", "Delete a bot", status=204)
    def delete_unplayed(self, request: Request, slug: str) -> Response:
        """Delete a bot that has only played trials, along with its versions and their files."""
        user = self.unrestricted_user
        delete_bot(bot=own_bot_or_404(request, slug), owner=user)
        return Response(status=204)

    @operation("bots_pause", "Pause a bot", BotSerializer)
    def pause(self, request: Request, slug: str) -> Response:
        """Pause a bot on all ladders until it's resumed. Its ratings are kept."""
        return self._act(slug, pause_bot)

    @operation("bots_resume", "Resume a bot", BotSerializer)
    def resume(self, request: Request, slug: str) -> Response:
        """Resume a bot on all ladders where it was paused, or suspended after faults."""
        return self._act(slug, resume_bot)

    @operation("bots_retire", "Retire a bot", BotSerializer)
    def retire(self, request: Request, slug: str) -> Response:
        """Remove a bot from all ladders, tournaments, comparisons and live games until you bring it back."""
        return self._act(slug, retire_bot)

    @operation("bots_return", "Bring back a retired bot", BotSerializer)
    def return_to_play(self, request: Request, slug: str) -> Response:
        """Bring back a retired bot to where it played before, with its ratings."""
        return self._act(slug, return_bot)

    def _act(self, slug: str, service: Callable[..., object]) -> Response:
        """Call the service and return the bot as it is afterwards."""
        service(bot=own_bot_or_404(self.request, slug), owner=self.user)
        return self.respond_bot(bot_or_404(self.request, slug))

    @operation("bots_ratings", "Show a bot's rating history", [RatingPointSerializer], query=OnLadderQuery)
    def list_ratings(self, request: Request, slug: str) -> Response:
        """List daily ratings of a bot's versions, newest first."""
        bot, conditions = bot_or_404(request, slug), build_entry_conditions(self.query)
        return self.respond_page(list_rating_points(request.user, bot, **conditions))

    @operation("bots_head_to_head", "Show a bot's results by opponent", [HeadToHeadSerializer], query=OnLadderQuery)
    def list_head_to_head(self, request: Request, slug: str) -> Response:
        """List results, with one row per opponent version and number of seats, newest opponents first."""
        own = fetch_entry_keys(request.user, bot_or_404(request, slug), **build_entry_conditions(self.query))
        return self.respond_lines(
            [describe_pair(stat, stat.low_id in own) for stat in self.cut_page(list_pair_stats(own))]
        )


# Remote bots, which run on their authors' machines: their registration and whether they are connected.


class RemoteBotDraftSerializer(Serializer):
    """A remote bot to create."""

    name = CharField(max_length=MAX_BOT_NAME_LENGTH, help_text="The bot's name.")
    game = ChoiceField(list(GAMES), help_text="Key of the game it plays.")
    declared = CharField(
        max_length=MAX_DECLARATION_LENGTH,
        help_text="What it runs on, in your words, such as `model X, temperature 0, laptop`. Shown with its results.",
    )


class RemoteBotSerializer(Serializer):
    """One of your remote bots."""

    slug = CharField(help_text="The bot's slug.")
    name = CharField(help_text="The bot's name.")
    game = CharField(help_text="Key of the game it plays.")
    html_url = HtmlUrlField()
    version = IntegerField(source="latest_version.number", help_text="Number of its newest version.")
    declared = CharField(source="latest_version.declared", help_text="What that version runs on, in your words.")
    is_online = BooleanField(source="presence.is_online", help_text="Whether its program is connected.")
    seen_at = DateTimeField(
        source="presence.seen_at", allow_null=True, help_text="When it was last connected; null before the first time."
    )
    playing = IntegerField(source="presence.playing", help_text="Number of matches it's playing or about to play.")
    room = IntegerField(source="presence.room", help_text="Number of legs it plays at a time, as its program says.")
    legs = IntegerField(help_text="Number of finished legs.")
    refusals = IntegerField(help_text="Number of its answers in these legs that were refused.")


def attach_presence(bots: Sequence[Any]) -> None:
    """Read the newest version of each of these remote bots, whether they are connected, and their refusals."""
    keys = [bot.pk for bot in bots]
    newest = {version.bot_id: version for version in list_newest_versions(keys)}
    presence, refused = fetch_presence(keys), count_refusals(keys)
    for bot in bots:
        bot.latest_version, bot.presence = newest[bot.pk], presence[bot.pk]
        bot.refusals, bot.legs = refused.get(bot.pk, (0, 0))


class RemoteBots(Bots):
    """Remote bots."""

    @operation("remote_bots_list", "List your remote bots", [RemoteBotSerializer])
    def list(self, request: Request) -> Response:
        """List your remote bots, ordered by slug, and whether they're online."""
        return self.respond_page(list_own_remote_bots(self.unrestricted_user), ("slug",), attach_presence)

    @operation("remote_bots_create", "Create a remote bot", BotSerializer, status=201, reads=RemoteBotDraftSerializer)
    def create(self, request: Request) -> Response:
        """Create a bot that runs on your machine, with its first version, which needs no trial.

        To let it play, enter it on an open ladder and run `pennant remote`. Tokens limited to one bot can't do this.
        """
        user = self.unrestricted_user
        sent = self.read_data()
        with naming_field("name"):
            bot = create_remote_bot(owner=user, **sent)
        report_new_bot(bot=bot)
        return self.respond_bot(bot)


def group_or_404(user: User, slug: str | None) -> Group | None:
    """Return the group of a user, or None where none is named. Raise NotFound."""
    if not slug:
        return None
    return require_row(find_group(user, slug), _("You aren't in a group with the address %(slug)s.") % {"slug": slug})
