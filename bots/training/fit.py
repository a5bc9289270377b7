"""Fit the weights of the value function: two logistic regressions, one for flags and one for the whole line.

Coefficients are shared between the seats in such a way that exchanging the seats exchanges the chances.
"""

import numpy as np
import numpy.typing as npt

from bots.training.self_play import NOT_DECIDED, Positions
from engine.core import Json
from engine.games.battleline.options import Rules
from engine.games.battleline.value import FREE_SLOT_COUNTS

Floats = npt.NDArray[np.float64]

RIDGE = 2.0
"""Weight of the squares of the coefficients, of inputs of unit variance."""
MAX_NEWTON_STEPS = 30
NEWTON_TOLERANCE = 1e-7
SLOTS = range(FREE_SLOT_COUNTS**2)
FIRST_SLOTS = np.array([slots // FREE_SLOT_COUNTS for slots in SLOTS])
SECOND_SLOTS = np.array([slots % FREE_SLOT_COUNTS for slots in SLOTS])
PAIR_OF_SLOTS = np.minimum(FIRST_SLOTS, SECOND_SLOTS) * FREE_SLOT_COUNTS + np.maximum(FIRST_SLOTS, SECOND_SLOTS)
"""By slots: the same number whichever seat has more of them free."""
LEAD_SIGN = np.sign(SECOND_SLOTS - FIRST_SLOTS)


def stack(positions: Positions) -> tuple[Floats, Floats]:
    """Return flags (position, flag, term) and line (position, term) as arrays."""
    return np.stack(positions.flags).astype(np.float64), np.stack(positions.line).astype(np.float64)


def fit_weights(flags: Floats, line: Floats, rules: Rules) -> Json:
    """Return weights of an edition that fit these positions."""
    weights = fit_flags(flags, line)
    inputs = build_line_inputs(compute_flag_chances(flags, line, weights), line, rules)
    return weights | {"line": round_all(fit_logistic(inputs, line[:, -1]))}


def fit_flags(flags: Floats, line: Floats) -> Json:
    """Return the weights of a flag's terms."""
    mover = np.broadcast_to(line[:, :1], flags.shape[:2])
    is_open = flags[..., 3] == NOT_DECIDED
    rows, turn = flags[is_open], mover[is_open]
    slots = rows[:, 0].astype(int)
    pairs = len(SLOTS)
    inputs = np.zeros((len(rows), 4 * pairs))
    at = np.arange(len(rows))
    for block, values in enumerate((rows[:, 1], rows[:, 2], LEAD_SIGN[slots], turn)):
        inputs[at, block * pairs + PAIR_OF_SLOTS[slots]] = values
    used = np.flatnonzero(np.abs(inputs).sum(axis=0))
    fitted = np.zeros(4 * pairs)
    fitted[used] = fit_logistic(inputs[:, used], rows[:, 4])
    advantage, worth, lead, tempo = fitted.reshape(4, pairs)[:, PAIR_OF_SLOTS]
    named = {"advantage": advantage, "worth": worth, "lead": lead * LEAD_SIGN, "tempo": tempo}
    return {name: round_all(values) for name, values in named.items()}


def compute_flag_chances(flags: Floats, line: Floats, weights: Json) -> Floats:
    """Return the chances of seat 0 by position and flag."""
    slots = flags[..., 0].astype(int)
    by_slots = {name: np.array(weights[name])[slots] for name in ("advantage", "worth", "lead", "tempo")}
    odds = by_slots["advantage"] * flags[..., 1] + by_slots["worth"] * flags[..., 2]
    odds += by_slots["lead"] + by_slots["tempo"] * line[:, :1]
    return np.where(flags[..., 3] == NOT_DECIDED, sigmoid(odds), flags[..., 3])


def build_line_inputs(chances: Floats, line: Floats, rules: Rules) -> Floats:
    """Return the inputs of the whole line, as `list_line_inputs` of the value function."""
    mover, fill, formation, hands = line[:, 0], line[:, 1], line[:, 2], line[:, 3:-1]
    rows = compute_row_chances(chances) - compute_row_chances(1 - chances)
    terms = np.stack(
        [
            2 * compute_count_chances(chances, rules.envelopment) - 1,
            rows if rules.breakthrough else np.zeros(len(rows)),
            (2 * chances - 1).sum(axis=1),
            np.log((chances + 0.02) / (1.02 - chances)).sum(axis=1),
            mover,
            formation,
        ],
        axis=1,
    )
    return np.concatenate([terms, terms * fill[:, None], hands], axis=1)


def compute_count_chances(chances: Floats, wanted: int) -> Floats:
    """Return the chances of at least `wanted` flags."""
    exactly = np.zeros((len(chances), wanted + 1))
    exactly[:, 0] = 1
    for flag in range(chances.shape[1]):
        chance = chances[:, flag : flag + 1]
        moved = exactly[:, :-1] * chance
        exactly[:, :-1] *= 1 - chance
        exactly[:, 1:] += moved
    return exactly[:, -1]


def compute_row_chances(chances: Floats) -> Floats:
    """Return the chances of three adjacent flags."""
    lengths = np.zeros((len(chances), 3))
    lengths[:, 0], complete = 1, np.zeros(len(chances))
    for flag in range(chances.shape[1]):
        chance = chances[:, flag]
        complete += lengths[:, 2] * chance
        rest = (1 - chance) * lengths.sum(axis=1)
        lengths = np.stack([rest, lengths[:, 0] * chance, lengths[:, 1] * chance], axis=1)
    return complete


def fit_logistic(inputs: Floats, results: Floats) -> Floats:
    """Return the coefficients of a logistic regression without a constant, by Newton's method."""
    scale = np.sqrt((inputs**2).mean(axis=0))
    scale[scale == 0] = 1
    scaled = inputs / scale
    fitted = np.zeros(inputs.shape[1])
    for _ in range(MAX_NEWTON_STEPS):
        chances = sigmoid(scaled @ fitted)
        gradient = scaled.T @ (results - chances) - RIDGE * fitted
        curvature = (scaled * (chances * (1 - chances))[:, None]).T @ scaled + RIDGE * np.eye(len(fitted))
        step = np.linalg.solve(curvature, gradient)
        fitted += step
        if np.abs(step).max() < NEWTON_TOLERANCE:
            break
    return fitted / scale


def predict(flags: Floats, line: Floats, weights: Json, rules: Rules) -> Floats:
    """Return the chances of seat 0 by position."""
    inputs = build_line_inputs(compute_flag_chances(flags, line, weights), line, rules)
    return sigmoid(inputs @ np.array(weights["line"]))


def measure_losses(chances: Floats, results: Floats) -> tuple[float, float]:
    """Return the log loss and the Brier score of these chances."""
    safe = np.clip(chances, 1e-6, 1 - 1e-6)
    log_loss = -(results * np.log(safe) + (1 - results) * np.log(1 - safe)).mean()
    return float(log_loss), float(((chances - results) ** 2).mean())


def sigmoid(odds: Floats) -> Floats:
    """Return the chances of these log odds."""
    return 1 / (1 + np.exp(-np.clip(odds, -30, 30)))


def round_all(values: Floats) -> list[float]:
    """Return the values as they are written to the file of weights."""
    return [round(float(value), 4) for value in values]
