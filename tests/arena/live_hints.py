"""Make hints in live games in this process, as a worker's runner process does."""

from time import process_time

from arena.matches.livegames.models import LiveHint
from arena.matches.livegames.playing import claim_hint, make_hint
from arena.runner.channel import HintFound
from arena.runner.live_turn import Position, find_choices


def make_waiting_hint() -> bool:
    """Make the hint that has waited longest, and return whether one was stored."""
    hint = claim_hint()
    return hint is not None and make_hint(hint=hint, find=find)


def find(position: Position) -> HintFound:
    began = process_time()
    return HintFound(find_choices(position), (process_time() - began) * 1000)


def is_waiting(hint: LiveHint) -> bool:
    return LiveHint.objects.waiting().filter(pk=hint.pk).exists()
