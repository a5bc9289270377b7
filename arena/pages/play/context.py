"""Build what the template of a table shows, for any game: players, moves, hints, and what follows its end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.core.cache import cache
from django.urls import reverse
from django.utils.safestring import SafeString

from arena.contests.analysis.queries import ShownAnalysis
from arena.contests.ladders.queries import fetch_ratings_of_versions
from arena.core.messages import gettext as _
from arena.core.messages import pgettext
from arena.matches.livegames.models import LiveGame, LiveSeat
from arena.matches.livegames.playing import add_series_game, find_own_seat, has_next_game, has_rematch
from arena.matches.livegames.position import LivePlayer, list_seats
from arena.matches.livegames.queries import count_results, is_live_deal_in_play
from arena.pages.formatting import record_rules_title
from arena.pages.games import find_presentation
from arena.pages.games.plain import build_plain_play
from arena.pages.games.presentation import Line, Presentation
from arena.pages.games.sentence import Sentence, format_sentence
from arena.pages.matches.frames import (
    SeatBalance,
    list_balances,
    list_open_chances,
    list_winning_chances_known_to,
    match_decisions,
    to_points,
)
from arena.pages.matches.replay import FORFEIT, Playback, Step
from arena.pages.play.lobby import find_stronger
from arena.pages.play.parts import Bar, Ending
from arena.pages.play.table import CHOSEN, Player, PlayTable, RatedAction, TableHint
from engine.analysis.evaluators import has_evaluator
from engine.core import Json
from engine.registry import find_game

# What a table says of hints: the button that asks for one, and the hint in words. Pure: no database, no requests.

NO_HINT = "none"
"""The state of a hint in an edition without a value function."""


@dataclass(frozen=True, slots=True)
class HintBar:
    """What the bar shows of hints while it is the reader's turn."""

    url: str
    """The address that asks for one, to post to; empty where none can be asked for now."""
    text: Sentence | str
    """The hint in words, or why there is none; empty where none was asked for."""
    is_pending: bool


def build_hint_bar(presentation: Presentation, table: PlayTable, url: str) -> HintBar | None:
    """Return what the bar shows of hints; None where the game has none, and while others are to decide."""
    if not url or not table.is_own_turn:
        return None
    hint = table.hint
    is_pending = hint is not None and hint.is_pending
    can_ask = hint is None or hint.state == "failed"
    return HintBar(url if can_ask else "", describe_hint(presentation, hint) if hint else "", is_pending)


def describe_hint(presentation: Presentation, hint: TableHint) -> Sentence | str:
    """Return a hint in words."""
    if hint.is_pending:
        return _("Computing a hint…")
    if hint.state == NO_HINT:
        return _("Hints aren't available for this edition.")
    if not hint.choices:
        return _("Couldn't compute the hint. Ask again.")
    best, *others = hint.choices
    first = name_rated(presentation, best, _("{action} ({chance} between equal players)"))
    if not others:
        return format_sentence(_("Hint: {best}."), best=first)
    if to_points(best.chance) == to_points(others[0].chance):
        second = presentation.name_choice(others[0].action)
        return format_sentence(_("Hint: {best}. Equally good: {second}."), best=first, second=second)
    second = name_rated(presentation, others[0], _("{action} ({chance})"))
    return format_sentence(_("Hint: {best}. Second best: {second}."), best=first, second=second)


def name_rated(presentation: Presentation, rated: RatedAction, template: str) -> Sentence:
    """Return an action with the chance to win after it."""
    chance = f"{round(100 * rated.chance)}%"
    return format_sentence(template, action=presentation.name_choice(rated.action), chance=chance)


# Build what the template of a table shows, for any game.

MAX_MOVES = 6
"""Steps listed in the panel."""


@dataclass(frozen=True, slots=True)
class TableLinks:
    """Addresses that a table needs; empty where the reader can't do it."""

    page: str
    step: str = ""
    undo: str = ""
    hint: str = ""
    resign: str = ""
    new_game: str = ""
    rules: str = ""


@dataclass(frozen=True, slots=True)
class GameFinish:
    """What can be done after the end, and how often these players have won; empty where there is nothing."""

    watch: str = ""
    """Address of the replay."""
    swap: str = ""
    """Address that starts the same deal with swapped seats, to post to."""
    next_game: str = ""
    """Address that starts the next game of a series, to post to."""
    rematch: str = ""
    """Address that starts a new deal with the seats in turn, to post to."""
    stronger: str = ""
    """Address that starts a game against the next stronger bot, to post to."""
    stronger_bot: str = ""
    """That bot, with its rating."""
    analysis: str = ""
    """Address that requests the full analysis and leads to it, to post to."""
    next: str = ""
    """Address where the next opponent is chosen."""
    other_leg: Sequence[tuple[str, str]] = ()
    """Results of both legs of this deal, one a line: a heading, and how it ended."""
    is_deal_in_play: bool = False
    """The same deal is being played with swapped seats, so that nobody may see this game's cards."""
    note: str = ""
    """A sentence below, as "You against Hannibal: 2 won, 5 lost."."""


@dataclass(frozen=True, slots=True)
class ListedMove:
    """A step in the panel."""

    number: int | None
    """Its turn, or its round; None for what is before the first one."""
    when: str
    """The same in words."""
    seat: int | None
    lines: Sequence[Line]


def build_table_context(
    table: PlayTable, links: TableLinks, finish: GameFinish | None = None, waited_s: float = 0, notice: str = ""
) -> dict[str, Any]:
    """Return the context of `play/table.html` and `play/_table.html`.

    `waited_s` is how long the one has been waited for who is to act. `notice` is what the last request has to say, as
    why an action was refused.
    """
    record = table.record
    presentation = find_presentation(record["game"], record["edition"], record["options"])
    if presentation.name_players:
        presentation = presentation.name_players(table.names, table.seat)
    is_plain = presentation.build_play is None
    play = presentation.build_play(table) if presentation.build_play else build_plain_play(presentation, table)
    folder = "plain" if is_plain else presentation.folder
    moves = list_moves(table, presentation)
    hint = build_hint_bar(presentation, table, links.hint)
    bar: Bar = play.bar
    if hint and hint.text and not table.chosen:
        bar = replace(bar, caption=hint.text, short="")
    return {
        "table": table,
        "presentation": presentation,
        "play": play,
        "bar": bar,
        "hint": hint,
        "poll_url": build_poll_url(table, links, hint),
        "why_not": getattr(play, "why_not", None),
        "play_template": f"games/{folder}/{'play_end' if table.is_over else 'play'}.html",
        "panel_template": f"games/{folder}/play_panel.html",
        "proof_template": f"games/{presentation.folder}/proof.html",
        "rules": record_rules_title(record),
        "progress": describe_progress(table),
        "opponents": [(seat, player) for seat, player in enumerate(table.players) if seat != table.near],
        "near_player": table.players[table.near],
        "moves": moves,
        "last_move": next((move for move in reversed(moves) if move.seat not in (None, table.seat)), None),
        "end_move": next((move for move in reversed(moves) if move.seat is not None), None),
        "links": links,
        "finish": finish or GameFinish(),
        "ending": describe_ending(table, presentation, play) if table.is_over else None,
        "waited_s": int(waited_s),
        "notice": notice,
        "spoken": describe_for_ear(table, moves, str(bar.caption), notice),
    }


def build_poll_url(table: PlayTable, links: TableLinks, hint: HintBar | None) -> str:
    """Return the address that a page asks while it waits, with the words chosen; empty while it waits for nothing."""
    if table.waiting_for is None and not (hint and hint.is_pending):
        return ""
    return f"{links.page}?{urlencode({CHOSEN: ' '.join(table.chosen)})}" if table.chosen else links.page


def list_moves(table: PlayTable, presentation: Presentation) -> list[ListedMove]:
    """Return the last steps in words."""
    steps = [step for step in table.scene.steps[-MAX_MOVES:] if step.entries]
    moves = (
        ListedMove(number_step(step), name_when(step), step.seat, presentation.describe_step(step)) for step in steps
    )
    return [move for move in moves if move.lines]


def number_step(step: Step) -> int | None:
    """Return the turn of a step, or in a game that counts rounds the round; None before the first one."""
    if step.round is not None:
        return step.round or None
    return step.turn or step.number


def describe_progress(table: PlayTable) -> str:
    """Return the turn, or in a game that counts rounds the round, as the heading of the table has it."""
    round_now, turn = table.scene.after[table.near].get("round"), table.scene.turn
    number = turn if round_now is None else round_now
    if not number:
        return ""
    if round_now is None:
        return (_("ended on turn %(number)s") if table.is_over else _("turn %(number)s")) % {"number": number}
    return (_("ended in round %(number)s") if table.is_over else pgettext("of a game", "round %(number)s")) % {
        "number": number
    }


def describe_ending(table: PlayTable, presentation: Presentation, play: Any) -> Ending:
    """Return how the play ended: in the words of the game's table, or of its presentation."""
    ending: Ending | None = getattr(play, "ending", None)
    return ending or Ending(describe_verdict(table), f"{presentation.describe_ending(table.scene)}.")


def describe_verdict(table: PlayTable) -> str:
    """Return who has won, to the reader."""
    places = table.scene.final_result["places"]
    winners = [table.players[seat].name for seat, place in enumerate(places) if place == 1]
    if len(winners) > 1:
        return _("It's a draw")
    if table.seat is not None and places[table.seat] == 1:
        return _("You win")
    return _("%(name)s wins") % {"name": winners[0]}


def describe_for_ear(table: PlayTable, moves: Sequence[ListedMove], caption: str, notice: str) -> str:
    """Return what a screen reader says after a change: what the others did last, then what the caption says."""
    said = [notice] if notice else []
    if moves and not table.chosen:
        lines = moves[-1].lines
        said += [f"{line}." for line in (lines if moves[-1].seat != table.seat else lines[-1:])]
    return " ".join([*said, caption])


# Where a finished game turned, as its coarse analysis finds it.

LEAST_TURNS = 6
"""A shorter game has no turning points, and isn't analysed unless somebody asks."""
MAX_TURNING_POINTS, LEAST_GAIN = 3, 3


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """A turn that changed the chances much."""

    step: int
    when: str
    """Its turn or its round, in words."""
    seat: int
    """Who gained."""
    gained: int
    """In points."""
    name: str
    lines: Sequence[Line]
    """What was done, in words."""
    better: Sentence | str
    """What was better, in words; empty where the reader may not know it."""
    is_costliest: bool
    """Whether the reader gave away most of all its choices there."""
    picture: SafeString | str
    """The board after that turn, in small; empty where the game draws none."""


@dataclass(frozen=True, slots=True)
class Review:
    """What an analysis says of a finished game, to one who played it."""

    points: Sequence[TurningPoint]
    balance: SeatBalance
    chance_left: int | None
    """The reader's chance before leaving the game, in percent; None where it was played to its end."""

    @property
    def bar(self) -> Sequence[tuple[str, int, int, int]]:
        """Return the parts of the bar from the start to the result: a kind, who gained by it, left end and width.

        Luck lies next to the start, so that both parts are inside.
        """
        seat, start = self.balance.seat, self.balance.start
        middle, end = start + self.balance.luck, start + self.balance.total
        parts = (("skill", middle, end, self.balance.skill), ("luck", start, middle, self.balance.luck))
        return [(kind, seat if gain > 0 else 1 - seat, *_span(one, other)) for kind, one, other, gain in parts]


def _span(one: int, other: int) -> tuple[int, int]:
    """Return the left end and the width of what lies between two places from 0 to 100."""
    low, high = (min(100, max(0, place)) for place in sorted((one, other)))
    return low, high - low


def review_game(context: Mapping[str, Any], shown: ShownAnalysis | None, playback: Playback) -> Review | None:
    """Return where a game turned, by the context of its table; None before it was analysed.

    `playback` is the game as the reader saw it. What was better for others is told only where the replay is open.
    """
    table: PlayTable = context["table"]
    if shown is None or table.seat is None:
        return None
    content, steps, presentation = shown.content, playback.steps, context["presentation"]
    chances = list_open_chances(steps, content)
    changes = [
        (after - before, step)
        for before, after, step in zip(chances, chances[1:], steps[1:], strict=False)
        if all(entry.action != FORFEIT for entry in step.entries) and abs(to_points(after - before)) >= LEAST_GAIN
    ]
    largest = sorted(changes, key=lambda one: -abs(one[0]))[:MAX_TURNING_POINTS]
    worst = find_worst_decisions(steps, content)
    own = [(decision["loss"], number) for number, decision in worst.items() if decision["seat"] == table.seat]
    costliest = max(own, default=(0, -1))
    seen = [table.seat] if not context["finish"].watch else range(len(table.names))
    names = [_("You") if seat == table.seat else name for seat, name in enumerate(table.names)]
    helped = [pgettext("better for", "you") if seat == table.seat else name for seat, name in enumerate(table.names)]
    points = []
    for change, step in sorted(largest, key=lambda one: one[1].number):
        gainer, lines = 0 if change > 0 else 1, presentation.describe_step(step)
        decision = worst.get(step.number)
        points.append(
            TurningPoint(
                step=step.number,
                when=name_when(step),
                seat=gainer,
                gained=abs(to_points(change)),
                name=names[gainer],
                lines=[line for line in lines if line.is_weighty] or lines,
                better=describe_better(presentation, decision, helped) if decision and decision["seat"] in seen else "",
                is_costliest=to_points(costliest[0]) > 0 and costliest[1] == step.number,
                picture=presentation.draw_miniature(playback.scene(step.number)) if presentation.draw_miniature else "",
            )
        )
    chance_left = None
    if any(entry.action == FORFEIT and entry.seat == table.seat for entry in steps[-1].entries):
        chance_left = to_points(list_winning_chances_known_to(steps[:-1], content, table.seat)[-1])
    return Review(points, list_balances(content, table.names)[table.seat], chance_left)


def name_when(step: Step) -> str:
    """Return the turn of a step, or in a game that counts rounds the round, in words."""
    if step.round:
        return pgettext("of a game", "Round %(number)s") % {"number": step.round}
    return _("Turn %(turn)s") % {"turn": step.turn or step.number}


def find_worst_decisions(steps: Sequence[Step], content: Json) -> dict[int, Json]:
    """Return by step the graded decision that gave away most."""
    worst: dict[int, Json] = {}
    for step, decision in match_decisions(steps, content):
        known = worst.get(step.number)
        if known is None or known["loss"] < decision["loss"]:
            worst[step.number] = decision
    return worst


def describe_better(presentation: Presentation, decision: Json, names: Sequence[str]) -> Sentence | str:
    """Return what would have been better than a decision, and by how much."""
    if not decision.get("better"):
        return _("No choice was clearly better.")
    return format_sentence(
        _("Better for {name} by {points}: {action}."),
        name=names[decision["seat"]],
        points=to_points(decision["loss"]),
        action=presentation.name_choice(decision["better"]),
    )


# Say what can be done after the end of a live game, and how the people and bots of it stand.


def build_finish(game: LiveGame, seats: Sequence[LiveSeat], own: LiveSeat | None, player: LivePlayer) -> GameFinish:
    """Return what the end of a game offers its reader."""
    is_in_play = is_live_deal_in_play(game)
    watch = "" if is_in_play else reverse("live_game_replay", args=[game.slug])
    if own is None:
        return GameFinish(watch=watch, is_deal_in_play=is_in_play, next=reverse("play"))
    stronger = find_stronger(player, game, seats)
    is_finished = game.state == LiveGame.State.FINISHED
    may_analyse = is_finished and watch and player.user is not None and has_evaluator(game.game, game.edition)
    return GameFinish(
        watch=f"{watch}?{urlencode({'view': own.seat})}" if watch else "",
        rematch=reverse("live_game_rematch", args=[game.slug]) if has_rematch(game, seats) else "",
        stronger=reverse("live_game_stronger", args=[game.slug]) if stronger else "",
        stronger_bot=stronger.label if stronger else "",
        analysis=reverse("live_game_analysis", args=[game.slug]) if may_analyse else "",
        swap=reverse("live_game_swap", args=[game.slug]) if find_game(game.game).has_deal else "",
        next=f"{reverse('play')}?game={game.game}&edition={game.edition}",
        next_game=reverse("live_game_next", args=[game.slug]) if has_next_game(game, seats) else "",
        other_leg=[*compare_with_swapped(game, player), *describe_series(game, seats, own)],
        is_deal_in_play=is_in_play,
        note=describe_results(game, seats, own, player),
    )


def describe_series(game: LiveGame, seats: Sequence[LiveSeat], own: LiveSeat) -> list[tuple[str, str]]:
    """Return how a series stands after a game of it, the reader's score first."""
    if game.series is None or game.state != LiveGame.State.FINISHED:
        return []
    scores = add_series_game(game, seats)
    own_first = sorted(range(len(scores)), key=lambda seat: seat != own.seat)
    heading = _("Series after game %(number)s") % {"number": game.series_number}
    return [(heading, ":".join(f"{scores[seat]:g}" for seat in own_first))]


def compare_with_swapped(game: LiveGame, player: LivePlayer) -> list[tuple[str, str]]:
    """Return the reader's results in both plays of a deal, if there are two."""
    first = game.swapped_from or game
    second = getattr(first, "swapped", None)
    if second is None or not (first.is_over and second.is_over):
        return []
    headings = (_("Original seats"), _("Seats swapped"))
    return [(heading, describe_own_result(one, player)) for heading, one in zip(headings, (first, second), strict=True)]


def describe_own_result(game: LiveGame, player: LivePlayer) -> str:
    """Return how a game ended for a person, with the scores."""
    seats = list_seats(game)
    own = find_own_seat(seats, player)
    if own is None or own.place is None:
        return _("no result")
    own_first = sorted(seats, key=lambda seat: seat is not own)
    return f"{name_place(own, seats)} ({':'.join(f'{seat.score:g}' for seat in own_first)})"


def name_place(own: LiveSeat, seats: Sequence[LiveSeat]) -> str:
    """Return won, drawn, lost, or the place at a table of more than two."""
    shared = sum(seat.place == own.place for seat in seats) > 1
    if len(seats) > 2:
        return _("place %(place)s of %(seats)s") % {"place": own.place, "seats": len(seats)}
    if shared:
        return _("drawn")
    return _("won") if own.place == 1 else _("lost")


def describe_results(game: LiveGame, seats: Sequence[LiveSeat], own: LiveSeat, player: LivePlayer) -> str:
    """Return how often the reader has won against the bot of a table of two."""
    other = next((seat for seat in seats if seat.pk != own.pk), None)
    if len(seats) != 2 or other is None or other.version is None:
        return ""
    bot = other.version.bot
    won, drawn, lost = count_results(player, [bot.pk]).get(bot.pk, (0, 0, 0))
    if game.has_hints:
        text = _(
            "Played with hints, so it doesn't count. Your record against %(bot)s without hints: %(won)s won, "
            "%(drawn)s drawn, %(lost)s lost."
        )
        return text % {"bot": bot.name, "won": won, "drawn": drawn, "lost": lost}
    text = _(
        "Your record against %(bot)s: %(won)s won, %(drawn)s drawn, %(lost)s lost. Same-deal rematches and "
        "games with hints don't count."
    )
    return text % {"bot": bot.name, "won": won, "drawn": drawn, "lost": lost}


# Say who sits at a table, as its page shows them.

RATINGS_KEPT_S = 60
"""A table is drawn anew with every step: its ratings are looked up once a minute."""


def describe_players(game: LiveGame, seats: Sequence[LiveSeat], own_seat: int | None) -> list[Player]:
    """Return the players by seat; the reader's own name stays, so that others read the same of it."""
    versions = [seat.version_id for seat in seats if seat.version_id is not None]
    ratings: dict[int, float] | None = cache.get_or_set(
        f"table-ratings-{game.game}-{game.edition}-{'-'.join(map(str, versions))}",
        lambda: fetch_ratings_of_versions(versions, game.game, game.edition),
        RATINGS_KEPT_S,
    )
    return [describe_player(seat, ratings or {}, is_own=seat.seat == own_seat) for seat in seats]


def describe_player(seat: LiveSeat, ratings: Mapping[int, float], *, is_own: bool) -> Player:
    """Return who sits at one seat."""
    version = seat.version
    if version is None:
        return Player(name=name_person(seat, is_own=is_own))
    rating = ratings.get(version.pk)
    note = _("version %(number)s") % {"number": version.number}
    return Player(
        name=version.bot.name,
        is_bot=True,
        rating=None if rating is None else round(rating),
        note=_("house bot") if version.bot.owner.is_house else note,
        bot=version.bot,
        url=version.bot.get_absolute_url(),
    )


def name_person(seat: LiveSeat, *, is_own: bool) -> str:
    """Return the name of a person at a seat, who may have none."""
    if seat.user is not None:
        return seat.user.username
    return _("You") if is_own else _("Guest")
