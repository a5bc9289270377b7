"""What the arena knows of a person, and what belongs to a group: written into a zip, and taken away."""

import json
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from typing import IO, Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import Q

from arena.bots.models import Bot, BotVersion, SourceRead, TeamMember, Token
from arena.contests.analysis.models import LegAnalysis
from arena.contests.analysis.queries import list_requested_analyses
from arena.contests.challenges.models import Challenge
from arena.contests.comparisons.models import Comparison
from arena.contests.following.services import find_preference, list_follows
from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.queries import list_standings
from arena.contests.ladders.services.seasons import (
    find_revealed_secret,
    list_dealt_matches,
)
from arena.contests.puzzles.queries import find_solver, list_answers_of
from arena.contests.tournaments.models import Entrant, Tournament, TournamentAnnouncement
from arena.core.errors import ArenaError, Conflict
from arena.matches.livegames.models import LiveSeat
from arena.matches.livegames.queries import is_live_deal_in_play
from arena.matches.models import Leg, LegSeat, Match, Participant, VerdictCount
from arena.people.accounts.models import User
from arena.people.audit.models import AuditEntry
from arena.people.groups.models import Group, GroupAnnouncement, Invitation, Membership
from arena.people.groups.services import (
    list_group_announcements,
    list_members,
    list_unused_accounts,
    lock_organised_group,
)
from arena.people.notices.announcing import take_back
from arena.people.notices.models import Delivery, Event, Notice, Webhook
from engine.message import Message, gettext_noop, message

# Write all that the arena knows of a person into a zip: rows as JSON, and the sources of the bots.

Row = dict[str, Any]
PERSONAL_MATCHES_PER_QUERY = 500
TEAM_FIELDS = ("bot__slug", "invited_by__username", "invited_at", "joined_at", "declined_at")
MEMBERSHIP_FIELDS = (
    "group__name",
    "role",
    "real_name",
    "joined_at",
    "email",
    "number",
    "columns",
    "reading_accepted_at",
)
READ_FIELDS = ("version__bot__slug", "version__number", "reader__username", "way", "at")
GROUP_INVITATION_FIELDS = ("group__name", "real_name", "created_at", "email", "number", "columns")
ENTRY_OF_PERSON_FIELDS = (
    *("tournament__slug", "tournament__title", "tournament__state", "bot__slug", "version__number"),
    *("state", "number", "place", "created_at"),
)
TOKEN_FIELDS = ("name", "bot__slug", "created_at", "last_used_at", "revoked_at")
ACCOUNT_FIELDS = (
    "username email first_name last_name is_active awaits_approval suspended_at is_banned is_staff date_joined "
    "last_login time_zone"
)
VERSION_FIELDS = "number language declared sha256 size state state_reason state_detail build_log is_on_hold created_at"
COMPARISON_FIELDS = (
    "pk edition changed_options mode elo0 elo1 promote_if_better state state_reason state_detail result_counts pairs "
    "llr created_at decided_at promoted_at"
)
PREFERENCE_FIELDS = "timing language site mails_announcements mailed_until next_digest_at"
ANNOUNCEMENT_FIELDS = "text created_at"
SOLVER_FIELDS = "rating deviation answered right"
ANSWER_FIELDS = "answer is_right seconds tries at"
ENTRY_FIELDS = "state rating deviation matches points rank_low rank_high created_at"
ENTRANT_FIELDS = "state state_reason state_detail number place created_at"


class Encoder(DjangoJSONEncoder):
    """Write messages as their English text."""

    def default(self, value: Any) -> Any:
        """Return what JSON has for a value."""
        return str(value) if isinstance(value, Message) else super().default(value)


def write_export(*, user: User, file: IO[bytes]) -> None:
    """Write all that belongs to a user, secrets left out, as a zip."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, rows in _collect(user).items():
            zipped.writestr(f"{name}.json", json.dumps(rows, cls=Encoder, indent=2, ensure_ascii=False) + "\n")
        with zipped.open("matches.jsonl", "w", force_zip64=True) as lines, TextIOWrapper(lines, "utf-8") as text:
            for row in _describe_matches_of_person(user):
                text.write(json.dumps(row, cls=Encoder, ensure_ascii=False) + "\n")
        own = Q(bot__in=Bot.objects.of_authors([user])) | Q(uploaded_by=user)
        kept = BotVersion.objects.filter(own).exclude(source=None).select_related("bot", "source").order_by("pk")
        for version in kept.iterator():
            for path, content in version.files.items():
                zipped.writestr(f"sources/{version.bot.slug}/v{version.number}/{path}", content)


def _collect(user: User) -> dict[str, Any]:
    """Return what goes into one file each, by its name."""
    sessions = UserSession.objects.filter(user=user)
    tournaments = Tournament.objects.filter(organiser=user)
    deliveries = Delivery.objects.filter(webhook__owner=user)
    bots = Bot.objects.of_authors([user])
    return {
        "account": _describe_account(user),
        "sessions": list(sessions.values("created_at", "last_seen_at", "ip", "user_agent")),
        "tokens": list(Token.objects.filter(owner=user).values(*TOKEN_FIELDS)),
        "notices": _rows(Notice.objects.filter(user=user), "event text url created_at seen_at"),
        "following": _describe_following(user),
        "puzzles": _describe_puzzle_answers(user),
        "webhooks": list(Webhook.objects.filter(owner=user).values("url", "events", "is_active", "created_at")),
        "deliveries": list(deliveries.values("webhook__url", "event", "payload", "state", "status", "created_at")),
        "bots": [_describe_bot(bot) for bot in bots.select_related("owner", "remote")],
        "team_places": list(TeamMember.objects.filter(user=user).values(*TEAM_FIELDS)),
        "uploads": list(BotVersion.objects.filter(uploaded_by=user).values("bot__slug", "number", "created_at")),
        "reads_of_files": list(SourceRead.objects.filter(version__bot__in=bots).values(*READ_FIELDS)),
        "comparisons": [_describe_comparison(one) for one in _list_comparisons(user)],
        "challenges": list(Challenge.objects.filter(owner=user).values("match", "version__number", "created_at")),
        "analyses": [_describe_analysis(one) for one in list_requested_analyses(user)],
        "live_games": [_describe_live_seat(seat) for seat in _list_live_seats(user)],
        "announcements": [
            {"group": one.group.name, **_row(one, ANNOUNCEMENT_FIELDS)}
            for one in GroupAnnouncement.objects.filter(author=user).select_related("group")
        ]
        + [
            {"tournament": one.tournament.slug, **_row(one, ANNOUNCEMENT_FIELDS)}
            for one in TournamentAnnouncement.objects.filter(author=user).select_related("tournament")
        ],
        "groups": list(Membership.objects.filter(user=user).values(*MEMBERSHIP_FIELDS)),
        "group_invitations": list(Invitation.objects.filter(user=user).values(*GROUP_INVITATION_FIELDS)),
        "staff_acts": list(AuditEntry.objects.filter(about=f"user {user.pk}").values("at", "act", "reason", "outcome")),
        "tournaments": list(tournaments.values("slug", "title", "description", "state", "created_at")),
        "co_organised_tournaments": list(user.co_organised_tournaments.values("slug", "title", "state")),
        "tournament_entries": list(Entrant.objects.filter(bot__in=bots).order_by("pk").values(*ENTRY_OF_PERSON_FIELDS)),
    }


def _describe_following(user: User) -> Row:
    preference = find_preference(user)
    return {
        "follows": [
            {
                "bot": follow.bot.slug if follow.bot else None,
                "author": follow.author.username if follow.author else None,
                "ladder": follow.ladder_path or None,
                "created_at": follow.created_at,
            }
            for follow in list_follows(user)
        ],
        "news": _row(preference, PREFERENCE_FIELDS) if preference else None,
    }


def _describe_puzzle_answers(user: User) -> Row:
    solver = find_solver(user)
    return {
        "solver": _row(solver, SOLVER_FIELDS) if solver else None,
        "answers": [
            {"kind": one.puzzle.kind, "number": one.puzzle.number, "day": one.puzzle.day, **_row(one, ANSWER_FIELDS)}
            for one in list_answers_of(user)
        ],
    }


def _row(instance: Any, fields: str) -> Row:
    return {name: getattr(instance, name) for name in fields.split()}


def _rows(instances: Iterable[Any], fields: str) -> list[Row]:
    return [_row(instance, fields) for instance in instances]


def _describe_account(user: User) -> Row:
    factors = Authenticator.objects.filter(user=user).values("type", "created_at", "last_used_at")
    addresses = EmailAddress.objects.filter(user=user).values("email", "verified", "primary")
    schools = SocialAccount.objects.filter(user=user).values("extra_data", "date_joined", "last_login")
    return {
        **_row(user, ACCOUNT_FIELDS),
        "addresses": list(addresses),
        "second_factors": list(factors),
        "school_accounts": list(schools),
    }


def _describe_bot(bot: Bot) -> Row:
    """Return a bot with its versions, and where these were entered."""
    entries = Entry.objects.filter(version__bot=bot).select_related("ladder", "version").order_by("pk")
    entrants = Entrant.objects.filter(bot=bot).select_related("tournament", "version").order_by("pk")
    return {
        **_row(bot, "name slug game is_remote created_at crest_design style"),
        "last_online_at": bot.remote.seen_at if hasattr(bot, "remote") else None,
        "authors": bot.author_names,
        "versions": _rows(bot.versions.order_by("number"), VERSION_FIELDS),
        "ladders": [
            {
                "ladder": f"{one.ladder.game}/{one.ladder.edition}/{one.ladder.season}",
                "version": one.version.number,
                **_row(one, ENTRY_FIELDS),
            }
            for one in entries
        ],
        "tournaments": [
            {"tournament": one.tournament.slug, "version": one.version.number, **_row(one, ENTRANT_FIELDS)}
            for one in entrants
        ],
    }


def _describe_analysis(analysis: LegAnalysis) -> Row:
    """Return an analysis that a user requested."""
    fields = "state created_at finished_at"
    if analysis.live_game is not None:
        return {"live_game": analysis.live_game.slug, **_row(analysis, fields)}
    assert analysis.leg is not None
    return {"match": analysis.leg.match_id, "leg": analysis.leg.number, **_row(analysis, fields)}


def _list_live_seats(user: User) -> Iterable[LiveSeat]:
    """List the seats that a user took in live games."""
    return LiveSeat.objects.filter(user=user).select_related("game").order_by("pk")


def _describe_live_seat(seat: LiveSeat) -> Row:
    """Return a live game as its player knows it, with the record once it is over and its deal isn't in play again."""
    game = seat.game
    record = game.record_data if game.record is not None and not is_live_deal_in_play(game) else None
    fields = "slug game edition changed_options state reason is_public has_hints created_at finished_at"
    return {**_row(game, fields), **_row(seat, "seat place score"), "record": record}


def _list_comparisons(user: User) -> Iterable[Comparison]:
    """List the comparisons that a user started, with the versions they are about."""
    return Comparison.objects.filter(owner=user).select_related("version__bot", "baseline__bot").order_by("pk")


def _describe_comparison(comparison: Comparison) -> Row:
    matches = comparison.comparison_matches.order_by("pk").values_list("match", flat=True)
    versions = {"version": str(comparison.version), "baseline": str(comparison.baseline)}
    return {**versions, **_row(comparison, COMPARISON_FIELDS), "matches": list(matches)}


def _describe_matches_of_person(user: User) -> Iterator[Row]:
    """Yield the matches of the user's bots in their order, each with its participants and its legs.

    Those of hidden rounds are left out until these are revealed.
    """
    own = Participant.objects.filter(version__bot__in=Bot.objects.of_authors([user]))
    played = own.filter(match__is_withheld=False).order_by("match")
    numbers = list(played.values_list("match", flat=True).distinct())
    for start in range(0, len(numbers), PERSONAL_MATCHES_PER_QUERY):
        some = Match.objects.filter(pk__in=numbers[start : start + PERSONAL_MATCHES_PER_QUERY]).lean().order_by("pk")
        for match in some.prefetch_related("participants__version__bot", "legs__seats"):
            yield {
                **_row(match, "pk game edition state created_at finished_at"),
                "participants": [_describe_participant(one, user) for one in match.participants.all()],
                "legs": [
                    {
                        **_row(leg, "number record_hash reason"),
                        "seats": [_describe_seat(one) for one in leg.seats.all()],
                    }
                    for leg in match.legs.all()
                ],
            }


def _describe_participant(participant: Participant, user: User) -> Row:
    version = participant.version
    bot = {"bot": version.bot.slug, "version": version.number, "is_own": version.bot.has_author(user)}
    return {"index": participant.index, **bot, "points": participant.points, "series_score": participant.series_score}


def _describe_seat(seat: LegSeat) -> Row:
    return _row(seat, "seat place score verdict refusals")


# Write what belongs to a group into a zip: members, bots, ladders, tournaments, results and records.

GROUP_MATCHES_PER_QUERY = 100
BOT_FIELDS = ("name", "slug", "game", "is_remote", "owner__username", "co_authors", "created_at")


def build_group_export(group: Group) -> BytesIO:
    """Return the zip of a group, from its beginning."""
    file = BytesIO()
    write_group_export(group=group, file=file)
    file.seek(0)
    return file


def write_group_export(*, group: Group, file: IO[bytes]) -> None:
    """Write all that is the group's own into a zip. Files of bots are their authors' and left out."""
    parts = {
        "group": {"name": group.name, "description": group.description, "created_at": group.created_at},
        "members": [
            {
                "real_name": member.real_name,
                "user_name": member.user.username,
                "role": member.role,
                "joined_at": member.joined_at,
                "email": member.email,
                "number": member.number,
                "columns": member.columns,
            }
            for member in list_members(group)
        ],
        "announcements": [
            {"author": one.author and one.author.username, **_row(one, ANNOUNCEMENT_FIELDS)}
            for one in list_group_announcements(group)
        ],
        "bots": list(Bot.objects.filter(group=group).values(*BOT_FIELDS)),
        "tournaments": [_describe_tournament(one) for one in Tournament.objects.filter(group=group).order_by("pk")],
    }
    parts["ladders"] = [_describe_season(one) for one in Ladder.objects.filter(group=group).order_by("pk")]
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in parts.items():
            text = json.dumps(content, cls=Encoder, indent=2, ensure_ascii=False)
            zipped.writestr(f"{name}.json", f"{text}\n")
        with zipped.open("records.jsonl", "w", force_zip64=True) as lines, TextIOWrapper(lines, "utf-8") as text_file:
            for row in _describe_matches_of_group(group):
                text_file.write(json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False) + "\n")


def _describe_tournament(tournament: Tournament) -> Row:
    entrants = tournament.entrants.select_related("bot__owner", "version").order_by("place", "number", "pk")
    return {
        "title": tournament.title,
        "slug": tournament.slug,
        "game": tournament.game,
        "edition": tournament.edition,
        "settings": tournament.settings,
        "state": tournament.state,
        "visibility": tournament.visibility,
        "finished_at": tournament.finished_at,
        "entrants": [
            {
                "bot": one.bot.slug,
                "version": one.version.number,
                "author": one.bot.owner.username,
                "is_remote": one.bot.is_remote,
                "state": one.state,
                "place": one.place,
            }
            for one in entrants
        ],
    }


def _describe_season(ladder: Ladder) -> Row:
    """Return a season with its standings, without the secret of one that runs."""
    fields = ("game", "edition", "season", "title", "opened_at", "closed_at", "commitment")
    return {
        **{field: getattr(ladder, field) for field in fields},
        "secret": find_revealed_secret(ladder),
        "standings": [
            {
                "bot": one.version.bot.slug,
                "version": one.version.number,
                "author": one.version.bot.owner.username,
                "rating": one.rating,
                "deviation": one.deviation,
                "is_ranked": one.is_ranked,
                "matches": one.matches,
                "points": one.points,
            }
            for one in list_standings(ladder)
        ],
        "matches": list(list_dealt_matches(ladder).values("number", "match", "sequence", "void_sequence")),
    }


def _describe_matches_of_group(group: Group) -> Iterator[Row]:
    """Yield the finished legs of the group's matches with their records, in their order."""
    played = Match.objects.filter(group=group, state=Match.State.FINISHED)
    keys = list(played.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(keys), GROUP_MATCHES_PER_QUERY):
        legs = Leg.objects.filter(match__in=keys[start : start + GROUP_MATCHES_PER_QUERY], record__isnull=False)
        for leg in legs.order_by("match", "number").defer("deal"):
            yield {"match": leg.match_id, "leg": leg.number, "record": leg.record_data}


# Erase a group with all that is its own. What is public stays, under the usernames, which tell nobody's real name.


@dataclass(frozen=True, slots=True)
class GroupContents:
    """How much there is that would be erased, and what would stay."""

    members: int
    bots: int
    """Bots for the group only."""
    matches: int
    ladders: int
    """Seasons of its ladders."""
    hidden_tournaments: int
    shown_tournaments: int
    """Tournaments that others see, too: they stay."""


def count_contents(group: Group) -> GroupContents:
    """Count what a group has."""
    tournaments = Tournament.objects.filter(group=group)
    hidden = tournaments.filter(_is_hidden()).count()
    return GroupContents(
        members=Membership.objects.filter(group=group).count(),
        bots=Bot.objects.filter(group=group).count(),
        matches=Match.objects.filter(group=group).count(),
        ladders=Ladder.objects.filter(group=group).count(),
        hidden_tournaments=hidden,
        shown_tournaments=tournaments.count() - hidden,
    )


@transaction.atomic
def erase_group(*, group: Group, by: User, confirmation: str) -> None:
    """Erase a group, as an owner: names of members, its bots, its ladders, and contests and matches others never saw.

    Tournaments that others see stay with their organisers. Accounts stay, but for those that a list made and nobody
    used. Raise NotYours, ArenaError unless `confirmation` is the name of the group, or Conflict while its matches are
    played.
    """
    group = lock_organised_group(group, by, as_owner=True)
    if confirmation.strip() != group.name:
        problem = gettext_noop("Type the group's name to delete it.")
        raise ArenaError(message(problem), fields=["confirmation"])
    matches = Match.objects.filter(group=group)
    if matches.filter(state__in=[Match.State.QUEUED, Match.State.RUNNING]).exists():
        problem = gettext_noop(
            "The group has queued or running matches: cancel its tournaments, end its ladders' seasons, or "
            "wait until they finish."
        )
        raise Conflict(message(problem))
    unused = list(list_unused_accounts(group).values_list("user", flat=True))
    hidden = Tournament.objects.filter(_is_hidden(), group=group)
    take_back(TournamentAnnouncement.objects.filter(tournament__in=hidden))
    take_back(list_group_announcements(group))
    hidden.delete()
    Tournament.objects.filter(group=group).update(group=None)
    Ladder.objects.filter(group=group).delete()
    _erase_bots_of_group(group)
    matches.delete()
    Notice.objects.filter(event=Event.GROUP_INVITATION, about=f"group {group.pk}").delete()
    group.delete()
    User.objects.filter(pk__in=unused, last_login=None).delete()


def _erase_bots_of_group(group: Group) -> None:
    """Delete the bots for a group only with what they have played, which was the group's."""
    bots = Bot.objects.filter(group=group)
    versions = Q(version__bot__in=bots)
    played = Match.objects.filter(pk__in=Match.objects.filter(participants__version__bot__in=bots).values("pk"))
    Challenge.objects.filter(match__in=played).delete()
    Comparison.objects.filter(versions | Q(baseline__bot__in=bots)).delete()
    played.delete()
    VerdictCount.objects.filter(versions).delete()
    bots.delete()


def _is_hidden() -> Q:
    return Q(visibility=Tournament.Visibility.GROUP) | Q(state=Tournament.State.DRAFT)
