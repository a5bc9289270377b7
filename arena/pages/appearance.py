"""The appearance of each value of an enumeration: its label, the tone of its chip and its icon."""

from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from arena.bots.models import BotVersion
from arena.comparisons.models import Comparison
from arena.groups.models import Membership
from arena.ladders.models import Entry
from arena.matches.models import CANCELLED, Match
from arena.notices.models import Delivery
from arena.runner.verdict import Verdict
from arena.tournaments.models import Entrant, Tournament


@dataclass(frozen=True, slots=True)
class Appearance:
    """A chip: `templates/parts/chip.html` draws it."""

    tone: str
    """A class of chips in the style sheet: plain, info, good, warn or bad."""
    icon: str
    """A name in the sheet of icons."""
    label: str | Promise


MATCH_STATES: dict[str, Appearance] = {
    Match.State.QUEUED: Appearance("plain", "dots", _("Waiting")),
    Match.State.RUNNING: Appearance("info", "play", _("Running")),
    Match.State.FINISHED: Appearance("plain", "ok", _("Finished")),
    Match.State.VOID: Appearance("warn", "ban", _("No result")),
    CANCELLED: Appearance("plain", "ban", _("Cancelled")),
}
TWO_PLAYER_RESULTS = {
    "won": Appearance("good", "won", _("Won")),
    "lost": Appearance("bad", "no", _("Lost")),
    "drawn": Appearance("plain", "dash", _("Drawn")),
}
FAULT_APPEARANCES = {
    Verdict.ILLEGAL: Appearance("bad", "ban", _("illegal action")),
    Verdict.MALFORMED: Appearance("bad", "ban", _("unreadable answer")),
    Verdict.TIMEOUT: Appearance("bad", "clock", _("timed out")),
    Verdict.CRASH: Appearance("bad", "crash", _("crashed")),
    Verdict.MEMORY: Appearance("bad", "crash", _("out of memory")),
    Verdict.OUTPUT: Appearance("bad", "crash", _("wrote too much")),
    Verdict.START: Appearance("bad", "crash", _("did not start")),
}
VERSION_STATES: dict[str, Appearance] = {
    BotVersion.State.BUILDING: Appearance("info", "dots", _("Being built")),
    BotVersion.State.ON_TRIAL: Appearance("info", "dots", _("On trial")),
    BotVersion.State.ACCEPTED: Appearance("good", "ok", _("Accepted")),
    BotVersion.State.REJECTED: Appearance("bad", "no", _("Rejected")),
    "on_hold": Appearance("plain", "pause", _("Held back")),
}
"""The states of a version; "on_hold" is an accepted one that its owner keeps off the ladders."""
ENTRY_STATES = {
    Entry.State.ACTIVE: Appearance("good", "ok", _("Playing")),
    Entry.State.SUSPENDED: Appearance("warn", "pause", _("Paused")),
    Entry.State.RETIRED: Appearance("plain", "dash", _("Retired")),
}
MISSING_GAME = Appearance("plain", "pause", _("Not installed"))
"""Whatever belongs to a game whose package is not there."""
SETTLING_IN = Appearance("info", "dots", _("Settling in"))
"""An active entry whose rating is not yet known well enough for a rank."""
COMPARISON_STATES = {
    Comparison.State.RUNNING: Appearance("info", "clock", _("running")),
    Comparison.State.BETTER: Appearance("good", "ok", _("better")),
    Comparison.State.NOT_BETTER: Appearance("bad", "no", _("not better")),
    Comparison.State.UNDECIDED: Appearance("plain", "dash", _("undecided")),
    Comparison.State.STOPPED: Appearance("plain", "pause", _("stopped")),
}
GUARD_COMPARISON_STATES = COMPARISON_STATES | {
    Comparison.State.BETTER: Appearance("good", "ok", _("no worse")),
    Comparison.State.NOT_BETTER: Appearance("bad", "no", _("worse")),
}
"""The states of a comparison that asks whether a version is any worse."""
TOURNAMENT_STATES = {
    Tournament.State.DRAFT: Appearance("plain", "lock", _("draft")),
    Tournament.State.OPEN: Appearance("good", "ok", _("open for entries")),
    Tournament.State.CHECKING: Appearance("info", "clock", _("being checked")),
    Tournament.State.RUNNING: Appearance("info", "play", _("running")),
    Tournament.State.PAUSED: Appearance("warn", "pause", _("paused")),
    Tournament.State.FINISHED: Appearance("plain", "won", _("finished")),
    Tournament.State.CANCELLED: Appearance("bad", "ban", _("cancelled")),
}
ENTRANT_STATES = {
    Entrant.State.WAITING: Appearance("warn", "clock", _("waits for approval")),
    Entrant.State.CHECKING: Appearance("info", "dots", _("being checked")),
    Entrant.State.READY: Appearance("good", "ok", _("ready")),
    Entrant.State.FAILED: Appearance("bad", "no", _("failed its check")),
    Entrant.State.WITHDRAWN: Appearance("plain", "dash", _("withdrawn")),
    Entrant.State.DISQUALIFIED: Appearance("bad", "ban", _("disqualified")),
}
DELIVERY_STATES = {
    Delivery.State.WAITING: Appearance("plain", "dots", _("waiting")),
    Delivery.State.DELIVERED: Appearance("good", "ok", _("delivered")),
    Delivery.State.GAVE_UP: Appearance("bad", "no", _("given up")),
}
GROUP_ROLES: dict[str, Appearance] = {
    Membership.Role.OWNER: Appearance("good", "shield", _("owner")),
    Membership.Role.CO_ORGANISER: Appearance("info", "ok", _("co-organiser")),
    Membership.Role.MEMBER: Appearance("plain", "dots", _("member")),
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


def find_entry_appearance(entry: Entry) -> Appearance:
    """Return how the state of an entry looks; an active one without a rank is settling in."""
    if entry.is_active and not entry.is_ranked:
        return SETTLING_IN
    return ENTRY_STATES[Entry.State(entry.state)]


def find_comparison_appearance(comparison: Comparison) -> Appearance:
    """Return how the state of a comparison looks."""
    table = GUARD_COMPARISON_STATES if comparison.is_guard else COMPARISON_STATES
    return table[Comparison.State(comparison.state)]
