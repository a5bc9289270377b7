"""Environments for reinforcement learning: PettingZoo (AEC) and Gymnasium, for Battle Line in all editions.

They need the extra: `pip install "pennant-arena[rl]"`.
"""

from engine.games.battleline.encoding import Encoding  # bots in the sandbox import it from there
from pennant.rl.aec import BattleLineAEC, env
from pennant.rl.export import export_network
from pennant.rl.single_agent import BattleLineEnv

__all__ = ["BattleLineAEC", "BattleLineEnv", "Encoding", "env", "export_network"]
