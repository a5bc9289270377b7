"""Tools for assistants, by the SDK's own client: a real process on one side, a real arena on the other."""

import asyncio
import os
import re
import subprocess
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random

import click
import pytest
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pytest_django.live_server_helper import LiveServer

from arena.bots.models import BotVersion
from arena.bots.running import read_sample_files
from arena.bots.services import add_version, create_bot
from arena.bots.teams import issue_token
from arena.cli import EXIT_USAGE, main
from arena.cli.api import Api
from arena.cli.assistant import Assistant as PennantTools
from arena.cli.assistant import Table, describe_claim, describe_rules, explain_action
from arena.cli.manual_rules import find_ruling, read_rules
from arena.matches.livegames.answering import answer_attempt, claim_answer
from arena.matches.livegames.models import LiveGame
from arena.matches.workers import this_worker
from arena.people.accounts.models import User
from arena.runner.live_turn import answer_turn
from arena.runner.sandbox.base import Sandbox
from engine.core import State
from engine.games.battleline.cards import NAMES_BY_EDITION
from engine.registry import GAMES
from tests.arena.capabilities import able
from tests.cli.running import PENNANT, PROJECT_ROOT, pennant
from tests.full import default_and_full
from tests.servers import free_port

pytestmark = pytest.mark.django_db(transaction=True)

NO_ARENA = "Which arena? Set PENNANT_URL, as in PENNANT_URL=https://arena.example"
TOOLS = ["list_opponents", "start_game", "look", "act", "explain"]


class Assistant:
    """What an assistant does: it calls tools and reads what they say."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: object) -> CallToolResult:
        return await self.client.call_tool(tool, arguments)

    async def read(self, tool: str, **arguments: object) -> str:
        result = await self.call(tool, **arguments)
        assert not result.is_error, text_of(result)
        return text_of(result)

    async def is_refused(self, tool: str, **arguments: object) -> str:
        result = await self.call(tool, **arguments)
        assert result.is_error, text_of(result)
        return text_of(result)


def text_of(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if part.type == "text")


def list_legal(said: str) -> list[str]:
    """The legal actions in what a tool said."""
    _, _, listed = said.partition("Legal actions (")
    actions = []
    for line in listed.splitlines()[1:]:
        if not line.startswith("- "):
            break
        beginning, colon, endings = line[2:].partition(": ")
        if beginning != "also":
            actions += [f"{beginning} {ending}" for ending in endings.split(" ")] if colon else [beginning]
    return actions


def talk(
    environment: dict[str, str], play: Callable[[Assistant], Awaitable[None]], work: Callable[[], object] = int
) -> None:
    """Start the command as an assistant's host does and talk to it, while the arena works."""

    async def run() -> None:
        server = StdioServerParameters(
            command=PENNANT[0],
            args=[*PENNANT[1:], "mcp"],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(PROJECT_ROOT), **environment},
            cwd=PROJECT_ROOT,
        )
        async with Client(stdio_client(server)) as client:
            await play(Assistant(client))

    with ThreadPoolExecutor(1) as pool:
        talking = pool.submit(asyncio.run, run())
        while not talking.done():
            work()
            time.sleep(0.02)
    talking.result()


@pytest.fixture
def environment(live_server: LiveServer, ana: User) -> dict[str, str]:
    _, token = issue_token(owner=ana, name="an assistant")
    return {"PENNANT_URL": live_server.url, "PENNANT_TOKEN": token}


@pytest.fixture
def opponents(house: User) -> list[BotVersion]:
    bots = [create_bot(owner=house, name=name, game="battleline") for name in ("random", "greedy")]
    accepted = BotVersion.State.ACCEPTED
    return [add_version(bot=bot, files=read_sample_files(bot.game, bot.name), state=accepted) for bot in bots]


@pytest.fixture
def work(bare: Sandbox) -> Callable[[], None]:
    """Answer for bots, as the arena's workers do."""

    def answer() -> None:
        for game in LiveGame.objects.playing().exclude(bot_to_act=None).values_list("pk", flat=True):
            if attempt := claim_answer(game_id=game, worker=this_worker(), capabilities=able()):
                answer_attempt(attempt=attempt, answer=lambda spec, beat: answer_turn(spec, bare, beat))

    return answer


def choose(legal: list[str]) -> str:
    """A claim, else a card at the flag of its suit, else the first action."""
    by_suit = [f"play {suit}{value} {flag}" for value in range(10, 0, -1) for flag, suit in enumerate("SHDC", 1)]
    claims = [action for action in legal if action.startswith("claim ")]
    return next((action for action in [*claims, *by_suit] if action in legal), legal[0])


@pytest.mark.parametrize("bot", default_and_full(["random"], ["greedy"]))
@pytest.mark.usefixtures("opponents")
def test_an_assistant_plays_a_whole_game(bot: str, environment: dict[str, str], work: Callable[[], None]) -> None:
    """What it is told of claims agrees with the legal actions."""
    proofs: Counter[bool] = Counter()

    async def explain_claim(assistant: Assistant, flag: str, legal: list[str]) -> None:
        explained = await assistant.read("explain", topic=f"claim {flag}")
        is_legal = f"claim {flag}" in legal
        assert explained.startswith(f"claim {flag} is legal now." if is_legal else f"claim {flag} isn't legal now: ")
        assert (f"Flag {flag} can be proved (BL-16)." in explained) == is_legal, explained
        proofs[is_legal] += 1

    async def play(assistant: Assistant) -> None:
        tools = await assistant.client.list_tools()
        assert [tool.name for tool in tools.tools] == TOOLS
        assert f"- {bot} (unrated, sample bot)" in await assistant.read("list_opponents")
        said, played = await assistant.read("start_game", opponents=[bot], edition="short", seat=1), ""
        assert said.startswith("Battle Line, Playing cards, short · game "), said
        while "The game has finished." not in said:
            legal, before = list_legal(said), played
            played = choose(legal)
            if played.startswith("claim "):
                await explain_claim(assistant, played.split(" ")[1], legal)
            elif before.startswith("play "):
                await explain_claim(assistant, before.split(" ")[2], legal)
            said = await assistant.read("act", action=played)
        assert said.endswith("flags.") or "Draw" in said, said

    talk(environment, play, work)
    game = LiveGame.objects.get()
    assert (game.state, game.edition) == ("finished", "short")
    assert game.reason in ("breakthrough", "envelopment", "passes")
    assert [seat.user and seat.user.username for seat in game.seats.order_by("seat")] == [None, "ana"]
    assert proofs.total()


async def look_around(assistant: Assistant) -> None:
    """Errors say what to do, and what is refused changes nothing."""
    assert "no unfinished game" in await assistant.is_refused("look")
    assert "nowhere" in await assistant.is_refused("start_game", opponents=["nowhere"])
    assert "from 0 to 1" in await assistant.is_refused("start_game", opponents=["random"], seat=2)
    said = await assistant.read("start_game", opponents=["random"], seat=0, options={"scout": "at-once"})
    legal = list_legal(said)
    assert legal[0].startswith("play ") and "decks: 46 troops, 10 tactics" in said

    refused = await assistant.is_refused("act", action="claim 3")
    assert "BL-" in refused and "Nothing was played." in refused and list_legal(refused) == legal
    assert "Nothing was played." in await assistant.is_refused("act", action="hello")
    explained = await assistant.read("explain", topic="claim 3")
    assert "Your side: empty (0 of 3)" in explained and "Your side needs 3 more." in explained
    assert (await assistant.read("explain", topic=legal[0])) == f"{legal[0]} is legal now."

    rules = await assistant.read("explain")
    assert "# Battle Line, Standard" in rules and "Scout draws: " in rules
    assert "### BL-16" in rules and "- claim FLAG: " in rules and "Ace" not in rules
    assert (await assistant.read("explain", topic="bl-19")).startswith("BL-19: If fewer unseen troops")
    assert "# Battalion, Standard" in await assistant.read("explain", topic="battalion")

    said = await assistant.read("act", action=legal[0])
    assert f"You can still undo: {legal[0]}" in said and "What happened:" in said
    assert list_legal(await assistant.read("act", action="undo")) == legal
    said = await assistant.read("act", action="resign")
    assert "The game has finished." in said and "random wins" in said
    assert "finished" in await assistant.is_refused("act", action=legal[0])
    assert await assistant.read("explain", topic="claim 1") == "The game has finished."


@pytest.mark.usefixtures("opponents")
def test_what_is_refused_changes_nothing(environment: dict[str, str]) -> None:
    talk(environment, look_around)


def test_what_is_missing_is_said_at_the_start(environment: dict[str, str]) -> None:
    nowhere = pennant("mcp", PENNANT_URL="", PENNANT_TOKEN="")
    assert (nowhere.returncode, nowhere.stderr) == (EXIT_USAGE, f"Error: {NO_ARENA}\n")
    nobody = pennant("mcp", **environment | {"PENNANT_TOKEN": ""})
    assert nobody.returncode == EXIT_USAGE and "/tokens/ and set PENNANT_TOKEN" in nobody.stderr
    without_sdk = f"import sys; sys.modules['mcp'] = None; {PENNANT[-1]}"
    command = [*PENNANT[:-1], without_sdk, "mcp"]
    bare = subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, check=False)
    assert bare.returncode == EXIT_USAGE
    assert re.fullmatch(r"Error: pennant mcp needs mcp[.\w]*: uv sync --extra mcp\n", bare.stderr)


def test_what_fails_later_is_told_to_the_assistant(environment: dict[str, str]) -> None:
    async def meet_a_stranger(assistant: Assistant) -> None:
        assert "Create a token at" in await assistant.is_refused("list_opponents")

    async def knock(assistant: Assistant) -> None:
        assert "can't be reached" in await assistant.is_refused("look")

    talk(environment | {"PENNANT_TOKEN": "pnt_unknown"}, meet_a_stranger)
    talk(environment | {"PENNANT_URL": f"http://127.0.0.1:{free_port()}"}, knock)


@pytest.mark.usefixtures("opponents")
def test_a_call_waits_only_so_long(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever comes back finds the game that isn't finished, and the whole state of it."""
    monkeypatch.setattr("arena.cli.assistant.WAIT_S", 0.3)
    with click.Context(main):
        api = Api(environment["PENNANT_URL"], environment["PENNANT_TOKEN"])
        said = PennantTools(api).start_game(["random"], seat=1)
        assert "random hasn't decided yet. Call look to keep waiting." in said
        with pytest.raises(ToolError, match="It's not your turn"):
            PennantTools(api).act("play R7 3")
        assert PennantTools(api).explain("claim 3") == "It's not your turn. Call look to wait, then ask again."


def sit_at(state: State, edition: str) -> Table:
    """The table as the API shows it to the seat that is to act."""
    seats = [{"bot": "random", "person": None}] * 2
    content = {"slug": "", "at": 0, "seat": state.to_act, "view": state.view(state.to_act or 0), "seats": seats}
    content |= {"legal": list(state.actions()), "open": None, "state": "playing", "game": "battleline"}
    return Table(content | {"edition": edition, "changed_options": {}})


@pytest.mark.parametrize("edition", GAMES["battleline"].editions)
def test_what_is_explained_of_claims_is_what_the_rules_say(edition: str) -> None:
    """From the view alone, the proofs are those of the game itself."""
    rules, rng, answers = GAMES["battleline"], Random(7), Counter[bool]()
    for _ in range(3):
        options = rules.options(edition)
        state = rules.start(options, 2, rules.deal(options, 2, rng))
        while state.to_act is not None:
            view, legal = state.view(state.to_act), list(state.actions())
            if view["decision"] in ("play", "finish"):
                flag = rng.randint(1, len(view["flags"]))
                proof, said = state.explain(f"claim {flag}"), explain_action(sit_at(state, edition), f"claim {flag}")
                assert proof is not None and (f"Flag {flag} can be proved" in said) == proof["holds"], said
                word = "is" if f"claim {flag}" in legal else "isn't"
                assert said.startswith(f"claim {flag} {word} legal now")
                names = NAMES_BY_EDITION[edition].formations
                assert said.split("\n")[1:] == list(describe_claim(proof, names))
                answers[proof["holds"]] += 1
            state.play(state.parse(next((one for one in legal if one.startswith("claim ")), rng.choice(legal))))
    assert answers[True] and answers[False]


def test_rules_are_those_of_one_edition() -> None:
    short = describe_rules(GAMES["battleline"], "short", {})
    assert "Five flags stand in a row" in short and "Nine flags" not in short and "```" not in short
    assert not re.search(r"^## .*\n+## ", short, re.MULTILINE) and "](" not in short
    terrain = read_rules(GAMES["battleline"], "terrain")
    assert find_ruling(terrain, "BL-60") and not find_ruling(terrain, "BL-30")
    assert not read_rules(GAMES["battleline"], "short").count("Medieval")
