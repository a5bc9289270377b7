"""What needs an organiser, as rows with what can be done about each: the most urgent first."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.accounts.models import User
from arena.bots.models import Bot
from arena.messages import render_message
from arena.pages.appearance import FAULT_APPEARANCES, Appearance
from arena.pages.real_names import Author, RealNames
from arena.pages.tournaments.words import list_names, render_reason
from arena.runner.verdict import Verdict
from arena.tournaments.models import Round, Tournament
from arena.tournaments.queries.attention import (
    FailedCheck,
    StuckMatch,
    is_any_worker_able,
    list_failed_checks,
    list_missing_authors,
    list_stuck_matches,
    list_waiting_entrants,
)

State = Tournament.State
MAX_NAMES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Step:
    """A button or link of a row."""

    label: str
    address: str
    is_post: bool = False
    """Whether it acts at once; otherwise it leads to another page, or to a form on this one."""


@dataclass(frozen=True, slots=True)
class Item:
    """Something that needs the organiser."""

    tone: str
    icon: str
    title: str
    cause: str
    steps: Sequence[Step] = ()
    bot: Bot | None = None
    author: User | None = None
    chip: Appearance | None = None
    log: str = ""
    """The end of what the bot wrote to its log."""


def list_attention(tournament: Tournament, round: Round | None, names: RealNames) -> list[Item]:
    """Return what needs an organiser now, with the real names that the organiser may see."""
    if tournament.is_over or tournament.state == State.DRAFT:
        return []
    items = _list_pauses(tournament) + _list_machines(tournament)
    if tournament.state in (State.RUNNING, State.PAUSED) and round is not None and round.finished_at is None:
        items += [_describe_stuck(tournament, one) for one in list_stuck_matches(tournament, round)]
    if not tournament.has_started:
        items += _list_waiting(tournament)
        items += [_describe_failed(tournament, one) for one in list_failed_checks(tournament)]
    if tournament.state == State.OPEN:
        items += _list_missing(tournament, names)
    return items


def _list_pauses(tournament: Tournament) -> list[Item]:
    if tournament.state != State.PAUSED:
        return []
    steps, reason = [], render_reason(tournament.state_reason)
    if not tournament.has_started:
        steps = [Step(_("Open entries again"), reverse("open_tournament", args=[tournament.slug]), is_post=True)]
        reason = f"{reason} {_('Bots can enter again, without a deadline; close entries yourself.')}"
    return [Item("warn", "pause", _("The tournament is paused"), reason, steps)]


def _list_machines(tournament: Tournament) -> list[Item]:
    if is_any_worker_able():
        return []
    cause = _("Nothing is played or checked until a worker reports that it takes matches.")
    return [Item("bad", "no", _("No machine plays matches now"), cause, [Step(_("See the queue"), reverse("queue"))])]


def _list_waiting(tournament: Tournament) -> list[Item]:
    return [
        Item(
            "info",
            "clock",
            entrant.bot.name,
            _("It waits for your approval before its check."),
            [
                Step(_("Approve"), reverse("approve_entrant", args=[tournament.slug, entrant.pk]), is_post=True),
                Step(_("Refuse"), f"#entrant-{entrant.pk}"),
            ],
            bot=entrant.bot,
            author=entrant.bot.owner,
        )
        for entrant in list_waiting_entrants(tournament)
    ]


def _describe_failed(tournament: Tournament, failed: FailedCheck) -> Item:
    entrant, seat = failed.entrant, failed.seat
    steps = [Step(_("View check match"), reverse("match", args=[failed.match]))] if failed.match else []
    steps.append(Step(_("Withdraw"), f"#entrant-{entrant.pk}"))
    detail = render_message(entrant.state_detail) if entrant.state_detail else ""
    return Item(
        "bad",
        "crash",
        _("%(bot)s, version %(number)s") % {"bot": entrant.bot.name, "number": entrant.version.number},
        f"{render_reason(entrant.state_reason)} {capfirst(detail)}".strip(),
        steps,
        bot=entrant.bot,
        author=entrant.bot.owner,
        chip=FAULT_APPEARANCES[Verdict(seat.verdict)] if seat else None,
        log=seat.stderr if seat else "",
    )


def _describe_stuck(tournament: Tournament, stuck: StuckMatch) -> Item:
    board, match = stuck.row.pairing.board, stuck.row.match_id
    if stuck.is_unplayable:
        cause = _("No worker here has both the languages of its bots and a sandbox that suffices for them.")
    elif stuck.since is not None:
        cause = _("It takes much longer than the others. If its machine is gone, it is played again by itself.")
    else:
        cause = _("The arena failed to play it and tries again.")
    if stuck.error is not None:
        cause = f"{cause} {render_message(stuck.error)}"
    steps = [Step(_("See the match"), reverse("match", args=[match])), Step(_("Decide"), f"#board-{board}")]
    return Item("warn", "clock", stuck.names, cause, steps)


def _list_missing(tournament: Tournament, names: RealNames) -> list[Item]:
    missing = list_missing_authors(tournament)
    if not missing:
        return []
    count = len(missing)
    title = ngettext("%(count)d author has no bot yet", "%(count)d authors have no bot yet", count) % {"count": count}
    people = [str(Author(user.username, names.get(user.pk, ""))) for user in missing[:MAX_NAMES_SHOWN]]
    if count > MAX_NAMES_SHOWN:
        more = count - MAX_NAMES_SHOWN
        people.append(ngettext("%(count)d more", "%(count)d more", more) % {"count": more})
    step = Step(_("Remind"), reverse("remind_authors", args=[tournament.slug]), is_post=True)
    return [Item("info", "dots", title, list_names(people), [step])]
