"""Send the schemas of the messages to bots, and examples of them."""

import json

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.utils.translation import override

from arena.runner.message_schema import MESSAGES, build_message_schema, list_example_messages
from engine.core import Game
from engine.registry import GAMES


def send_schema(request: HttpRequest, game: str, message: str) -> JsonResponse:
    """Send the JSON Schema of a kind of message."""
    found = find_game_with_schema(game)
    if message not in MESSAGES:
        raise Http404(_("There is no such message: hello, turn and end are sent to bots, ready and answer by them."))
    with override("en"):  # the options name themselves in the reader's language
        schema = build_message_schema(found, message)
    return JsonResponse(schema, json_dumps_params={"indent": 2, "ensure_ascii": False})


def send_examples(request: HttpRequest, game: str) -> HttpResponse:
    """Send the messages of a random play, one a line."""
    found = find_game_with_schema(game)
    edition = request.GET.get("edition", next(iter(found.editions)))
    if edition not in found.editions:
        raise Http404(_("The game has no such edition."))
    lines = [json.dumps(message, separators=(",", ":")) for message in list_example_messages(found, edition)]
    return HttpResponse("\n".join(lines) + "\n", content_type="application/jsonl")


def find_game_with_schema(key: str) -> Game:
    """Return the game with this key, if it describes its messages. Raises Http404."""
    game = GAMES.get(key)
    if game is None or game.schema_file is None:
        raise Http404(_("There is no description of this game's messages."))
    return game
