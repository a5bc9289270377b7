"""Battle Line as a Gymnasium environment: one agent against a bot that plays in the same process."""

from collections.abc import Callable
from random import Random
from typing import Any

import gymnasium
import numpy as np

from pennant.local_bots import LocalBot
from pennant.rl.aec import AGENTS, LOSS, SEED_BITS, BattleLineAEC, Vector

Choose = Callable[[dict[str, Any], list[str]], str]
"""An opponent: given the view of its seat and the legal actions, it returns the action."""
Observation = dict[str, Vector]


class BattleLineEnv(gymnasium.Env[Observation, np.int64]):
    """Play against `opponent`: the name of a sample (`random`, `greedy`, `careful` …), or a function.

    `seat` is the agent's; None lets the seats change with each play.
    """

    metadata = {"render_modes": ["ansi"]}

    def __init__(
        self,
        edition: str = "standard",
        opponent: str | Choose = "random",
        seat: int | None = None,
        render_mode: str | None = None,
        **rule_options: Any,
    ) -> None:
        """Choose an edition, changes of its options, and an opponent. Raises BadOptions."""
        self.table = BattleLineAEC(edition, render_mode, **rule_options)
        self.edition = edition
        self.render_mode = render_mode
        self.observation_space = self.table.observation_space(AGENTS[0])
        self.action_space = self.table.action_space(AGENTS[0])
        self.sample = LocalBot(opponent) if isinstance(opponent, str) else None
        self.choose = opponent if not isinstance(opponent, str) else None
        self.fixed_seat = seat
        self.seat = seat or 0
        self.random = Random()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a new play; `options` may have a `deal`."""
        super().reset(seed=seed)
        if seed is not None:
            self.random = Random(seed)
            self.seat = 1
        self.seat = 1 - self.seat if self.fixed_seat is None else self.fixed_seat
        self.table.reset(seed=self.random.getrandbits(SEED_BITS), options=options)
        if self.sample is not None:
            self.sample.begin(self.table.options, self.edition, 1 - self.seat, self.random.getrandbits(SEED_BITS))
        self._let_opponent_play()
        return self.table.observe(AGENTS[self.seat]), {"seat": self.seat} | self._tell()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action, and let the opponent play until it is the agent's turn again. An illegal one loses."""
        agent = AGENTS[self.seat]
        if int(action) not in self.table.current_play().legal:
            name = self.table.encoding.names[int(action)]
            return self.table.observe(agent), LOSS, True, False, {"illegal": name}
        self.table.step(int(action))
        self._let_opponent_play()
        is_over = self.table.terminations[agent]
        reward = self.table.rewards[agent] if is_over else 0.0
        return self.table.observe(agent), reward, is_over, False, self._tell()

    def render(self) -> Any:
        """Return the table as text, if the render mode is `ansi`."""
        return self.table.render()

    def _tell(self) -> dict[str, Any]:
        """Return the legal actions and the view, on the agent's turn."""
        info = self.table.infos[AGENTS[self.seat]]
        return {"legal": info["legal"], "view": info["view"]} if info else {}

    def _let_opponent_play(self) -> None:
        other = 1 - self.seat
        while not self.table.terminations[AGENTS[other]] and self.table.agent_selection == AGENTS[other]:
            state = self.table.current_play().state
            if self.sample is not None:
                action, _ = self.sample.decide(state, other)
            else:
                assert self.choose is not None
                action = self.choose(self.table.infos[AGENTS[other]]["view"], list(state.actions()))
            self.table.step(self.table.encoding.numbers[action])
