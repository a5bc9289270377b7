"""`pennant mcp`: tools by which an assistant plays a person's live games on an arena, by the Model Context Protocol."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from random import Random
from threading import Lock
from typing import Any

import click
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from arena.cli.api import Api, Refused, find_api
from arena.cli.manual_rules import RULING, find_ruling, list_actions, list_changes, read_rules
from arena.cli.person import PRESENTERS
from arena.cli.terminal_games import Presenter, SeatNames
from arena.core.release import arena_version
from arena.runner.protocol import make_visible
from engine.core import Game, IllegalAction, Json, MalformedAction, Outcome, State
from engine.games.battleline.cards import NAMES_BY_EDITION
from engine.registry import GAMES, UnknownGame, find_game

# Why a flag can or can't be claimed, from the proof of Battle Line (`engine.games.battleline.legal.explain_claim`).

CLAIM_REASONS = {
    "beats-all": "Nothing that the other side can still become with unseen troops beats yours.",
    "short": "Too few troops are unseen to complete the other side (BL-19).",
    "tie-first": "Both sides are equal, and the other side placed the last card (BL-15).",
    "tie-last": "Both sides are equal, and you placed the last card (BL-15).",
    "closed": "The flag has been claimed.",
}
REPLY_REASONS = {
    "beats": "beats yours",
    "weaker": "weaker than yours",
    "equal": "only equal, and completed last (BL-18)",
    "colours": "impossible: its colours differ",
    "values": "impossible: its values don't fit",
    "apart": "impossible: its values are too far apart",
    "gone": "impossible: the troops it needs are face up",
    "short": "impossible: too few troops are unseen",
}


def describe_claim(proof: Json, formations: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a proof, with the edition's names of formations."""
    mine, theirs = proof["mine"], proof["theirs"]
    verdict = "can" if proof["holds"] else "can't"
    yield f"Flag {proof['flag']} {verdict} be proved ({proof['rule']})."
    formation = f", {formations[mine['formation']].lower()} {mine['sum']}" if "formation" in mine else ""
    yield f"Your side: {' '.join(mine['cards']) or 'empty'} ({len(mine['cards'])} of {proof['needs']}{formation})"
    places, troops = (f"free: {theirs['free']}", f"unseen troops: {theirs['unseen']}")
    yield f"Other side: {' '.join(theirs['cards']) or 'empty'} ({places}, {troops})"
    for reply in proof["replies"]:
        more = f" with {' '.join(reply['cards'])}" if reply["cards"] else ""
        reached = "" if reply["cards"] is None else f" {reply['sum']}{more}"
        gone = f": {' '.join(reply['gone'])}" if reply.get("gone") else ""
        yield f"- {formations[reply['formation']]}{reached}: {REPLY_REASONS[reply['why']]}{gone}"
    if proof["because"] == "incomplete":
        yield f"Your side needs {proof['needs'] - len(mine['cards'])} more."
    elif proof["because"] != "beaten":
        yield CLAIM_REASONS[proof["because"]]
    elif proof["refutation"]:
        yield f"The other side could still get {' '.join(proof['refutation'])}, which beats yours."
    else:
        yield "The other side is complete and stronger."


# A live game as an assistant reads it.

MAX_EVENTS_SHOWN = 40
OVER = ("finished", "void")


class Table:
    """A live game as the arena returned it."""

    def __init__(self, content: Json) -> None:
        self.content = content
        self.slug: str = content["slug"]
        self.at: int = content["at"]
        self.seat: int | None = content["seat"]
        self.view: Json | None = content["view"]
        self.legal: list[str] = content["legal"]
        names = [seat["bot"] or seat["person"] or "a guest" for seat in content["seats"]]
        self.names = SeatNames(names, -1 if self.seat is None else self.seat)

    @property
    def is_over(self) -> bool:
        """Return whether the game has ended, with a result or without."""
        return self.content["state"] in OVER

    @property
    def is_own_turn(self) -> bool:
        """Return whether the assistant decides."""
        return not self.is_over and (bool(self.legal) or self.content["open"] is not None)

    @property
    def rules(self) -> Game:
        """Return the rules. Raises UnknownGame where they aren't installed here."""
        return find_game(self.content["game"])

    @property
    def options(self) -> Json:
        """Return all rule options. Raises UnknownGame."""
        return self.rules.options(self.content["edition"], **self.content["changed_options"])

    def find_presenter(self) -> Presenter:
        """Return what shows the game: the terminal's presentation, or the plain one of a game that isn't installed."""
        key, edition = self.content["game"], self.content["edition"]
        if key not in GAMES:
            return Presenter(self.names, {}, edition)
        return PRESENTERS.get(key, Presenter)(self.names, self.options, edition)

    def rebuild(self) -> State | None:
        """Return a state in which the own seat sees this view, or None where the game can't build one."""
        build: Callable[..., State] | None = getattr(self.rules, "determinize", None)
        if build is None or self.view is None:
            return None
        try:
            return build(self.options, self.seat, self.view, Random(0))
        except ValueError:  # while tiles are drafted
            return None

    def describe(self, told: int) -> str:
        """Return the heading, what has happened since `told` events, the board, and what can be done."""
        presenter = self.find_presenter()
        parts = [self.describe_heading(), *self.describe_events(presenter, told)]
        if self.view is not None:
            parts.append("\n".join(line.plain for line in presenter.draw_board(self.view)))
        return "\n\n".join([*parts, *self.describe_ending(presenter), *self.describe_choice(presenter)])

    def describe_heading(self) -> str:
        """Return the game, who sits where, and its address."""
        known = GAMES.get(self.content["game"])
        title = f"{known.title}, {known.editions[self.content['edition']]}" if known else self.content["game"]
        seats = ", ".join(f"seat {seat}: {self.names.name(seat)}" for seat in range(len(self.names.names)))
        return f"{title} · game {self.slug} · {seats}\n{self.content['html_url']}"

    def describe_events(self, presenter: Presenter, told: int) -> Iterator[str]:
        """Yield the events as one list, the latest where they are many."""
        events = [presenter.describe(event) for event in self.content["events"][told:]]
        lines = [f"- {make_visible(event)}." for event in events if event]
        if lines:
            yield "\n".join(["What happened:", *lines[-MAX_EVENTS_SHOWN:]])

    def describe_ending(self, presenter: Presenter) -> Iterator[str]:
        """Yield the result of a finished game."""
        if self.content["state"] == "void":
            yield f"The game has no result. {self.content['state_reason']}"
        elif self.is_over:
            seats = self.content["seats"]
            places, scores = (tuple(seat[key] for seat in seats) for key in ("place", "score"))
            ending = presenter.describe_ending(Outcome(places, scores, self.content["reason"]))
            yield f"The game has finished. {ending}."

    def describe_choice(self, presenter: Presenter) -> Iterator[str]:
        """Yield the question with the legal actions, or who decides."""
        if self.is_own_turn:
            view, draft = self.view or {}, self.content["draft"]
            yield f"{presenter.ask(view, self.legal)}\n{self.list_legal()}"
            if draft:
                yield f"You can still undo: {', '.join(draft)}"
        elif not self.is_over:
            seat = self.content["seat_to_act"]
            yield f"{self.names.subject(seat)} hasn't decided yet. Call look to keep waiting."

    def list_legal(self) -> str:
        """Return the legal actions, one line for all that differ in the last word, and the grammar of others."""
        groups: dict[str, list[str]] = {}
        for action in self.legal:
            beginning, _, last = action.rpartition(" ")
            groups.setdefault(beginning, []).append(last)
        lines = groups.pop("", [])
        for beginning, endings in groups.items():
            lines.append(f"{beginning}{':' if len(endings) > 1 else ''} {' '.join(endings)}")
        if self.content["open"]:
            lines.append(f"also: {self.content['open']}")
        return "\n- ".join(['Legal actions ("A: B C" stands for "A B" and "A C"):', *lines])


# The tools.

WAIT_S = 25.0
"""How long a call waits for other seats: assistants give up after about a minute."""
FIRST_PAUSE_S, MAX_PAUSE_S, PAUSE_GROWTH = 0.1, 2.0, 1.4
ILLEGAL = 422
UNDO, RESIGN = "undo", "resign"
INSTRUCTIONS = """\
Play a live game on a Pennant arena as a person would. Call list_opponents, then start_game, then act until the game
ends. Read the rules with explain before your first move. A turn can consist of several actions: keep acting while it's
your turn. Illegal actions are refused and cost nothing. The game has no clock, but is lost after 24 hours without a
move.
"""


class Assistant:
    """An assistant's seat at an arena's live games."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.lock = Lock()
        self.slug = ""
        """The game that was started or looked at last."""
        self.seen: dict[str, tuple[int, int]] = {}
        """By game: the number of decisions and of events that the assistant has been shown."""

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Let one call at a time use the arena, and raise its failures as ToolError, which the assistant can read."""
        with self.lock:
            try:
                yield
            except click.ClickException as error:
                raise ToolError(error.message) from error
            except UnknownGame as error:
                raise ToolError(str(error)) from error

    def list_opponents(self, game: str = "battleline", edition: str = "") -> str:
        """List the bots you can play against, weakest first; those without a rating come last.

        `game` is the key of a game, such as battleline or battalion. `edition` is the edition that ratings are for.
        """
        with self.answering():
            query = {"game": game} | ({"edition": edition} if edition else {})
            found = list(self.api.pages("live-games/opponents/", **query))
            found.sort(key=lambda one: (one["rating"] is None, one["rating"] or 0.0, one["bot"]))
            lines = [f"- {describe_opponent(one)}" for one in found]
            known = GAMES.get(game)
            editions = f"Editions of {game}: {', '.join(known.editions)}" if known else ""
            return "\n".join([*(lines or [f"No bot plays {game} against people here."]), editions]).strip()

    def start_game(
        self, opponents: list[str], edition: str = "", seat: int | None = None, options: dict[str, Any] | None = None
    ) -> str:
        """Start a live game and show it.

        `opponents` are names as in list_opponents: one in Battle Line, up to three in Battalion. `edition` defaults to
        the game's first. `seat` is your seat; seat 0 begins, and the default is a random one. `options` are rule
        options with their values, where they differ from the edition's.
        """
        with self.answering():
            if not opponents:
                raise ToolError("Name at least one opponent: list_opponents shows them.")
            seats = list(opponents)
            if seat is not None and not 0 <= seat <= len(seats):
                raise ToolError(f"Your seat is a number from 0 to {len(seats)}.")
            seats.insert(Random().randrange(len(seats) + 1) if seat is None else seat, "me")
            game = self.api.get(f"bots/{opponents[0]}/")["game"]
            asked = {"game": game, "seats": seats, "options": options or {}} | ({"edition": edition} if edition else {})
            return self.show(self.wait(Table(self.api.post("live-games/", json=asked))))

    def look(self, game: str = "") -> str:
        """Show the game: what has happened since the last call, the board and your legal actions.

        If another seat decides, wait for it up to 25 seconds. `game` is the id of one of your games; by default it's
        the one you used last, or your latest unfinished game.
        """
        with self.answering():
            return self.show(self.wait(self.fetch(game)))

    def act(self, action: str, game: str = "") -> str:
        """Play one action, wait for the other seats up to 25 seconds, and show the game.

        `action` is one of the legal actions, such as "play R7 3". "undo" takes back your last action if it revealed
        nothing, and "resign" gives the game up. `game` is as in look.
        """
        with self.answering():
            slug, action = self.find_slug(game), " ".join(action.split())
            if slug not in self.seen:
                self.show(self.fetch(slug))
            path, at = f"live-games/{slug}/", self.seen[slug][0]
            if action == RESIGN:
                return self.show(Table(self.api.post(f"{path}resign/")))
            if action == UNDO:
                return self.show(Table(self.api.post(f"{path}undo/", json={"at": at})))
            try:
                after = Table(self.api.post(f"{path}actions/", json={"action": action, "at": at}))
            except Refused as refused:
                if refused.status != ILLEGAL:
                    raise
                legal = self.fetch(slug).list_legal()
                raise ToolError(f"{refused.message}\nNothing was played.\n{legal}") from refused
            return self.show(self.wait(after))

    def explain(self, topic: str = "", game: str = "") -> str:
        """Explain the rules, a ruling, or why an action is or isn't allowed now.

        Without a `topic`, return the rules of your game. GAME or GAME/EDITION, as in battleline/short, returns those
        rules without a game. A number such as BL-16 returns this ruling. For an action such as "claim 4", return
        whether it's legal, the reason, and for a claim the proof: what the other side could still become. `game` is as
        in look.
        """
        with self.answering():
            topic = " ".join(topic.split())
            key, _, edition = topic.partition("/")
            if key in GAMES:
                return describe_rules(GAMES[key], edition or next(iter(GAMES[key].editions)), {})
            table = self.fetch(game)
            if RULING.fullmatch(topic.upper()):
                text = find_ruling(read_rules(table.rules, table.content["edition"]), topic.upper())
                return text or f"{topic.upper()} isn't a ruling of this edition. Without a topic, explain returns all."
            if topic:
                return explain_action(table, topic)
            return describe_rules(table.rules, table.content["edition"], table.content["changed_options"])

    def fetch(self, game: str) -> Table:
        """Return a game of the assistant's. Raises ToolError where there is none."""
        table = Table(self.api.get(f"live-games/{self.find_slug(game)}/"))
        if table.seat is None:
            raise ToolError("You don't have a seat in this game. Start one with start_game.")
        return table

    def find_slug(self, game: str) -> str:
        """Return the game's id from its id or address, else the last one's or that of the latest unfinished game.

        Raises ToolError where there is none.
        """
        if named := game.rstrip("/").rpartition("/")[2] or self.slug:
            return named
        games = self.api.get("live-games/")["results"]
        running = next((game["slug"] for game in games if game["state"] == "playing"), None)
        if running is None:
            raise ToolError("You have no unfinished game. Start one with start_game.")
        return str(running)

    def wait(self, table: Table) -> Table:
        """Return the game once it's the assistant's turn or over, or as it is after WAIT_S."""
        deadline, pause = time.monotonic() + WAIT_S, FIRST_PAUSE_S
        while not (table.is_own_turn or table.is_over) and time.monotonic() < deadline:
            time.sleep(pause)
            pause = min(MAX_PAUSE_S, pause * PAUSE_GROWTH)
            table = Table(self.api.get(f"live-games/{table.slug}/"))
        return table

    def show(self, table: Table) -> str:
        """Return the game in words, and remember what the assistant has seen of it."""
        count = len(table.content["events"])
        told = min(self.seen.get(table.slug, (0, 0))[1], count)
        self.slug, self.seen[table.slug] = table.slug, (table.at, count)
        return table.describe(told)


def describe_opponent(one: Json) -> str:
    """Return a bot's line in the list of opponents."""
    rating = "unrated" if one["rating"] is None else f"rated {one['rating']:.0f}"
    kind = ", sample bot" if one["is_sample"] else ""
    style = f". Its authors say: {one['playing_style']!r}" if one["playing_style"] else ""
    return make_visible(f"{one['bot']} ({rating}{kind}){style}")


def describe_rules(game: Game, edition: str, changed: Json) -> str:
    """Return the rules of an edition, what is changed in them, and the actions with their grammar."""
    if edition not in game.editions:
        raise ToolError(f"{game.title} has no edition {edition}. Editions: {', '.join(game.editions)}")
    changes = list(list_changes(game, edition, changed))
    parts = [
        f"# {game.title}, {game.editions[edition]}",
        *(["\n".join(["Changed in this game:", *changes])] if changes else []),
        read_rules(game, edition),
        "\n".join(list_actions(game)),
    ]
    return "\n\n".join(part for part in parts if part)


def explain_action(table: Table, action: str) -> str:
    """Return whether an action is legal now and why, with the proof of a claim."""
    if table.is_over:
        return "The game has finished."
    if not table.is_own_turn:
        return "It's not your turn. Call look to wait, then ask again."
    is_listed, state = action in table.legal, table.rebuild()
    if state is None:
        if is_listed:
            return f"{action} is legal now."
        return f"{action} isn't listed. Try it with act: an illegal action is refused with the reason."
    try:
        state.parse(action)
        reason = ""
    except (IllegalAction, MalformedAction) as refused:
        reason = str(refused)
    verdict = f"{action} is legal now." if is_listed else f"{action} isn't legal now: {reason or 'it is not listed'}."
    names = NAMES_BY_EDITION.get(table.content["edition"])
    return "\n".join([verdict, *(explain_by_proof(state, action, names.formations) if names else ())])


def explain_by_proof(state: State, action: str, formations: Mapping[str, str]) -> Iterator[str]:
    """Yield the proof of a claim; nothing for other actions."""
    try:
        proof = state.explain(action)
    except (IllegalAction, MalformedAction):
        return
    if proof is not None and "refutation" in proof:
        yield from describe_claim(proof, formations)


# The command.


@click.command("mcp")
def serve() -> None:
    """Let an assistant play live games on an arena, by the Model Context Protocol on standard input and output.

    Set PENNANT_URL to the arena and PENNANT_TOKEN to your token, and add this command to your assistant's
    configuration. It offers the tools list_opponents, start_game, look, act and explain. The games are yours: they're
    in your list at /play/.
    """
    api = find_api()
    api.patience_s = WAIT_S
    assert api.client, "it belongs to this thread's command, and tools run in others"
    assistant = Assistant(api)
    server: MCPServer[Any] = MCPServer(
        "pennant", title="Pennant", instructions=INSTRUCTIONS, version=arena_version() or "", log_level="WARNING"
    )
    for tool in (
        assistant.list_opponents,
        assistant.start_game,
        assistant.look,
        assistant.act,
        assistant.explain,
    ):
        server.add_tool(tool, structured_output=False)
    if sys.stdin.isatty():
        click.echo("Waiting for an assistant on standard input. Press Ctrl-C to stop.", err=True)
    server.run("stdio")
