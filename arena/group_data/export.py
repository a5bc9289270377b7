"""Write what belongs to a group into a zip: members, bots, ladders, tournaments, results and records."""

import json
import zipfile
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from typing import IO, Any

from django.core.serializers.json import DjangoJSONEncoder

from arena.bots.models import Bot
from arena.groups.models import Group
from arena.groups.queries.groups import list_members
from arena.ladders.models import Ladder
from arena.ladders.queries.standings import list_standings
from arena.ladders.services.seasons import find_revealed_secret, list_dealt_matches
from arena.matches.models import Leg, Match
from arena.tournaments.models import Tournament

Row = dict[str, Any]
MATCHES_PER_QUERY = 100
BOT_FIELDS = ("name", "slug", "game", "owner__username", "co_authors", "created_at")


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
            }
            for member in list_members(group)
        ],
        "bots": list(Bot.objects.filter(group=group).values(*BOT_FIELDS)),
        "tournaments": [_describe_tournament(one) for one in Tournament.objects.filter(group=group).order_by("pk")],
    }
    parts["ladders"] = [_describe_season(one) for one in Ladder.objects.filter(group=group).order_by("pk")]
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in parts.items():
            text = json.dumps(content, cls=DjangoJSONEncoder, indent=2, ensure_ascii=False)
            zipped.writestr(f"{name}.json", f"{text}\n")
        with zipped.open("records.jsonl", "w", force_zip64=True) as lines, TextIOWrapper(lines, "utf-8") as text_file:
            for row in _describe_matches(group):
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


def _describe_matches(group: Group) -> Iterator[Row]:
    """Yield the finished legs of the group's matches with their records, in their order."""
    played = Match.objects.filter(group=group, state=Match.State.FINISHED)
    keys = list(played.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(keys), MATCHES_PER_QUERY):
        legs = Leg.objects.filter(match__in=keys[start : start + MATCHES_PER_QUERY], record__isnull=False)
        for leg in legs.order_by("match", "number").defer("deal"):
            yield {"match": leg.match_id, "leg": leg.number, "record": leg.record_data}
