"""Write what people read: numbers, times and names, the labels and icons of states, and what a comparison says."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil, exp
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.template.defaultfilters import floatformat
from django.utils.formats import date_format, number_format
from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext_noop

from arena.bots.models import REMOTE_LANGUAGE, BotVersion
from arena.contests.comparisons.models import Comparison
from arena.contests.comparisons.sprt import ERROR_RATE, LLR_BOUND, MIN_PAIRS, Estimate
from arena.contests.ladders.models import TITLE_ENDINGS, Entry, Ladder
from arena.contests.ladders.queries import find_game_title, find_variant_name
from arena.contests.tournaments.models import Entrant, Tournament
from arena.core.messages import gettext, gettext_lazy, isolate, ngettext, pgettext_lazy, render_message
from arena.core.messages import gettext as _
from arena.matches.filters import HasRules
from arena.matches.models import CANCELLED, Match
from arena.people.groups.models import Membership
from arena.people.notices.models import Delivery
from arena.runner.languages import LANGUAGES
from arena.runner.program import RealTime, TimeSpent, Verdict
from engine.registry import find_game

# Write numbers, times and names as people read them.

MAX_MINUTES_BEFORE_HOURS = 90
"""A longer time is written in hours."""
MAX_SECONDS_BEFORE_MINUTES = 90
SECONDS_PER_MINUTE = 60
REMAINING_STEP_S = 5
"""Seconds that are left are told in steps: the estimate isn't better than that."""
"""A longer time is written in minutes."""
MAX_TIME_SHOWN_IN_MS = 100
"""A shorter time is written in milliseconds."""
MIN_CASES_OF_BAR = 10
"""A share of fewer cases isn't drawn: the number stands alone, with a question mark."""


def format_rating(number: float) -> str:
    """Return a rating without decimals, with a real minus sign."""
    return f"{number:.0f}".replace("-", "−")


def format_moment(at: datetime) -> str:
    """Return a time written out, with the name of its zone: that of the arena, or of the reader where it is known."""
    local = localtime(at)
    return f"{date_format(local, 'DATETIME_FORMAT')} {local:%Z}"


def to_percent(share: float) -> int:
    """Return a share from 0 to 1 in whole percent, halves to the even one: a share and its rest add up to 100."""
    return round(round(share * 100, 6))


def format_percent(share: float) -> str:
    """Return a share from 0 to 1 as a percentage. Below 0, as without luck, it has a minus sign."""
    return f"{to_percent(share)}%".replace("-", "−")


def format_milliseconds(ms: float) -> str:
    """Return a time given in milliseconds."""
    if ms < MAX_TIME_SHOWN_IN_MS:
        return "<1 ms" if ms < 1 else f"{ms:.0f} ms"
    return f"{floatformat(ms / 1000, 2)} s"


def describe_time_spent(spent: TimeSpent) -> str:
    """Describe what an answer took: processor time, time waited for it, and how much of that was our delay.

    Of a remote bot no processor time is known.
    """
    if isinstance(spent, RealTime):
        return gettext("answered in %(time)s") % {"time": format_milliseconds(spent.wall_ms)}
    values = {"cpu": f"{spent.cpu_ms:.0f}", "wall": f"{spent.wall_ms:.0f}", "late": f"{spent.late_ms:.0f}"}
    if spent.late_ms < 1:
        return gettext("%(cpu)s ms of CPU time in %(wall)s ms") % values
    return gettext("%(cpu)s ms of CPU time in %(wall)s ms, including %(late)s ms of server delay") % values


def format_estimate(seconds: float) -> str:
    """Return about how long something is going to take."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return gettext("less than a minute")
    if minutes < MAX_MINUTES_BEFORE_HOURS:
        return ngettext("about %(count)d minute", "about %(count)d minutes", minutes) % {"count": minutes}
    hours = round(minutes / 60)
    return ngettext("about %(count)d hour", "about %(count)d hours", hours) % {"count": hours}


def format_range(low_s: float, high_s: float) -> str:
    """Return about how long something is going to take, at least and at most."""
    low, high = round(low_s / SECONDS_PER_MINUTE), round(high_s / SECONDS_PER_MINUTE)
    low_hours, high_hours = round(low / 60), round(high / 60)
    if high < 1 or low == high:
        return format_estimate(high_s)
    if low < 1:
        return _format_less_than(ceil(high_s / SECONDS_PER_MINUTE))
    if high < MAX_MINUTES_BEFORE_HOURS:
        return gettext("about %(low)d to %(high)d minutes") % {"low": low, "high": high}
    if low < MAX_MINUTES_BEFORE_HOURS:
        words = ngettext("about %(low)d minute to %(high)d hours", "about %(low)d minutes to %(high)d hours", low)
        return words % {"low": low, "high": high_hours}
    if low_hours == high_hours:
        return format_estimate(high_s)
    return gettext("about %(low)d to %(high)d hours") % {"low": low_hours, "high": high_hours}


def _format_less_than(minutes: int) -> str:
    if minutes <= 1:
        return gettext("less than a minute")
    if minutes < MAX_MINUTES_BEFORE_HOURS:
        return gettext("less than %(count)d minutes") % {"count": minutes}
    return gettext("less than %(count)d hours") % {"count": ceil(minutes / 60)}


def format_bound(seconds: float) -> str:
    """Return a time that is long enough in any case, rounded up."""
    minutes = ceil(seconds / SECONDS_PER_MINUTE)
    if minutes < MAX_MINUTES_BEFORE_HOURS:
        return ngettext("%(count)d minute", "%(count)d minutes", minutes) % {"count": minutes}
    hours = ceil(minutes / 60)
    return ngettext("%(count)d hour", "%(count)d hours", hours) % {"count": hours}


def format_remaining(seconds: float | None) -> str:
    """Return about how long something is still going to take, in round numbers; empty where that isn't known."""
    if seconds is None:
        return ""
    rounded = max(REMAINING_STEP_S, REMAINING_STEP_S * round(seconds / REMAINING_STEP_S))
    if rounded < SECONDS_PER_MINUTE:
        return gettext("about %(count)d s") % {"count": rounded}
    minutes = round(seconds / SECONDS_PER_MINUTE)
    if minutes < MAX_MINUTES_BEFORE_HOURS:
        return gettext("about %(count)d min") % {"count": minutes}
    return gettext("about %(count)d h") % {"count": round(minutes / 60)}


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
    *first, last = map(isolate, words)
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
    return rules_title(read_record_rules(record))


def record_variant_title(record: Mapping[str, Any]) -> str:
    """Return the edition and the changed options by which a recorded leg was played."""
    return variant_title(read_record_rules(record))


def read_record_rules(record: Mapping[str, Any]) -> RecordRules:
    """Return what the record of a leg was played by."""
    game, edition = record["game"], record["edition"]
    return RecordRules(game, edition, find_game(game).changed_options(edition, record["options"]))


def translate_ladder_title(title: str) -> str:
    """Return a ladder's title with the edition in the reader's language; games keep their names."""
    clock = next((key for key, ending in TITLE_ENDINGS.items() if ending and title.endswith(ending)), "")
    game, comma, edition = title.removesuffix(TITLE_ENDINGS[clock]).partition(", ")
    words = f"{game}{comma}{gettext(edition)}" if edition else game
    return f"{words}: {name_clock(clock)}" if clock else words


CLOCK_NAMES = {"open": gettext_lazy("open ladder"), "slow": gettext_lazy("slow open ladder")}
"""Names of open ladders, by clock."""


def name_clock(clock: str) -> str:
    """Return what an open ladder is called, by its clock; empty for another ladder."""
    return str(CLOCK_NAMES.get(clock, ""))


def name_ladder(ladder: Ladder) -> str:
    """Return the edition of a ladder; of an open one with what it is called."""
    edition = gettext(ladder.edition_name)
    return f"{edition}, {name_clock(ladder.clock)}" if ladder.clock else edition


def find_language_title(key: str) -> str:
    """Return the title of a programming language, or its key if it is not supported any more."""
    if key == REMOTE_LANGUAGE:
        return gettext("Remote")
    return gettext(LANGUAGES[key].title) if key in LANGUAGES else key


def format_json(value: Any) -> str:
    """Return JSON with indentation."""
    return json.dumps(value, indent=1, ensure_ascii=False)


def split_code(text: str) -> list[tuple[str, bool]]:
    """Split a text at its backticks into parts, each with whether it is program text."""
    return [(part, bool(index % 2)) for index, part in enumerate(text.split("`")) if part]


# The appearance of each value of an enumeration: its label, the tone of its chip and its icon.


@dataclass(frozen=True, slots=True)
class Appearance:
    """A chip: `templates/parts/chip.html` draws it."""

    tone: str
    """A class of chips in the style sheet: plain, info, good, warn or bad."""
    icon: str
    """A name in the sheet of icons."""
    label: str | Promise


MATCH_STATES: dict[str, Appearance] = {
    Match.State.QUEUED: Appearance("plain", "dots", gettext_lazy("Queued")),
    Match.State.RUNNING: Appearance("info", "play", gettext_lazy("Running")),
    Match.State.FINISHED: Appearance("plain", "ok", gettext_lazy("Finished")),
    Match.State.VOID: Appearance("warn", "ban", gettext_lazy("No result")),
    CANCELLED: Appearance("plain", "ban", gettext_lazy("Cancelled")),
}
TWO_PLAYER_RESULTS = {
    "won": Appearance("good", "won", gettext_lazy("Won")),
    "lost": Appearance("bad", "no", gettext_lazy("Lost")),
    "drawn": Appearance("plain", "dash", gettext_lazy("Drawn")),
}
FAULT_APPEARANCES = {
    Verdict.ILLEGAL: Appearance("bad", "ban", gettext_lazy("illegal action")),
    Verdict.MALFORMED: Appearance("bad", "ban", gettext_lazy("invalid answer")),
    Verdict.TIMEOUT: Appearance("bad", "clock", gettext_lazy("timed out")),
    Verdict.CRASH: Appearance("bad", "crash", gettext_lazy("crashed")),
    Verdict.MEMORY: Appearance("bad", "crash", gettext_lazy("out of memory")),
    Verdict.OUTPUT: Appearance("bad", "crash", gettext_lazy("wrote too much")),
    Verdict.START: Appearance("bad", "crash", gettext_lazy("didn't start")),
}
VERSION_STATES: dict[str, Appearance] = {
    BotVersion.State.BUILDING: Appearance("info", "dots", gettext_lazy("Building")),
    BotVersion.State.ON_TRIAL: Appearance("info", "dots", gettext_lazy("On trial")),
    BotVersion.State.ACCEPTED: Appearance("good", "ok", gettext_lazy("Accepted")),
    BotVersion.State.REJECTED: Appearance("bad", "no", gettext_lazy("Rejected")),
    "on_hold": Appearance("plain", "pause", gettext_lazy("On hold")),
}
"""The states of a version; "on_hold" is an accepted one that its owner keeps off the ladders."""
ENTRY_STATES = {
    Entry.State.ACTIVE: Appearance("good", "ok", gettext_lazy("Playing")),
    Entry.State.SUSPENDED: Appearance("warn", "pause", gettext_lazy("Paused")),
    Entry.State.RETIRED: Appearance("plain", "dash", gettext_lazy("Retired")),
}
MISSING_GAME = Appearance("plain", "pause", gettext_lazy("Not installed"))
"""Whatever belongs to a game whose package is not there."""
SETTLING_IN = Appearance("info", "dots", gettext_lazy("Provisional"))
"""An active entry whose rating is not yet known well enough for a rank."""
COMPARISON_STATES = {
    Comparison.State.RUNNING: Appearance("info", "clock", gettext_lazy("running")),
    Comparison.State.BETTER: Appearance("good", "ok", gettext_lazy("better")),
    Comparison.State.NOT_BETTER: Appearance("bad", "no", gettext_lazy("not better")),
    Comparison.State.UNDECIDED: Appearance("plain", "dash", gettext_lazy("undecided")),
    Comparison.State.STOPPED: Appearance("plain", "pause", gettext_lazy("stopped")),
}
GUARD_COMPARISON_STATES = COMPARISON_STATES | {
    Comparison.State.BETTER: Appearance("good", "ok", gettext_lazy("no worse")),
    Comparison.State.NOT_BETTER: Appearance("bad", "no", gettext_lazy("worse")),
}
"""The states of a comparison that asks whether a version is any worse."""
TOURNAMENT_STATES = {
    Tournament.State.DRAFT: Appearance("plain", "lock", gettext_lazy("draft")),
    Tournament.State.OPEN: Appearance("good", "ok", gettext_lazy("open for entries")),
    Tournament.State.CHECKING: Appearance("info", "clock", gettext_lazy("checking")),
    Tournament.State.RUNNING: Appearance("info", "play", gettext_lazy("running")),
    Tournament.State.PAUSED: Appearance("warn", "pause", gettext_lazy("paused")),
    Tournament.State.FINISHED: Appearance("plain", "won", gettext_lazy("finished")),
    Tournament.State.CANCELLED: Appearance("bad", "ban", gettext_lazy("cancelled")),
}
ENTRANT_STATES = {
    Entrant.State.WAITING: Appearance("warn", "clock", gettext_lazy("awaiting approval")),
    Entrant.State.ON_TRIAL: Appearance("info", "clock", gettext_lazy("awaiting trial")),
    Entrant.State.CHECKING: Appearance("info", "dots", gettext_lazy("checking")),
    Entrant.State.READY: Appearance("good", "ok", gettext_lazy("ready")),
    Entrant.State.FAILED: Appearance("bad", "no", gettext_lazy("failed its check")),
    Entrant.State.WITHDRAWN: Appearance("plain", "dash", gettext_lazy("withdrawn")),
    Entrant.State.DISQUALIFIED: Appearance("bad", "ban", gettext_lazy("disqualified")),
}
DELIVERY_STATES = {
    Delivery.State.WAITING: Appearance("plain", "dots", gettext_lazy("waiting")),
    Delivery.State.DELIVERED: Appearance("good", "ok", gettext_lazy("delivered")),
    Delivery.State.GAVE_UP: Appearance("bad", "no", gettext_lazy("gave up")),
}
GROUP_ROLES: dict[str, Appearance] = {
    Membership.Role.OWNER: Appearance("good", "shield", gettext_lazy("owner")),
    Membership.Role.CO_ORGANISER: Appearance("info", "ok", gettext_lazy("co-organiser")),
    Membership.Role.MEMBER: Appearance("plain", "dots", gettext_lazy("member")),
}
"""The roles in a group."""
APPEARANCES_BY_KIND: dict[str, dict[Any, Appearance]] = {
    "match": MATCH_STATES,
    "fault": FAULT_APPEARANCES,
    "version": VERSION_STATES,
    "tournament": TOURNAMENT_STATES,
    "entrant": ENTRANT_STATES,
    "delivery": DELIVERY_STATES,
    "group_role": GROUP_ROLES,
}
"""The tables that a template names: `{% state_chip "match" match.state %}`."""


def find_entrant_appearance(entrant: Entrant) -> Appearance:
    """Return how the state of an entrant looks: of one that failed, by what stopped it."""
    if entrant.state == Entrant.State.FAILED and entrant.version.state == BotVersion.State.REJECTED:
        return Appearance("bad", "no", gettext_lazy("failed its trial"))
    if entrant.state == Entrant.State.FAILED and entrant.skipped_version == entrant.version.number:
        return Appearance("warn", "dash", gettext_lazy("left out"))
    return ENTRANT_STATES[Entrant.State(entrant.state)]


def find_entry_appearance(entry: Entry) -> Appearance:
    """Return how the state of an entry looks; an active one without a rank is settling in."""
    if entry.is_active and not entry.is_ranked:
        return SETTLING_IN
    return ENTRY_STATES[Entry.State(entry.state)]


def find_comparison_appearance(comparison: Comparison) -> Appearance:
    """Return how the state of a comparison looks."""
    table = GUARD_COMPARISON_STATES if comparison.is_guard else COMPARISON_STATES
    return table[Comparison.State(comparison.state)]


# Mark the engine's English names, which pages translate, for the catalogue. No code reads them.

FORMATION_NAMES = (
    gettext_noop("Wedge"),
    gettext_noop("Phalanx"),
    gettext_noop("Battalion"),
    gettext_noop("Skirmish"),
    gettext_noop("Host"),
    gettext_noop("Square"),
    gettext_noop("Column"),
    gettext_noop("Fray"),
    gettext_noop("Straight flush"),
    gettext_noop("Three of a kind"),
    gettext_noop("Flush"),
    gettext_noop("Straight"),
    gettext_noop("Sum"),
)
TACTIC_NAMES = (
    gettext_noop("Alexander"),
    gettext_noop("Darius"),
    gettext_noop("Companion Cavalry"),
    gettext_noop("Shield Bearers"),
    gettext_noop("Fog"),
    gettext_noop("Mud"),
    gettext_noop("Scout"),
    gettext_noop("Redeploy"),
    gettext_noop("Deserter"),
    gettext_noop("Traitor"),
    gettext_noop("King of England"),
    gettext_noop("King of France"),
    gettext_noop("Mercenary Cavalry"),
    gettext_noop("Support Troops"),
    gettext_noop("King (leader)"),
    gettext_noop("Queen (cavalry)"),
    gettext_noop("Queen (shields)"),
    gettext_noop("King (fog)"),
    gettext_noop("King (mud)"),
    gettext_noop("Jack (scout)"),
    gettext_noop("Jack (redeploy)"),
    gettext_noop("Jack (deserter)"),
    gettext_noop("Jack (traitor)"),
)
SUIT_NAMES = (
    gettext_noop("red"),
    gettext_noop("orange"),
    gettext_noop("yellow"),
    gettext_noop("green"),
    gettext_noop("blue"),
    gettext_noop("purple"),
    gettext_noop("spades"),
    gettext_noop("hearts"),
    gettext_noop("diamonds"),
    gettext_noop("clubs"),
)
SEAT_NAMES = (gettext_noop("South"), gettext_noop("North"), gettext_noop("England"), gettext_noop("France"))
TILE_NAMES_AND_EFFECTS = (
    gettext_noop("Castle"),
    gettext_noop("%(seat_0)s needs one extra card; the highest is ignored"),
    gettext_noop("Marshes"),
    gettext_noop("the other side loses a troop"),
    gettext_noop("River"),
    gettext_noop("four cards"),
    gettext_noop("Watchtower"),
    gettext_noop("removes an adjacent troop"),
    gettext_noop("Town"),
    gettext_noop("counts as two flags, adjacent to none"),
    gettext_noop("Fields"),
    gettext_noop("three troops drawn"),
    gettext_noop("Fortress"),
    gettext_noop("%(seat_1)s needs one extra card; the highest is ignored"),
    gettext_noop("Hills"),
    gettext_noop("the lower sum wins"),
    gettext_noop("Woodland"),
    gettext_noop("total only"),
)
EDITION_TITLES = (
    gettext_noop("Standard"),
    gettext_noop("Advanced"),
    gettext_noop("Playing cards, short"),
    gettext_noop("Playing cards, long"),
    gettext_noop("Medieval"),
    gettext_noop("Medieval with terrain"),
    gettext_noop("Hundred Years' War"),
    gettext_noop("Highlands"),
)
BATTALION_FORMATION_NAMES = (
    pgettext_lazy("named formation", "Phalanx"),
    pgettext_lazy("named formation", "Square"),
    pgettext_lazy("named formation", "Shield"),
    pgettext_lazy("named formation", "Wedge"),
    pgettext_lazy("named formation", "Funnel"),
    pgettext_lazy("named formation", "Arrow"),
    pgettext_lazy("named formation", "Hexagon"),
    pgettext_lazy("named formation", "Cross"),
    pgettext_lazy("named formation", "Hourglass"),
    pgettext_lazy("named formation", "Horns"),
    pgettext_lazy("named formation", "Bridge"),
    pgettext_lazy("named formation", "Box"),
    pgettext_lazy("named formation", "Column"),
    pgettext_lazy("named formation", "Line"),
)


# Describe a comparison: its estimate, its results, and the meaning of its state.

NEARLY_CERTAIN = 0.995
"""A larger probability would be rounded to 100 %."""
POINTS_IN_WORDS = ("0", "½", "1", "1½", "2")


@dataclass(frozen=True, slots=True)
class ComparedResult:
    """A result and its frequency."""

    name: str
    units: int
    share: float | None
    """Its number divided by that of the most frequent result; None where there are too few for bars."""


def describe_estimate(estimate: Estimate | None) -> dict[str, str]:
    """Return the numbers of an estimate as text, and the Elo with half of its interval."""
    if estimate is None:
        return {}
    numbers = {"elo": estimate.elo, "low": estimate.low, "high": estimate.high}
    words = {name: format_signed(number) for name, number in numbers.items()}
    return {
        **words,
        "short": f"{words['elo']} ± {estimate.margin_95:.0f}",
        "chance": format_probability(estimate.likelihood),
    }


def describe_other_reading(comparison: Comparison) -> dict[str, Any]:
    """Return the figures of an adjusted comparison that don't decide; nothing where there is no adjustment."""
    if comparison.value_function is None:
        return {}
    other = (comparison.llr, comparison.estimate)
    if comparison.adjustment_suspended:
        other = (comparison.adjusted_llr, comparison.adjusted_estimate)
    ratio, estimate = other
    return {"llr": format_signed(ratio, 2), "estimate": describe_estimate(estimate)}


def format_probability(share: float) -> str:
    """Return a probability in percent, never as certain."""
    if share >= NEARLY_CERTAIN:
        return _("over 99%")
    return _("under 1%") if share <= 1 - NEARLY_CERTAIN else format_percent(share)


def list_compared_results(comparison: Comparison) -> list[ComparedResult]:
    """List how often each result came, best first, without odd results that never came."""
    middle = len(comparison.result_counts) // 2
    most = max([*comparison.result_counts, 1])
    is_drawn = sum(comparison.result_counts) >= MIN_CASES_OF_BAR
    return [
        ComparedResult(name_compared_result(comparison, index, middle), units, units / most if is_drawn else None)
        for index, units in reversed(list(enumerate(comparison.result_counts)))
        if units or index % 2 == 0
    ]


def name_compared_result(comparison: Comparison, index: int, middle: int) -> str:
    """Return the points of a pair; in a field, how many more the version made than the baseline."""
    if not comparison.is_field:
        return f"{POINTS_IN_WORDS[index]}–{POINTS_IN_WORDS[-1 - index]}"
    away = index - middle
    return "±0" if not away else f"{'+' if away > 0 else '−'}{POINTS_IN_WORDS[abs(away)]}"


def describe_comparison_state(comparison: Comparison) -> str:
    """Return what the state of a comparison means."""
    match comparison.state:
        case Comparison.State.RUNNING:
            return describe_comparison_progress(comparison)
        case Comparison.State.BETTER:
            sentence = _("A version at %(elo0)s Elo gets this answer at most %(errors)s of the time.")
        case Comparison.State.NOT_BETTER:
            sentence = _(
                "A version at %(elo1)s Elo gets this answer at most %(errors)s of the time. A smaller "
                "improvement is still possible."
            )
        case Comparison.State.STOPPED:
            return _("Stopped by its owner before a decision.")
        case _other:
            return ""
    return sentence % {"errors": format_percent(ERROR_RATE), **format_gauge_bounds(comparison)}


def describe_comparison_progress(comparison: Comparison) -> str:
    """Return how far a running comparison is from its answer."""
    if comparison.pairs < MIN_PAIRS:
        left = MIN_PAIRS - comparison.pairs
        return ngettext(
            "At least %(least)s pairs needed: %(left)s more to go.",
            "At least %(least)s pairs needed: %(left)s more to go.",
            left,
        ) % {"least": MIN_PAIRS, "left": left}
    words = {
        "times": floatformat(exp(abs(comparison.deciding_llr)), 1),
        "enough": f"{exp(LLR_BOUND):.0f}",
        **format_gauge_bounds(comparison),
    }
    if comparison.deciding_llr >= 0:
        sentence = _(
            "So far, the results are %(times)s times as likely at %(elo1)s Elo as at %(elo0)s Elo. At "
            "%(enough)s times, the answer is yes."
        )
    else:
        sentence = _(
            "So far, the results are %(times)s times as likely at %(elo0)s Elo as at %(elo1)s Elo. At "
            "%(enough)s times, the answer is no."
        )
    return sentence % words


def format_gauge_bounds(comparison: Comparison) -> dict[str, str]:
    """Return the bounds of a comparison as text."""
    return {"elo0": format_signed(comparison.elo0), "elo1": format_signed(comparison.elo1)}


def format_signed(number: float, digits: int = 0) -> str:
    """Return a number with its sign, a real minus or a plus; 0 without one."""
    rounded = round(number, digits)
    size = number_format(abs(rounded), digits)
    return size if not rounded else f"{'+' if rounded > 0 else '−'}{size}"


# Write CSV that spreadsheets read as it is meant.

CSV_START = "\ufeff"
"""The mark without which Excel takes UTF-8 for an old encoding."""


def escape_spreadsheet_formula(value: object) -> object:
    """Return the value, quoted if a spreadsheet would take it for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in tuple("=+-@") else value


# Show what people announce: plain text, in which addresses are links.

WEB_ADDRESS = re.compile(r"""(https?://[^\s<>"'()]*[^\s<>"'().,:;!?])""")


def split_links(text: str) -> list[tuple[str, bool]]:
    """Return plain text in parts, each with whether it is the address of a web page."""
    return [(part, number % 2 == 1) for number, part in enumerate(WEB_ADDRESS.split(text)) if part]
