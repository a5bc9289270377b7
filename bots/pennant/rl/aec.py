"""Battle Line as a PettingZoo environment (AEC): two agents that take turns, with a mask of the legal actions."""

from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo.utils import AECEnv, wrappers

from engine.core import Json
from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS
from engine.games.battleline.encoding import MAX_COUNT, Encoding
from engine.games.battleline.game import BattleLine
from engine.games.battleline.numbered import NumberedPlay
from engine.games.battleline.state import BattleLineState

Vector = npt.NDArray[np.int8]
AGENTS = ("seat_0", "seat_1")
WIN, DRAW, LOSS = 1.0, 0.0, -1.0
ILLEGAL_REWARD = -1.0
SEED_BITS = 63


def env(edition: str = "standard", render_mode: str | None = None, **rule_options: Any) -> Any:
    """Return the environment with PettingZoo's usual wrappers: an illegal action loses, and misuse is refused."""
    raw = BattleLineAEC(edition, render_mode, **rule_options)
    return wrappers.OrderEnforcingWrapper(
        wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(raw, illegal_reward=ILLEGAL_REWARD))
    )


class TurnInfo(dict[str, Any]):
    """The legal actions as `legal`, and as `view` what a bot would be sent, which is built when it is asked for."""

    def __init__(self, play: NumberedPlay, seat: int) -> None:
        super().__init__(legal=play.legal)
        self.play, self.seat, self.ply = play, seat, play.state.ply

    def __missing__(self, key: str) -> Json:
        if key != "view":
            raise KeyError(key)
        if self.play.state.ply != self.ply:
            raise KeyError("view: ask for it before the next step")
        view = self["view"] = self.play.state.view(self.seat)
        return view


def find_rewards(state: BattleLineState) -> list[float]:
    """Return what each seat gets at the end."""
    assert state.outcome is not None
    first, second = state.outcome.places
    return [DRAW, DRAW] if first == second else [WIN, LOSS] if first < second else [LOSS, WIN]


class BattleLineAEC(AECEnv):  # type: ignore[misc]
    """A play of Battle Line. Decisions without a choice are taken by the environment, as an arena takes them.

    For whose turn it is, `infos` has the numbers of the legal actions as `legal`, quicker to choose from than the mask,
    and as `view` what a bot would be sent. Rewards come at the end: 1 for who is first, -1 for the other, 0 for both if
    they share the place.
    """

    metadata = {"name": "battleline_v0", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(self, edition: str = "standard", render_mode: str | None = None, **rule_options: Any) -> None:
        """Choose an edition and changes of its options, as `scout="at-once"`. Raises BadOptions."""
        super().__init__()
        self.game = BattleLine()
        self.options: Json = self.game.options(edition, **rule_options)
        self.encoding = Encoding(self.options)
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        observation = spaces.Box(0, MAX_COUNT, (self.encoding.size,), np.int8)
        mask = spaces.Box(0, 1, (len(self.encoding.names),), np.int8)
        seen = spaces.Dict({"observation": observation, "action_mask": mask})
        self.observation_spaces = dict.fromkeys(AGENTS, seen)
        self.action_spaces = {agent: spaces.Discrete(len(self.encoding.names)) for agent in AGENTS}
        self.state_space = spaces.Box(0, MAX_COUNT, (self.encoding.size + sum(self._hidden_sizes()),), np.int8)
        self.random = Random()
        self.play: NumberedPlay | None = None
        self.infos: dict[str, dict[str, Any]] = {}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of what an agent sees: `observation`, and `action_mask`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of actions; `encoding.names` has their texts."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new play. `options` may have a `deal`, as a record has it."""
        if seed is not None:
            self.random = Random(seed)
        shuffled = self.game.deal(self.options, 2, Random(self.random.getrandbits(SEED_BITS)))
        deal = (options or {}).get("deal", shuffled)
        self.play = self.encoding.begin_play(self.game.start(self.options, 2, deal))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._tell()

    def step(self, action: int | None) -> None:
        """Take an action of the agent whose turn it is. An illegal one raises IllegalAction."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        assert self.play is not None and action is not None
        self.play.take(int(action))
        self._tell()

    def observe(self, agent: str) -> dict[str, Vector]:
        """Return what an agent sees; the mask is empty while it isn't its turn."""
        play, seat = self.current_play(), AGENTS.index(agent)
        vectors = {"observation": play.encode(seat), "action_mask": play.mask(seat)}
        return {name: np.frombuffer(vector, np.int8) for name, vector in vectors.items()}

    def state(self) -> Vector:
        """Return the whole table: what seat 0 sees, then the hand of seat 1 and both decks, top last.

        Cards are told by their number in `encoding.cards`, from 1; 0 is no card.
        """
        state = self.current_play().state
        names = CARD_NAMES_BY_COLOURS[self.options["colours"]].of
        parts = [self.observe(AGENTS[0])["observation"]]
        for cards, size in zip((state.hands[1], *state.decks), self._hidden_sizes(), strict=True):
            part = np.zeros(size, np.int8)
            part[: len(cards)] = [self.encoding.card_numbers[names[card]] + 1 for card in cards]
            parts.append(part)
        return np.concatenate(parts)

    def render(self) -> str | None:
        """Return the table as text, if the render mode is `ansi`."""
        if self.render_mode != "ansi":
            return None
        view = self.current_play().state.view(0)
        lines = [f"turn {view['turn']}, {view['decision']} of seat {view['to_move']}"]
        for flag in view["flags"]:
            own, other = (" ".join(cards) for cards in flag["cards"])
            owner = "" if flag["owner"] is None else f"won by seat {flag['owner']}"
            lines.append(f"{flag['flag']}  {own:24} | {other:24} {owner}".rstrip())
        return "\n".join(lines)

    def close(self) -> None:
        """Forget the play."""
        self.play = None

    def current_play(self) -> NumberedPlay:
        """Return the play in progress. Raises AssertionError before the first reset."""
        assert self.play is not None, "call reset first"
        return self.play

    def _tell(self) -> None:
        """Say whose turn it is, or how the play ended."""
        play = self.current_play()
        seat = play.state.to_act
        if seat is not None:
            agent = self.agent_selection = AGENTS[seat]
            self.infos = {AGENTS[1 - seat]: {}, agent: TurnInfo(play, seat)}
            return
        self.infos = {agent: {} for agent in AGENTS}
        for agent, reward in zip(AGENTS, find_rewards(play.state), strict=True):
            self.rewards[agent] = reward
            self.terminations[agent] = True
        self._accumulate_rewards()

    def _hidden_sizes(self) -> tuple[int, int, int]:
        """Return how many cards a hand and the two decks can have."""
        troops = len(self.encoding.troops) * self.options["copies"]
        return troops, troops, max(self.options["tactics"], 2)
