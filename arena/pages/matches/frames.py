"""All steps of a leg for one onlooker, as the viewer wants them: the changing parts of the table, each of them once."""

import gzip
import hashlib
from collections.abc import Sequence
from typing import Any

import orjson
from django.core.cache import cache as shelf
from django.template import Context, Engine
from django.utils.translation import get_language

from arena.pages.games import find_presentation
from arena.pages.matches.judgements import add_judgements
from arena.pages.matches.replay import Playback, play_back
from arena.pages.matches.slots import Slots
from arena.pages.matches.stage import build_stage
from arena.release import compute_build_id
from engine.core import Json

STAGE_TEMPLATE = "matches/_stage.html"
TEMPLATES = (STAGE_TEMPLATE, "matches/_why.html")
CACHE_TIMEOUT_S = 24 * 3600


def build_frames(playback: Playback, seats: Sequence[Any], names: Sequence[str] = TEMPLATES) -> dict[str, Any]:
    """Return `{"slots": [name…], "parts": [html…], "frames": [[part of each slot…]…]}`, a frame for each step.

    The first frame is that of the deal. `seats` are those of the leg, for the names of the bots, and `names` those of
    the templates that are drawn.
    """
    presentation = find_presentation(playback.record["game"], playback.record["edition"])
    templates = [Engine.get_default().get_template(name) for name in names]
    slots, parts = Slots(), dict[str, int]()
    frames = []
    for number in range(playback.last + 1):
        context = Context({"seats": seats, "slots": slots, **build_stage(playback.scene(number), presentation)})
        for template in templates:
            template.render(context)  # fills `slots`
        frames.append([parts.setdefault(html, len(parts)) for html in slots.values()])
    return {"slots": list(slots), "parts": list(parts), "frames": frames}


def pack_frames(
    record: Json, onlooker: int | None, seats: Sequence[Any], tag: str, analysis: Json | None = None
) -> bytes:
    """Return the frames as JSON, packed with gzip, with the judgements of an analysis if there is one.

    They are kept for the next reader under their tag.
    """
    packed: bytes | None = shelf.get(f"frames:{tag}")
    if packed is None:
        playback = add_judgements(play_back(record, onlooker), analysis)
        packed = gzip.compress(orjson.dumps(build_frames(playback, seats)), 6, mtime=0)
        shelf.set(f"frames:{tag}", packed, CACHE_TIMEOUT_S)
    return packed


def tag_frames(
    record: bytes | memoryview | None, onlooker: int | None, seats: Sequence[Any], analysis: int | None = None
) -> str:
    """Return a key that changes with the record, the onlooker, the language, the names of the bots and the release.

    And with the key of the analysis whose judgements are shown.
    """
    names = [(seat.participant.version.bot.name, str(seat.participant.version.number)) for seat in seats]
    key = orjson.dumps([onlooker, get_language(), names, compute_build_id(), analysis])
    return hashlib.sha256(key + bytes(record or b"")).hexdigest()[:32]
