"""Ladders, public ones and those of groups: seasons with what verifies them, standings, the atlas, formations."""

from typing import Any

from django.urls import reverse
from django.utils.translation import override
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    DictField,
    FloatField,
    IntegerField,
    ListField,
    Serializer,
    SerializerMethodField,
    SlugField,
)

from arena.api.frame import (
    AuthorsField,
    ChoiceField,
    HtmlUrlField,
    Resource,
    ValueFunctionSerializer,
    VersionSerializer,
    build_absolute_url,
    operation,
)
from arena.api.groups import GroupResource
from arena.api.requests import bot_or_404, own_bot_or_404, require_row
from arena.bots.queries import fetch_bots
from arena.contests.atlas.services import fetch_bot_cells, fetch_cells, find_progress
from arena.contests.formations.models import MAX_SHAPE_LENGTH, Formation
from arena.contests.formations.services import list_formations
from arena.contests.ladders import queries
from arena.contests.ladders.models import Ladder
from arena.contests.ladders.services import seasons
from arena.contests.ladders.services.remote import join_open_ladder, leave_open_ladder
from arena.core.messages import gettext as _
from arena.core.messages import pgettext
from arena.matches.models import Match

# Ladders: the running seasons and their standings.


class LadderSerializer(Serializer):
    """A ladder's season."""

    game = CharField(help_text="Key of the game.")
    edition = CharField(help_text="Key of the edition.")
    clock = CharField(help_text="Clock of an open ladder: open or slow; empty for ladders of sandboxed bots.")
    season = IntegerField(help_text="Season number, starting at 1.")
    title = CharField(help_text="The ladder's title.")
    html_url = HtmlUrlField()
    opened_at = DateTimeField(help_text="When the season was opened.")
    closed_at = DateTimeField(allow_null=True, help_text="When the season was closed; null while it runs.")
    paused_at = DateTimeField(
        allow_null=True,
        help_text="When staff or organisers stopped new matches; null while matches are scheduled.",
    )
    commitment = CharField(help_text="SHA-256 of the secret from which all the season's deals are derived.")
    bots = IntegerField(help_text="Number of bots on the ladder.")
    rated_matches = IntegerField(
        source="last_sequence", help_text="Number of ledger lines: rated matches and their cancellations."
    )
    dispersion = FloatField(help_text="Dispersion of mirrored pairs; below 1, the luck of the deal cancels out.")
    pair_interaction_sd = FloatField(
        allow_null=True,
        help_text="Standard deviation of the part of results between two bots that ratings can't explain, in Elo.",
    )
    fitted_at = DateTimeField(allow_null=True, help_text="When all ratings were last recomputed.")


class StandingSerializer(Serializer):
    """A ladder's entry."""

    rank = IntegerField(
        allow_null=True,
        help_text="Rank among the ranked bots, starting at 1; null until the rating is certain enough.",
    )
    rank_low = IntegerField(allow_null=True, help_text="Best plausible rank.")
    rank_high = IntegerField(allow_null=True, help_text="Worst plausible rank.")
    place = IntegerField(
        allow_null=True,
        help_text="Place by rating among all bots, ranked or not; null until it has a rank.",
    )
    place_low = IntegerField(allow_null=True, help_text="Best plausible place.")
    place_high = IntegerField(allow_null=True, help_text="Worst plausible place.")
    group = IntegerField(allow_null=True, help_text="Group of bots that can't be told apart; 1 is the best group.")
    bot = CharField(source="version.bot.slug", help_text="The bot's slug.")
    name = CharField(source="version.bot.name", help_text="The bot's name.")
    authors = AuthorsField(source="version.bot")
    version = IntegerField(source="version.number", help_text="Version number, starting at 1.")
    language = CharField(source="version.language", help_text="Key of the programming language.")
    is_remote = BooleanField(source="version.bot.is_remote", help_text="Whether it runs on its author's machine.")
    declared = CharField(
        source="version.declared", help_text="What a remote bot runs on, in its author's words; empty for other bots."
    )
    rating = FloatField(help_text="Rating in Elo.")
    deviation = FloatField(help_text="Standard deviation of the rating, in Elo.")
    margin_95 = FloatField(help_text="Half the width of the rating's 95% interval, in Elo.")
    is_ranked = BooleanField(help_text="Whether the rating is certain enough for a rank.")
    is_anchor = BooleanField(help_text="Whether this entry anchors the ladder's scale.")
    matches = IntegerField(help_text="Number of rated matches.")
    opponents = IntegerField(help_text="Number of different opponents in rated matches.")
    points = FloatField(help_text="Sum of its points in rated matches, at most 1 each.")
    points_less_luck = FloatField(
        source="mean_points_less_luck",
        allow_null=True,
        help_text="On open ladders, its mean points per match less its mean luck; null until luck was measured.",
    )
    luck_matches = IntegerField(help_text="Number of its rated matches on an open ladder whose luck was measured.")
    rated_at = DateTimeField(allow_null=True, help_text="When its last match was rated.")


class StandingQuery(Serializer):
    """Filters for the standings."""

    bot = SlugField(required=False, help_text="Only the entry of the bot with this slug.")


def attach_ranks(ladder: Ladder, entries: list[Any]) -> None:
    """Give a rank among those that have one, and a place among all, to entries that follow each other."""
    places = queries.find_places(ladder, entries)
    for entry in entries:
        place = places.get(entry.pk)
        entry.place = place.number if place else None
        entry.place_low, entry.place_high = (place.low, place.high) if place else (None, None)
    if entries:
        for rank, entry in enumerate(entries, queries.count_entries_before(entries[0], ladder) + 1):
            entry.rank = rank if entry.is_ranked else None


STANDINGS_ORDER = ("-is_ranked", "-rating", "deviation", "pk")


def ladder_or_404(game: str, edition: str, clock: str = "") -> Ladder:
    """Return the running season. Raise NotFound."""
    message = _("Ladder %(game)s/%(edition)s doesn't exist.")
    if clock:
        message = _("Ladder %(game)s/%(edition)s/%(clock)s hasn't been opened.")
    names = {"game": game, "edition": edition, "clock": clock}
    return require_row(queries.find_open_ladder(game, edition, clock=clock), message % names)


# Seasons of a ladder, and what anyone needs to verify that no deal was chosen.


class HouseRatingsSerializer(Serializer):
    """File and method that fix the sample bots' first ratings, published when the season opens."""

    version = IntegerField(help_text="Version of the file of measured ratings.")
    hash = CharField(help_text="SHA-256 of the file.")
    method = IntegerField(help_text="Version of the ladder's rating method.")


class SeasonSerializer(Serializer):
    """A season's document, for `pennant verify --season`."""

    format = CharField(help_text="Name of the format.")
    game = CharField(help_text="Key of the game.")
    edition = CharField(help_text="Key of the edition.")
    season = IntegerField(help_text="Season number, starting at 1.")
    title = CharField(help_text="The ladder's title.")
    clock = CharField(required=False, help_text="Clock of an open ladder; missing for other ladders.")
    options = DictField(help_text="All rule options in force.")
    rules_version = IntegerField(help_text="Version of the rules.")
    opened_at = DateTimeField(help_text="When the season was opened.")
    closed_at = DateTimeField(allow_null=True, help_text="When the season was closed; null while it runs.")
    commitment = CharField(help_text="SHA-256 of the secret, public from the start.")
    value_function = ValueFunctionSerializer(
        allow_null=True, help_text="Value function of the adjustment for luck, public from the start; null without one."
    )
    house_ratings = HouseRatingsSerializer(
        allow_null=True,
        help_text="Basis of the sample bots' first ratings, public from the start; null without one.",
    )
    secret = CharField(allow_null=True, help_text="The secret; null until the season's last match has been played.")
    last_number = IntegerField(help_text="Number of matches created.")
    deals = CharField(help_text="Address of its list of deals.")


class DealSerializer(Serializer):
    """A match's deal, as hashes."""

    number = IntegerField(help_text="Number of the match in its season, starting at 1. The deal is derived from it.")
    match = IntegerField(help_text="The match's id.")
    state = ChoiceField(Match.State.choices, help_text="The match's state.")
    seats = IntegerField(help_text="Number of seats.")
    rules_version = IntegerField(help_text="Version of the rules.")
    deal_hashes = ListField(child=CharField(), help_text="Hash of each leg's deal, public before its first move.")
    record_hashes = ListField(
        child=CharField(), required=False, help_text="Hash of each leg's record; missing until the match is finished."
    )
    options = DictField(required=False, help_text="Rule options, if they differ from the season's.")


def season_or_404(game: str, edition: str, number: int, clock: str = "") -> Ladder:
    """Return the season. Raise NotFound."""
    return require_row(queries.find_season(game, edition, number, clock=clock), _("No such season."))


class LaddersQuery(Serializer):
    """Which ladders to list."""

    clock = ChoiceField(
        Ladder.Clock.choices, required=False, help_text="Only open ladders with this clock. By default, none of these."
    )


class LadderResource(Resource):
    """Base of what is read of ladders and seasons, public ones and those of groups."""

    def respond_standings(self, ladder: Ladder, bot: str = "") -> Response:
        """Return a page of the standings."""
        entries = queries.list_standings(ladder, bot=bot)
        return self.respond_page(entries, STANDINGS_ORDER, lambda shown: attach_ranks(ladder, shown))

    def respond_season(self, ladder: Ladder, deals: str) -> Response:
        """Return the document of a season with the address of its deals."""
        document: dict[str, Any] = seasons.build_season_document(ladder)
        return Response(document | {"deals": build_absolute_url(self.request, deals)})

    def respond_deals(self, ladder: Ladder) -> Response:
        """Return a page of the deals of a season."""
        shown = self.cut_page(seasons.list_dealt_matches(ladder), ordering=("number",))
        return self.get_paginated_response(seasons.build_deal_rows(ladder, shown))


# The atlas of a ladder: what happens in its rated legs, as sums, of all bots or of one.


class AtlasCellSerializer(Serializer):
    """How often something happened."""

    chart = CharField(help_text="Chart: seats, length, endings, and the game's own charts.")
    row = CharField(help_text="Row of the chart: a seat, a reason, a number of turns, a formation and so on.")
    column = CharField(help_text="Column of the chart; may be empty.")
    count = IntegerField(help_text="How often it happened.")
    points = FloatField(
        help_text="Sum of the points, from 0 to 1 each, scored in these legs by those who did it; 0 for whole legs."
    )


class AtlasSerializer(Serializer):
    """What happened in a season's counted legs."""

    game = CharField(help_text="Key of the game.")
    edition = CharField(help_text="Key of the edition.")
    season = IntegerField(help_text="Season number, starting at 1.")
    legs = IntegerField(help_text="Number of legs counted so far, of all bots.")
    sequence = IntegerField(help_text="Last ledger line included.")
    cells = ListField(child=AtlasCellSerializer(), help_text="All non-empty cells of all charts.")


class AtlasQuery(Serializer):
    """Whose legs to count."""

    bot = SlugField(required=False, help_text="Only statistics on the bot with this slug, across all its versions.")


# A game's overall standings, over all editions.


class OverallRowSerializer(Serializer):
    """A bot in the overall standings."""

    place = IntegerField(
        allow_null=True, help_text="Place, starting at 1; null for a bot with a place in only one edition."
    )
    bot = CharField(source="bot.slug", help_text="The bot's slug.")
    name = CharField(source="bot.name", help_text="The bot's name.")
    authors = AuthorsField(source="bot")
    points = FloatField(
        source="score.score",
        help_text="Strength in points: 0 is the mean of the bots with several editions, 100 is one spread above it.",
    )
    margin_95 = FloatField(source="score.margin_95", help_text="Half the width of the points' 95% interval.")
    editions = ListField(child=CharField(), help_text="Keys of the editions on whose ladders it has a place.")


class OverallSerializer(Serializer):
    """A game's overall standings, over all editions."""

    game = CharField(help_text="Key of the game.")
    editions = ListField(child=CharField(), help_text="Keys of the editions that count.")
    bots = ListField(child=OverallRowSerializer(), help_text="The bots, best first; those with only one edition last.")


class Ladders(LadderResource):
    """Ladders and their seasons."""

    @operation("ladders_list", "List ladders", [LadderSerializer], query=LaddersQuery)
    def list(self, request: Request) -> Response:
        """List the current season of each ladder, or of each open ladder, on which remote bots play."""
        return self.respond_page(queries.list_open_ladders(**self.query), ordering=("game", "pk"))

    @operation("ladders_overall", "Show a game's overall standings", OverallSerializer)
    def show_overall(self, request: Request, game: str) -> Response:
        """Return the standings across a game's public ladders. All editions count equally."""
        ladders = queries.list_ladders_of_standing(game)
        if not ladders:
            raise NotFound(_("No such ladder."))
        scores, keys = queries.fetch_overall_scores(ladders), {one.pk: one.edition for one in ladders}
        bots = fetch_bots([one.bot for one in scores])
        rows = [
            {
                "place": number if score.is_ranked else None,
                "bot": bots[score.bot],
                "score": score,
                "editions": [keys[ladder] for ladder in score.editions],
            }
            for number, score in enumerate(scores, start=1)
            if score.bot in bots
        ]
        return self.respond({"game": game, "editions": list(keys.values()), "bots": rows})

    @operation("ladders_retrieve", "Show a ladder", LadderSerializer)
    def show(self, request: Request, game: str, edition: str) -> Response:
        """Return a ladder's running season."""
        return self.respond(ladder_or_404(game, edition))

    @operation("ladders_standings", "Show a ladder's standings", [StandingSerializer], query=StandingQuery)
    def list_standings(self, request: Request, game: str, edition: str) -> Response:
        """List the ladder's entries, best first, with unranked bots last."""
        return self.respond_standings(ladder_or_404(game, edition), **self.query)

    @operation("seasons_list", "List a ladder's seasons", [LadderSerializer])
    def list_seasons(self, request: Request, game: str, edition: str) -> Response:
        """List a ladder's seasons, the running one first."""
        seasons = queries.list_seasons(game, edition)
        if not seasons.exists():
            raise NotFound(_("Ladder %(game)s/%(edition)s doesn't exist.") % {"game": game, "edition": edition})
        return self.respond_page(seasons, ordering=("-season",))

    @operation("seasons_retrieve", "Show a season", SeasonSerializer)
    def show_season(self, request: Request, game: str, edition: str, number: int) -> Response:
        """Return the season's document, for `pennant verify --season`."""
        ladder = season_or_404(game, edition, number)
        return self.respond_season(ladder, reverse("api_deals", args=[game, edition, number]))

    @operation("seasons_standings", "Show a season's standings", [StandingSerializer])
    def list_season_standings(self, request: Request, game: str, edition: str, number: int) -> Response:
        """List a season's entries, best first. The standings are final once the season is closed."""
        return self.respond_standings(season_or_404(game, edition, number))

    @operation("seasons_deals", "List a season's deals", [DealSerializer])
    def list_deals(self, request: Request, game: str, edition: str, number: int) -> Response:
        """List the hashes of all deals, ordered by number, without gaps."""
        return self.respond_deals(season_or_404(game, edition, number))

    @operation("seasons_atlas", "Show a season's atlas", AtlasSerializer, query=AtlasQuery)
    def show_atlas(self, request: Request, game: str, edition: str, number: int) -> Response:
        """Return statistics on a season's rated legs, for all bots or for one."""
        ladder = season_or_404(game, edition, number)
        slug, progress = self.query.get("bot"), find_progress(ladder)
        cells = fetch_bot_cells(ladder, bot_or_404(request, slug)) if slug else fetch_cells(ladder)
        values = {"game": game, "edition": edition, "season": number}
        return self.respond({**values, "legs": progress.legs, "sequence": progress.sequence, "cells": cells})


# Open ladders: remote bots play there, and sandboxed bots whose authors want it.


class EnteringBotSerializer(Serializer):
    """A bot to enter on a ladder."""

    bot = SlugField(help_text="Slug of one of your bots.")


class OpenLadders(LadderResource):
    """The open ladders of an edition, by their clock. They are opened when the first bot joins."""

    @operation("open_ladders_retrieve", "Show an open ladder", LadderSerializer)
    def show(self, request: Request, **path: str) -> Response:
        """Return the running season of an open ladder. It's opened when the first bot joins."""
        return self.respond(ladder_or_404(**path))

    @operation("open_ladders_standings", "Show an open ladder's standings", [StandingSerializer], query=StandingQuery)
    def list_standings(self, request: Request, **path: str) -> Response:
        """List the ladder's entries, best first, with unranked bots last."""
        return self.respond_standings(ladder_or_404(**path), **self.query)

    @operation("open_ladders_join", "Join an open ladder", status=204, reads=EnteringBotSerializer)
    def join(self, request: Request, **path: str) -> Response:
        """Enter your bot: a remote one, or the newest accepted version of any other public bot of yours."""
        user = self.user
        join_open_ladder(**path, bot=own_bot_or_404(request, self.read_data()["bot"]), by=user)
        return Response(status=204)

    @operation("open_ladders_leave", "Leave an open ladder", status=204)
    def leave(self, request: Request, bot: str, **path: str) -> Response:
        """Remove your bot from the ladder. Its results are kept."""
        leave_open_ladder(ladder=ladder_or_404(**path), bot=own_bot_or_404(request, bot), by=self.user)
        return Response(status=204)

    @operation("open_seasons_list", "List an open ladder's seasons", [LadderSerializer])
    def list_seasons(self, request: Request, **path: Any) -> Response:
        """List all seasons, the running one first. The list is empty until the first bot joins."""
        return self.respond_page(queries.list_seasons(**path), ordering=("-season",))

    @operation("open_seasons_retrieve", "Show a season of an open ladder", SeasonSerializer)
    def show_season(self, request: Request, **path: Any) -> Response:
        """Return the season's document, for `pennant verify --season`."""
        return self.respond_season(season_or_404(**path), reverse("api_open_deals", kwargs=path))

    @operation("open_seasons_standings", "Show a season's standings on an open ladder", [StandingSerializer])
    def list_season_standings(self, request: Request, **path: Any) -> Response:
        """List a season's entries, best first. The standings are final once the season is closed."""
        return self.respond_standings(season_or_404(**path))

    @operation("open_seasons_deals", "List a season's deals on an open ladder", [DealSerializer])
    def list_deals(self, request: Request, **path: Any) -> Response:
        """List the hashes of all deals, ordered by number, without gaps. Each match has one leg."""
        return self.respond_deals(season_or_404(**path))


# Formations of Battalion: their names, and how they fared in rated legs.


class FormationSerializer(Serializer):
    """A formation: a shape, regardless of its cards. A shape and its mirror image are the same formation."""

    shape = CharField(help_text="Half-columns of each row, front to back, as in a `deploy` action without cards.")
    html_url = HtmlUrlField()
    index = CharField(help_text="Number of cells in each of the three rows, from the front.")
    cells = IntegerField(help_text="Number of cells, without the guard's.")
    hand = IntegerField(help_text="Number of cards in hand after deploying it.")
    name = CharField(source="english_name", help_text="Name in English; may be empty.")
    name_hu = SerializerMethodField(help_text="Name in Hungarian; may be empty.")
    is_library = BooleanField(help_text="Whether the name is from the rules; other names are from the arena's staff.")
    example = CharField(help_text="An action that deploys it.")
    deployed_legs = IntegerField(source="deployed", help_text="Number of rated legs in which a seat deployed it.")
    deployed_points = FloatField(
        source="deployed_mean", allow_null=True, help_text="Mean points in these legs, from 0 to 1; null without any."
    )
    reformed_legs = IntegerField(source="reformed", help_text="Number of rated legs in which a seat reformed into it.")
    reformed_points = FloatField(
        source="reformed_mean", allow_null=True, help_text="Mean points in these legs, from 0 to 1; null without any."
    )
    first_version = VersionSerializer(allow_null=True, help_text="First version to use it, or null.")
    first_match = IntegerField(
        source="first_match_id", allow_null=True, help_text="Id of the rated match in which it did, or null."
    )

    def get_name_hu(self, formation: Formation) -> str:
        """Return the Hungarian name; that of the library is in the catalogue."""
        if not formation.library_name:
            return formation.name_hu
        with override("hu"):
            return pgettext("named formation", formation.library_name)


class FormationQuery(Serializer):
    """Filters for formations."""

    shape = CharField(required=False, max_length=MAX_SHAPE_LENGTH, help_text="Only the formation with this shape.")
    cells = IntegerField(required=False, min_value=1, max_value=12, help_text="Only formations with this many cells.")
    named = BooleanField(
        required=False,
        allow_null=True,
        default=None,
        help_text="Only formations with a name, or only those without one.",
    )


class Formations(Resource):
    """All formations with a name, and all that were laid out in a rated leg."""

    @operation("formations_list", "List formations", [FormationSerializer], query=FormationQuery)
    def list(self, request: Request) -> Response:
        """List Battalion's formations, most deployed first."""
        return self.respond_page(list_formations(**self.query), ordering=("-deployed", "pk"))


# The ladders of a group: its members read them, its organisers open, pause and end them.


class NewLadderSerializer(Serializer):
    """A ladder to open."""

    game = CharField(max_length=40, help_text="Key of the game.")
    edition = CharField(max_length=40, help_text="Key of the edition.")
    with_samples = BooleanField(
        default=True, help_text="Whether sample bots, which fix the rating scale, play on the ladder."
    )


class GroupLadders(LadderResource, GroupResource):
    """The ladders of a group."""

    def ladder_or_404(self, slug: str, game: str, edition: str) -> Ladder:
        """Return the running season. Raise NotFound."""
        found = queries.find_open_ladder(game, edition, self.group_or_404(slug))
        return require_row(found, _("Ladder %(game)s/%(edition)s doesn't exist.") % {"game": game, "edition": edition})

    def season_or_404(self, slug: str, game: str, edition: str, number: int) -> Ladder:
        """Return a season. Raise NotFound."""
        return require_row(queries.find_season(game, edition, number, self.group_or_404(slug)), _("No such season."))

    @operation("group_ladders_list", "List a group's ladders", [LadderSerializer])
    def list(self, request: Request, slug: str) -> Response:
        """List the current season of each of your groups' ladders."""
        return self.respond_page(queries.list_open_ladders(self.group_or_404(slug)), ordering=("game", "pk"))

    @operation(
        "group_ladders_open", "Open a ladder for a group", LadderSerializer, status=201, reads=NewLadderSerializer
    )
    def open(self, request: Request, slug: str) -> Response:
        """Open an edition's ladder, or its next season, for the group only. Organisers only."""
        group, sent = self.group_or_404(slug), self.read_data()
        seasons.open_group_ladder(group=group, by=self.user, **sent)
        return self.respond(queries.find_open_ladder(sent["game"], sent["edition"], group))

    @operation("group_ladders_retrieve", "Show a group's ladder", LadderSerializer)
    def show(self, request: Request, **path: str) -> Response:
        """Return the running season of the group's ladder."""
        return self.respond(self.ladder_or_404(**path))

    @operation("group_ladders_pause", "Pause a group's ladder", LadderSerializer)
    def pause(self, request: Request, **path: str) -> Response:
        """Stop scheduling matches until the ladder is resumed. Organisers only."""
        seasons.pause_group_ladder(ladder=self.ladder_or_404(**path), by=self.user)
        return self.respond(self.ladder_or_404(**path))

    @operation("group_ladders_resume", "Resume a group's ladder", LadderSerializer)
    def resume(self, request: Request, **path: str) -> Response:
        """Start scheduling matches again. Organisers only."""
        seasons.resume_group_ladder(ladder=self.ladder_or_404(**path), by=self.user)
        return self.respond(self.ladder_or_404(**path))

    @operation("group_ladders_end", "End a season of a group's ladder", LadderSerializer)
    def end(self, request: Request, slug: str, game: str, edition: str) -> Response:
        """End the season. Its secret is published to the group after the last match. Organisers only."""
        ladder = self.ladder_or_404(slug, game, edition)
        seasons.end_group_season(ladder=ladder, by=self.user)
        return self.respond(queries.list_seasons(game, edition, self.group_or_404(slug)).get(pk=ladder.pk))

    @operation("group_ladders_standings", "Show the standings of a group's ladder", [StandingSerializer])
    def list_standings(self, request: Request, **path: str) -> Response:
        """List the ladder's entries, best first, with unranked bots last."""
        return self.respond_standings(self.ladder_or_404(**path))

    @operation("group_ladders_enter", "Enter a bot on a group's ladder", status=204, reads=EnteringBotSerializer)
    def enter(self, request: Request, **path: str) -> Response:
        """Enter your bot's newest accepted version. Bots that are only for the group enter automatically."""
        ladder, sent = self.ladder_or_404(**path), self.read_data()
        seasons.enter_group_ladder(ladder=ladder, bot=bot_or_404(request, sent["bot"]), by=self.user)
        return Response(status=204)

    @operation("group_ladders_leave", "Remove a bot from a group's ladder", status=204)
    def leave(self, request: Request, bot: str, **path: str) -> Response:
        """Remove a bot from the ladder, as its author or an organiser. Its results are kept."""
        seasons.leave_group_ladder(ladder=self.ladder_or_404(**path), bot=bot_or_404(request, bot), by=self.user)
        return Response(status=204)

    @operation("group_seasons_list", "List the seasons of a group's ladder", [LadderSerializer])
    def list_seasons(self, request: Request, slug: str, game: str, edition: str) -> Response:
        """List all seasons, newest first. The list is empty if the group has never had this ladder."""
        return self.respond_page(queries.list_seasons(game, edition, self.group_or_404(slug)), ordering=("-season",))

    @operation("group_seasons_retrieve", "Show a season of a group's ladder", SeasonSerializer)
    def show_season(self, request: Request, **path: Any) -> Response:
        """Return the season's document, for `pennant verify --season`."""
        return self.respond_season(self.season_or_404(**path), reverse("api_group_deals", kwargs=path))

    @operation("group_seasons_standings", "Show a season's standings on a group's ladder", [StandingSerializer])
    def list_season_standings(self, request: Request, **path: Any) -> Response:
        """List a season's entries, best first. The standings are final once the season is closed."""
        return self.respond_standings(self.season_or_404(**path))

    @operation("group_seasons_deals", "List a season's deals on a group's ladder", [DealSerializer])
    def list_deals(self, request: Request, **path: Any) -> Response:
        """List the hashes of all deals, ordered by number, without gaps."""
        return self.respond_deals(self.season_or_404(**path))
