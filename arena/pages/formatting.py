"""Write numbers, times and names as people read them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.template.defaultfilters import floatformat
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext, ngettext

from arena.ladders.queries.titles import find_game_title, find_variant_name
from arena.matches.variants import HasRules
from arena.messages import render_message
from arena.runner.clock import TimeSpent
from arena.runner.languages import LANGUAGES
from engine.registry import find_game

MAX_MINUTES_BEFORE_HOURS = 90
"""A longer time is written in hours."""
MAX_SECONDS_BEFORE_MINUTES = 90
"""A longer time is written in minutes."""
MAX_TIME_SHOWN_IN_MS = 100
"""A shorter time is written in milliseconds."""


def format_rating(number: float) -> str:
    """Return a rating without decimals, with a real minus sign."""
    return f"{number:.0f}".replace("-", "−")


def format_moment(at: datetime) -> str:
    """Return a time written out, with the name of its zone: that of the arena, or of the reader where it is known."""
    local = localtime(at)
    return f"{date_format(local, 'DATETIME_FORMAT')} {local:%Z}"


def format_percent(share: float) -> str:
    """Return a share from 0 to 1 as a percentage."""
    return f"{share * 100:.0f}%"


def format_milliseconds(ms: float) -> str:
    """Return a time given in milliseconds."""
    if ms < MAX_TIME_SHOWN_IN_MS:
        return "<1 ms" if ms < 1 else f"{ms:.0f} ms"
    return f"{floatformat(ms / 1000, 2)} s"


def describe_time_spent(spent: TimeSpent) -> str:
    """Describe what an answer took: processor time, time waited for it, and how much of that was our delay."""
    values = {"cpu": f"{spent.cpu_ms:.0f}", "wall": f"{spent.wall_ms:.0f}", "late": f"{spent.late_ms:.0f}"}
    if spent.late_ms < 1:
        return gettext("%(cpu)s ms of processor time within %(wall)s ms") % values
    return gettext("%(cpu)s ms of processor time within %(wall)s ms, %(late)s ms of it our delay") % values


def format_estimate(seconds: float) -> str:
    """Return about how long something is going to take."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return gettext("less than a minute")
    if minutes < MAX_MINUTES_BEFORE_HOURS:
        return ngettext("about %(count)d minute", "about %(count)d minutes", minutes) % {"count": minutes}
    hours = round(minutes / 60)
    return ngettext("about %(count)d hour", "about %(count)d hours", hours) % {"count": hours}


def format_duration(seconds: float) -> str:
    """Return a time in the largest unit of which it has a few."""
    if seconds < MAX_SECONDS_BEFORE_MINUTES:
        return gettext("%(count)d s") % {"count": round(seconds)}
    minutes = round(seconds / 60)
    if minutes < MAX_MINUTES_BEFORE_HOURS:
        return gettext("%(count)d min") % {"count": minutes}
    return gettext("%(count)d h") % {"count": round(minutes / 60)}


def format_count(number: float) -> str:
    """Return a whole number, its thousands parted as the reader's language does it."""
    return intcomma(round(number))


def take_last_lines(text: str, count: int) -> str:
    """Return the last lines of a text."""
    return "\n".join(text.rstrip().splitlines()[-count:])


def join_words(words: Sequence[str], template: str) -> str:
    """Return words with commas, the last two joined by a template with `%(first)s` and `%(last)s`."""
    *first, last = words
    return template % {"first": ", ".join(first), "last": last} if first else last


@dataclass(frozen=True, slots=True)
class RecordRules:
    """The rules by which a record was played."""

    game: str
    edition: str
    changed_options: Mapping[str, Any]


def variant_title(played: HasRules) -> str:
    """Return the edition and the changed options by which something is played, as "Medieval, without tactics"."""
    return render_message(find_variant_name(played))


def rules_title(played: HasRules) -> str:
    """Return the game, the edition and the changed options by which something is played."""
    return f"{find_game_title(played.game)}, {variant_title(played)}"


def record_rules_title(record: Mapping[str, Any]) -> str:
    """Return the same for the record of a leg."""
    game, edition = record["game"], record["edition"]
    return rules_title(RecordRules(game, edition, find_game(game).changed_options(edition, record["options"])))


def translate_ladder_title(title: str) -> str:
    """Return a ladder's title with the edition in the reader's language; games keep their names."""
    game, comma, edition = title.partition(", ")
    return f"{game}{comma}{gettext(edition)}" if edition else title


def find_language_title(key: str) -> str:
    """Return the title of a programming language, or its key if it is not supported any more."""
    return gettext(LANGUAGES[key].title) if key in LANGUAGES else key


def format_json(value: Any) -> str:
    """Return JSON with indentation."""
    return json.dumps(value, indent=1, ensure_ascii=False)


def split_code(text: str) -> list[tuple[str, bool]]:
    """Split a text at its backticks into parts, each with whether it is program text."""
    return [(part, bool(index % 2)) for index, part in enumerate(text.split("`")) if part]
