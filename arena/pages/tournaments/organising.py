"""What organisers do: plan a tournament, decide pairings, rehearse, and see at the desk what needs a hand."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.views.decorators.http import require_POST

from arena.bots.models import Bot, BotVersion
from arena.bots.queries import find_typed_bot
from arena.contests.comparisons.services import list_matches_with_deal_in_play
from arena.contests.tournaments.models import Entrant, Round, Tournament
from arena.contests.tournaments.overview import (
    MAX_ITEMS_PER_KIND,
    FailedCheck,
    Overview,
    PairingOverview,
    StuckMatch,
    fetch_boards,
    fetch_matches,
    is_any_worker_able,
    list_failed_checks,
    list_missing_authors,
    list_stuck_matches,
    list_waiting_entrants,
)
from arena.contests.tournaments.phases import count_expected_entrants, name_phases
from arena.contests.tournaments.queries import (
    AbsentBot,
    find_rehearsal,
    list_absent_bots,
    list_acts,
    list_awaited_versions,
    list_co_organisers,
    list_counted_rounds,
    list_enterable_bots,
    list_entrant_keys,
    list_entrants,
    list_faulty_seats,
    list_invitations,
)
from arena.contests.tournaments.services import entering, organising
from arena.contests.tournaments.services.access import (
    NOT_AN_ORGANISER,
    Access,
    EntryRule,
    Visibility,
    add_co_organiser,
    is_chief_organiser,
    is_organiser,
    may_organise,
    remove_co_organiser,
)
from arena.contests.tournaments.services.entering import CHANGEABLE_STATES
from arena.contests.tournaments.services.forecasting import estimate_time_left
from arena.contests.tournaments.services.organising import TournamentPlan, build_plan, list_seed_sources
from arena.contests.tournaments.services.playing import DecidedOutcome, PairingDecision, decide_pairing, undo_decision
from arena.contests.tournaments.services.trials import leave_out_trials
from arena.core.errors import ArenaError
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, ngettext, render_message
from arena.matches.models import LegSeat
from arena.operations.upkeep import ask_missing_authors, end_rehearsal, rehearse
from arena.pages.formatting import (
    FAULT_APPEARANCES,
    TOURNAMENT_STATES,
    Appearance,
    find_entrant_appearance,
    format_moment,
)
from arena.pages.serving import (
    HtmxRequest,
    KnownAuthor,
    RealNames,
    fetch_shown_names,
    find_shown_group,
    refusal_as_message,
    render_live,
    signed_in_reader,
    tournament_or_404,
)
from arena.pages.tournaments.forms import (
    EntrantLine,
    TournamentForm,
    count_entrants,
    describe_entry,
    read_entrant_lines,
    read_reason,
)
from arena.pages.tournaments.rounds import build_pairing_row
from arena.pages.tournaments.words import (
    PHASE_NAMES,
    describe_audience,
    describe_planned_rounds,
    explain_planned_rounds,
    format_name,
    list_names,
    render_reason,
)
from arena.people.accounts.models import User
from arena.people.groups.models import format_code
from arena.people.groups.services import find_organised_group
from arena.runner.program import Verdict
from engine.message import gettext_noop, message

# The organiser's pages: create, edit and manage a tournament.

State = Tournament.State
NOT_YOURS = gettext_lazy(
    "Only this tournament's organiser can do that. If that's you, sign in with the account that created it."
)


def refuse_organising(request: HttpRequest, sentence: object) -> HttpResponse:
    """Return a page with status 403 and a reason."""
    return render(request, "tournaments/organise_refused.html", {"sentence": sentence}, status=403)


@login_required
def new_tournament(request: HttpRequest) -> HttpResponse:
    """Create a tournament; with `copy` in the address, the form is filled in as another one was planned."""
    if not may_organise(request.user):
        return refuse_organising(request, _(NOT_AN_ORGANISER))
    organiser, slug = signed_in_reader(request), request.GET.get("copy", "")
    copied = tournament_or_404(request, slug) if slug else None
    form = TournamentForm(organiser, suggest_plan(request, organiser, copied), request.POST or None)
    if copied is not None and is_organiser(copied, organiser):
        form.offer_invitations(copied.title)

    def save() -> Tournament:
        made = organising.create(organiser=organiser, plan=form.build_plan())
        if copied is not None and form.cleaned_data.get("invites_entrants"):
            entering.invite_entrants(tournament=made, organiser=organiser, source=copied)
        return made

    return process_tournament_form(request, form, {}, save)


def suggest_plan(request: HttpRequest, organiser: User, copied: Tournament | None) -> TournamentPlan | None:
    """Return the plan that a new tournament's form begins with: a copy, one for a group, or none."""
    if copied is not None:
        plan = replace(build_plan(copied), entries_close_at=None)
        return plan if is_organiser(copied, organiser) else replace(plan, access=Access())
    if group := find_organised_group(organiser, request.GET.get("group", "")):
        return TournamentPlan(title="", game="", edition="", access=Access(group, Visibility.GROUP, EntryRule.GROUP))
    return None


@login_required
def edit_tournament(request: HttpRequest, slug: str) -> HttpResponse:
    """Change the plan of a tournament that has not started."""
    tournament = tournament_or_404(request, slug)
    if not is_organiser(tournament, request.user):
        return refuse_organising(request, NOT_YOURS)
    form = TournamentForm(signed_in_reader(request), build_plan(tournament), request.POST or None)

    def save() -> Tournament:
        organiser, plan, reason = signed_in_reader(request), form.build_plan(), read_reason(request)
        return organising.edit(tournament=tournament, organiser=organiser, plan=plan, reason=reason)

    context = {"tournament": tournament, "is_recorded": tournament.state != State.DRAFT, "reason": read_reason(request)}
    return process_tournament_form(request, form, context, save)


def process_tournament_form(
    request: HttpRequest, form: TournamentForm, context: dict[str, Any], save: Callable[[], Tournament]
) -> HttpResponse:
    """Show the form, or save its data and return to the organiser's page."""
    if request.method == "POST" and form.is_valid():
        try:
            saved = save()
        except ArenaError as error:
            form.add_refusal(error)
        else:
            messages.success(request, _("Tournament saved."))
            return redirect("organise_tournament", saved.slug)
    return render(request, "tournaments/form.html", {**context, "form": form}, status=400 if form.errors else 200)


View = Callable[..., HttpResponse]
OrganiserAct = Callable[..., str]
"""A function that changes a tournament and returns a message. It may raise ArenaError."""


def organiser_action(act: OrganiserAct) -> View:
    """Make a view of an action: only the organiser may call it, and its message is shown on the organiser's page."""

    @require_POST
    @login_required
    @wraps(act)
    def view(request: HttpRequest, slug: str, **more: Any) -> HttpResponse:
        tournament = tournament_or_404(request, slug)
        if not is_organiser(tournament, request.user):
            return refuse_organising(request, NOT_YOURS)
        with refusal_as_message(request):
            done = act(request, tournament, **more)
            messages.success(request, done)
        return redirect(f"{reverse('organise_tournament', args=[slug])}{find_place(more)}")

    return view


def find_place(where: Mapping[str, Any]) -> str:
    """Return the end of the desk's address after an act: a decision leads back to the pairings of its round."""
    return f"?decide={where['number']}#pairings" if "board" in where else ""


def build_view(service: Callable[..., object], done: str | Promise, **fields: Callable[[HttpRequest], Any]) -> View:
    """Make the view of an act from its service, the message afterwards, and what reads the fields that are sent.

    The service and the message get what stands in the address, too.
    """

    def act(request: HttpRequest, tournament: Tournament, **where: Any) -> str:
        sent = {name: read(request) for name, read in fields.items()}
        service(tournament=tournament, organiser=signed_in_reader(request), **where, **sent)
        return str(done) % where

    return organiser_action(act)


WIN_PREFIX = "win:"
"""Before the slug of the bot that wins, in the value of a choice."""


def read_decision(request: HttpRequest) -> PairingDecision:
    """Return what was chosen and why. Raise ArenaError where nothing was."""
    chosen, reason = request.POST.get("outcome", ""), read_reason(request)
    if chosen.startswith(WIN_PREFIX):
        return PairingDecision(DecidedOutcome.WIN, reason, chosen.removeprefix(WIN_PREFIX))
    if chosen not in (DecidedOutcome.EVEN, DecidedOutcome.LOST):
        raise ArenaError(message(gettext_noop("Choose a result for the pairing.")))
    return PairingDecision(DecidedOutcome(chosen), reason)


open_entries = build_view(organising.open_entries, gettext_lazy("Entries are open."))
close_entries = build_view(
    organising.close_entries, gettext_lazy("Entries are closed. The tournament starts once all checks are done.")
)
pause_tournament = build_view(
    organising.pause,
    gettext_lazy("Tournament paused. Running matches will finish."),
    reason=read_reason,
)
resume_tournament = build_view(organising.resume, gettext_lazy("Tournament resumed."))
cancel_tournament = build_view(organising.cancel, gettext_lazy("Tournament cancelled."), reason=read_reason)
replay_one_round = build_view(
    organising.replay_rounds, gettext_lazy("Round %(number)s is being replayed."), reason=read_reason
)
leave_out_waiting = build_view(
    leave_out_trials,
    gettext_lazy("The tournament no longer waits for trials before it starts. Authors have been notified."),
    reason=read_reason,
)
renew_entry_code = build_view(entering.renew_entry_code, gettext_lazy("New code created. The old one no longer works."))
publish_own_tournament = build_view(entering.publish, gettext_lazy("The tournament is now public."))
decide_one = build_view(
    decide_pairing,
    gettext_lazy("Board %(board)s is decided. Its authors have been notified."),
    decision=read_decision,
)
undo_one = build_view(
    undo_decision,
    gettext_lazy("Decision on board %(board)s undone: its matches count again."),
    reason=read_reason,
)


@organiser_action
def enter_chosen_bot(request: HttpRequest, tournament: Tournament) -> str:
    """Enter a bot for its owner."""
    typed = request.POST.get("bot", "").replace("\0", "").strip()
    bot = find_typed_bot(request.user, tournament.game, typed)
    if bot is None:
        raise ArenaError(message(gettext_noop("No bot called “%(name)s” plays this game."), name=typed))
    user, reason = signed_in_reader(request), read_reason(request)
    return describe_entry(entering.enter(tournament=tournament, bot=bot, user=user, reason=reason))


@organiser_action
def approve_entrant(request: HttpRequest, tournament: Tournament, pk: int) -> str:
    """Approve an entry that waits for it."""
    entrant = get_object_or_404(list_entrants(tournament), pk=pk)
    approved = entering.approve_entry(entrant=entrant, organiser=signed_in_reader(request))
    return describe_approval(approved)


def describe_approval(entrant: Entrant) -> str:
    """Return what happens next to an entry that was approved."""
    name = {"name": entrant.bot.name}
    if entrant.state == Entrant.State.READY:
        return _("%(name)s has been approved and is ready. Remote bots play no check match.") % name
    if entrant.state == Entrant.State.ON_TRIAL:
        return _("%(name)s has been approved and plays its check once it passes its trial.") % name
    return _("%(name)s has been approved and now plays its check.") % name


@organiser_action
def set_typed_seeds(request: HttpRequest, tournament: Tournament) -> str:
    """Store the seeds that were typed; an empty field leaves a bot to its strength. Without fields, all of them."""
    given = {pk: request.POST.get(f"seed-{pk}", "").strip() for pk in list_entrant_keys(tournament)}
    if not all(text.isdecimal() for text in given.values() if text):
        raise ArenaError(message(gettext_noop("Seeds must be whole numbers from 1.")))
    seeds = {pk: int(text[:9]) if text else None for pk, text in given.items()}
    organising.set_seeds(tournament=tournament, organiser=signed_in_reader(request), seeds=seeds)
    return _("Seeds saved.") if any(seeds.values()) else _("Bots are seeded by strength.")


@organiser_action
def take_seeds_from_ladder(request: HttpRequest, tournament: Tournament) -> str:
    """Seed bots by their places in another tournament."""
    source = request.POST.get("source", "")
    count = organising.take_seeds(tournament=tournament, organiser=signed_in_reader(request), source=source)
    return ngettext("%(count)s bot seeded.", "%(count)s bots seeded.", count) % {"count": count}


@organiser_action
def disqualify_entrant(request: HttpRequest, tournament: Tournament, pk: int) -> str:
    """Disqualify an entrant."""
    entrant = get_object_or_404(list_entrants(tournament), pk=pk)
    entering.disqualify(entrant=entrant, organiser=signed_in_reader(request), reason=read_reason(request))
    return _("%(name)s has been disqualified.") % {"name": entrant.bot.name}


@require_POST
@login_required
def delete_tournament(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete a draft, or a cancelled tournament."""
    tournament = tournament_or_404(request, slug)
    if not is_organiser(tournament, request.user):
        return refuse_organising(request, NOT_YOURS)
    with refusal_as_message(request):
        organising.delete_tournament(tournament=tournament, organiser=signed_in_reader(request))
        messages.success(request, _("Tournament deleted."))
        return redirect("tournaments")
    return redirect("organise_tournament", slug)


# Who organises, and reminders to authors.


@organiser_action
def remind_missing_authors(request: HttpRequest, tournament: Tournament) -> str:
    """Remind the authors who have no bot ready."""
    count = ask_missing_authors(tournament=tournament, organiser=signed_in_reader(request))
    if not count:
        return _("No one to remind: every expected author has a bot or was reminded in the last hour.")
    words = ngettext("%(count)d author reminded.", "%(count)d authors reminded.", count)
    return words % {"count": count}


@organiser_action
def add_organiser(request: HttpRequest, tournament: Tournament) -> str:
    """Add a co-organiser."""
    username = request.POST.get("username", "")[:150]
    user = add_co_organiser(tournament=tournament, organiser=signed_in_reader(request), username=username)
    return _("%(name)s is now a co-organiser.") % {"name": user.username}


@organiser_action
def remove_organiser(request: HttpRequest, tournament: Tournament) -> str:
    """Remove a co-organiser."""
    username = request.POST.get("username", "")[:150]
    user = remove_co_organiser(tournament=tournament, organiser=signed_in_reader(request), username=username)
    return _("%(name)s is no longer a co-organiser.") % {"name": user.username}


# Begin and end the rehearsal of a tournament.


@require_POST
@login_required
def begin_rehearsing(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin a rehearsal, and lead to its desk."""
    tournament = tournament_or_404(request, slug)
    if not is_organiser(tournament, request.user):
        return refuse_organising(request, NOT_YOURS)
    with refusal_as_message(request):
        made = rehearse(tournament=tournament, organiser=signed_in_reader(request))
        messages.success(request, _("Rehearsal started. Only organisers see it, and it's deleted automatically."))
        return redirect("organise_tournament", made.slug)
    return redirect("organise_tournament", slug)


@require_POST
@login_required
def stop_rehearsing(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete a rehearsal, and lead back to the tournament that was rehearsed."""
    tournament = tournament_or_404(request, slug)
    if not is_organiser(tournament, request.user):
        return refuse_organising(request, NOT_YOURS)
    rehearsed = tournament.rehearsed
    with refusal_as_message(request):
        end_rehearsal(tournament=tournament, organiser=signed_in_reader(request))
        messages.success(request, _("Rehearsal deleted."))
        return redirect("organise_tournament", rehearsed.slug) if rehearsed else redirect("tournaments")
    return redirect("organise_tournament", slug)


# What needs an organiser, as rows with what can be done about each: the most urgent first.

MAX_NAMES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class DeskStep:
    """A button or link of a row."""

    label: str
    address: str
    is_post: bool = False
    """Whether it acts at once; otherwise it leads to another page, or to a form on this one."""


@dataclass(frozen=True, slots=True)
class DeskItem:
    """Something that needs the organiser."""

    tone: str
    icon: str
    title: str
    cause: str
    steps: Sequence[DeskStep] = ()
    bot: Bot | None = None
    author: User | None = None
    chip: Appearance | None = None
    log: str = ""
    """The end of what the bot wrote to its log."""


def list_attention(tournament: Tournament, round: Round | None, names: RealNames) -> list[DeskItem]:
    """Return what needs an organiser now, with the real names that the organiser may see."""
    if tournament.is_over or tournament.state == State.DRAFT:
        return []
    items = _list_pauses(tournament) + _list_machines(tournament)
    if tournament.state in (State.RUNNING, State.PAUSED) and round is not None and round.finished_at is None:
        items += [_describe_stuck(tournament, one) for one in list_stuck_matches(tournament, round)]
        items += [_describe_absent(one) for one in list_absent_bots(tournament)[:MAX_ITEMS_PER_KIND]]
    if not tournament.has_started:
        items += _list_trials(tournament) + _list_waiting(tournament)
        items += [_describe_failed(tournament, one) for one in list_failed_checks(tournament)]
    if tournament.state == State.OPEN:
        items += _list_missing(tournament, names)
    return items


def _list_pauses(tournament: Tournament) -> list[DeskItem]:
    if tournament.state != State.PAUSED:
        return []
    steps, reason = [], render_reason(tournament.state_reason)
    if not tournament.has_started:
        steps = [DeskStep(_("Reopen entries"), reverse("open_tournament", args=[tournament.slug]), is_post=True)]
        reason = f"{reason} {_('Bots can enter again, without a deadline; close entries yourself.')}"
    return [DeskItem("warn", "pause", _("The tournament is paused"), reason, steps)]


def _list_rounds(tournament: Tournament, missing: str) -> list[DeskItem]:
    """Return that a Swiss may have fewer rounds than planned, once entries have closed."""
    if not missing or not tournament.takes_late_entries:
        return []
    steps = [
        DeskStep(_("Edit settings"), reverse("edit_tournament", args=[tournament.slug])),
        DeskStep(_("Reopen entries"), reverse("open_tournament", args=[tournament.slug]), is_post=True),
    ]
    return [DeskItem("warn", "dots", _("Not all planned rounds can be paired"), missing, steps)]


def _list_machines(tournament: Tournament) -> list[DeskItem]:
    if is_any_worker_able():
        return []
    cause = _("No matches or checks run until a worker accepts matches.")
    return [
        DeskItem(
            "bad", "no", _("No machine is playing matches"), cause, [DeskStep(_("See the queue"), reverse("queue"))]
        )
    ]


def _list_trials(tournament: Tournament) -> list[DeskItem]:
    """Return the versions for whose trials the start waits."""
    return [
        DeskItem(
            "info",
            "clock",
            str(version),
            _("The start is waiting for its trial."),
            [DeskStep(_("View version"), version.get_absolute_url()), DeskStep(_("Start without it"), "#leave-out")],
            bot=version.bot,
        )
        for version in list_awaited_versions(tournament).order_by("pk")[:MAX_ITEMS_PER_KIND]
    ]


def _describe_wait(entrant: Entrant) -> str:
    return _("Needs your approval.") if entrant.bot.is_remote else _("Needs your approval before its check.")


def _list_waiting(tournament: Tournament) -> list[DeskItem]:
    return [
        DeskItem(
            "info",
            "clock",
            entrant.bot.name,
            " ".join(filter(None, [_describe_wait(entrant), render_reason(entrant.state_reason)])),
            [
                DeskStep(_("Approve"), reverse("approve_entrant", args=[tournament.slug, entrant.pk]), is_post=True),
                DeskStep(_("Refuse"), f"#entrant-{entrant.pk}"),
            ],
            bot=entrant.bot,
            author=entrant.bot.owner,
        )
        for entrant in list_waiting_entrants(tournament)
    ]


def _describe_failed(tournament: Tournament, failed: FailedCheck) -> DeskItem:
    entrant, seat = failed.entrant, failed.seat
    is_refused = entrant.version.state == BotVersion.State.REJECTED
    steps = [DeskStep(_("View version"), entrant.version.get_absolute_url())] if is_refused else []
    steps += [DeskStep(_("View check match"), reverse("match", args=[failed.match]))] if failed.match else []
    steps.append(DeskStep(_("Withdraw"), f"#entrant-{entrant.pk}"))
    detail = render_message(entrant.state_detail) if entrant.state_detail else ""
    return DeskItem(
        "bad",
        "crash",
        _("%(bot)s, version %(number)s") % {"bot": entrant.bot.name, "number": entrant.version.number},
        f"{render_reason(entrant.state_reason)} {capfirst(detail)}".strip(),
        steps,
        bot=entrant.bot,
        author=entrant.bot.owner,
        chip=FAULT_APPEARANCES[Verdict(seat.verdict)] if seat else find_entrant_appearance(entrant),
        log=seat.stderr if seat else "",
    )


def _describe_stuck(tournament: Tournament, stuck: StuckMatch) -> DeskItem:
    board, match = stuck.row.pairing.board, stuck.row.match_id
    if stuck.is_unplayable:
        cause = _("No worker here has a strong enough sandbox and all the languages and packages its bots need.")
    elif stuck.since is not None:
        cause = _(
            "It's taking much longer than the others. If its machine is gone, it will be played again automatically."
        )
    else:
        cause = _("The arena failed to play it and will try again.")
    if stuck.error is not None:
        cause = f"{cause} {render_message(stuck.error)}"
    steps = [DeskStep(_("View match"), reverse("match", args=[match])), DeskStep(_("Decide"), f"#board-{board}")]
    return DeskItem("warn", "clock", stuck.names, cause, steps)


def _describe_absent(absent: AbsentBot) -> DeskItem:
    remote = getattr(absent.bot, "remote", None)
    cause = _("It's never been online, and board %(board)s is waiting for it.")
    if remote is not None and remote.seen_at is not None:
        cause = _("Offline since %(time)s, and board %(board)s is waiting for it.")
    seen = format_moment(remote.seen_at) if remote is not None and remote.seen_at is not None else ""
    return DeskItem(
        "warn",
        "clock",
        absent.bot.name,
        cause % {"board": absent.board, "time": seen},
        [DeskStep(_("Decide"), f"#board-{absent.board}")],
        bot=absent.bot,
        author=absent.bot.owner,
    )


def _list_missing(tournament: Tournament, names: RealNames) -> list[DeskItem]:
    missing = list_missing_authors(tournament)
    if not missing:
        return []
    count = len(missing)
    title = ngettext("%(count)d author has no bot yet", "%(count)d authors have no bot yet", count) % {"count": count}
    people = [str(KnownAuthor(user.username, names.get(user.pk, ""))) for user in missing[:MAX_NAMES_SHOWN]]
    if count > MAX_NAMES_SHOWN:
        more = count - MAX_NAMES_SHOWN
        people.append(ngettext("%(count)d more", "%(count)d more", more) % {"count": more})
    step = DeskStep(_("Remind"), reverse("remind_authors", args=[tournament.slug]), is_post=True)
    return [DeskItem("info", "dots", title, list_names(people), [step])]


# The organiser's desk: what needs a hand first, with the actions beside it.

ACTS_SHOWN = 12
FAULTS_SHOWN = 30
NEXT_STEP_TEXTS = {
    State.DRAFT: gettext_lazy("Only you see it. Once its settings are complete, open entries."),
    State.OPEN: gettext_lazy(
        "Authors enter their bots, and each plays a check match, after its trial if it has one. When entries "
        "close, versions are frozen and the tournament starts once all checks are done."
    ),
    State.CHECKING: gettext_lazy(
        "Entries are closed. The tournament starts once all trials and checks are done, without bots that "
        "fail. Until then, you can make late entries if you give a reason."
    ),
    State.RUNNING: gettext_lazy("When a round finishes, the next is paired automatically."),
    State.PAUSED: gettext_lazy(
        "No more matches start until you resume. The tournament then continues where it was paused."
    ),
    State.FINISHED: gettext_lazy("Places are final, and anyone can check the deals."),
    State.CANCELLED: gettext_lazy("It has no winner. Its matches stay visible."),
}


UNREVEALED = gettext_lazy(
    "All rounds are finished. Reveal the places; otherwise they become public a week after the end."
)


@dataclass(frozen=True, slots=True)
class DeskStage:
    """A mark on the line from the entries to the end."""

    title: str
    detail: str
    is_over: bool
    is_current: bool


@login_required
def show_desk(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the organiser's page of a tournament; a poll gets what changes by itself."""
    tournament = tournament_or_404(request, slug)
    if not is_organiser(tournament, request.user):
        return refuse_organising(request, NOT_YOURS)
    reader = signed_in_reader(request)
    lines, rounds = read_entrant_lines(tournament, reader), list_counted_rounds(tournament)
    context = describe_desk(tournament, lines, rounds, fetch_shown_names(request, tournament.group_id))
    if not request.htmx:
        context |= describe_rest(request, tournament, lines, rounds)
        context["group"] = find_shown_group(request, tournament.group_id)
    parts = ("tournaments/organise.html", "tournaments/organise_now.html")
    return render_live(request, *parts, context, tournament.is_over, reloads_at_end=True)


def describe_desk(
    tournament: Tournament, lines: Sequence[EntrantLine], rounds: Sequence[Round], names: RealNames
) -> dict[str, Any]:
    """Return what changes by itself: the state, the stages, the figures, and what needs attention."""
    field = sum(line.entrant.number is not None for line in lines)
    settings, there = tournament.full_settings, count_entrants(lines)
    round = rounds[-1] if rounds else None
    missing = explain_planned_rounds(tournament, there)
    return {
        "tournament": tournament,
        "real_names": names,
        "chip": TOURNAMENT_STATES[State(tournament.state)],
        "next": UNREVEALED if tournament.reveals_at else NEXT_STEP_TEXTS[State(tournament.state)],
        "there": there,
        "checks": Counter(line.entrant.state for line in lines),
        "length": tournament.format.count_rounds(field, settings) if field > 1 else None,
        "round": round,
        "time_left": estimate_time_left(tournament),
        "rounds_planned": describe_planned_rounds(tournament, there),
        "missing_rounds": missing,
        "stages": list_stages(tournament, field or there, rounds),
        "attention": list_attention(tournament, round, names) + _list_rounds(tournament, missing),
        "primary": find_primary_step(tournament),
        "condition": describe_condition(tournament, lines),
    }


def find_primary_step(tournament: Tournament) -> DeskStep | None:
    """Return what comes next by the organiser's hand; None where nothing does. What can't be undone asks first."""
    slug = tournament.slug
    if tournament.state == State.DRAFT:
        return DeskStep(_("Open entries"), reverse("open_tournament", args=[slug]), is_post=True)
    if tournament.state == State.OPEN:
        return DeskStep(_("Close entries and start"), "#start-now")
    if tournament.state == State.FINISHED and tournament.is_concealed:
        return DeskStep(_("Reveal on the projector"), reverse("tournament_projector", args=[slug]))
    if tournament.state == State.PAUSED:
        return DeskStep(_("Resume"), reverse("resume_tournament", args=[slug]), is_post=True)
    return None


def describe_condition(tournament: Tournament, lines: Sequence[EntrantLine]) -> str:
    """Return who would play if entries were closed now; empty once they are."""
    if tournament.state != State.OPEN:
        return ""
    states = Counter(line.entrant.state for line in lines)
    ready = states[Entrant.State.READY]
    words = ngettext("%(count)d bot is ready.", "%(count)d bots are ready.", ready) % {"count": ready}
    on_trial = states[Entrant.State.ON_TRIAL]
    if on_trial:
        waits = ngettext(
            "%(count)d is still on trial; the start waits for it.",
            "%(count)d are still on trial; the start waits for them.",
            on_trial,
        )
        words = f"{words} {waits % {'count': on_trial}}"
    failed = states[Entrant.State.FAILED]
    if failed:
        stays = ngettext("%(count)d failed and won't play.", "%(count)d failed and won't play.", failed)
        words = f"{words} {stays % {'count': failed}}"
    return words


def list_stages(tournament: Tournament, there: int, rounds: Sequence[Round]) -> list[DeskStage]:
    """Return the marks of entries, phases and the end."""
    settings, format = tournament.full_settings, tournament.format
    count = there if tournament.has_started else count_expected_entrants(there, settings, tournament.max_entrants)
    begun, over = len(rounds), sum(round.finished_at is not None for round in rounds)
    closed = tournament.has_started or tournament.is_over
    stages = [DeskStage(_("Entries"), describe_entry_time(tournament), closed, not closed)]
    before = 0
    for key, length in zip(name_phases(format), format.count_phase_rounds(count, settings), strict=True):
        title = str(PHASE_NAMES[key]) if format.first_phase is not None else format_name(format.key)
        number = min(begun - before, length)
        is_over = over - before >= length or tournament.is_over
        detail = (
            _("round %(number)d of %(all)d") % {"number": number, "all": length}
            if number > 0 and not is_over
            else _("rounds: %(all)d") % {"all": length}
        )
        is_current = not is_over and tournament.has_started and over >= before
        stages.append(DeskStage(title, detail, is_over, is_current))
        before += length
    ended = format_moment(tournament.finished_at) if tournament.finished_at else ""
    stages.append(DeskStage(_("Finished"), ended, tournament.is_over, False))
    return stages


def describe_entry_time(tournament: Tournament) -> str:
    """Return until when entries are open, or when they were closed."""
    if tournament.state == State.DRAFT:
        return _("not open yet")
    if tournament.entries_close_at is None:
        return _("until you close them")
    time = format_moment(tournament.entries_close_at)
    if tournament.takes_entries:
        return _("until %(time)s") % {"time": time}
    return _("closed %(time)s") % {"time": time}


def describe_rest(
    request: HttpRequest, tournament: Tournament, lines: Sequence[EntrantLine], rounds: Sequence[Round]
) -> dict[str, Any]:
    """Return what the page shows once: forms, entrants, access and the record."""
    reader = signed_in_reader(request)
    is_open = not tournament.has_started and not tournament.is_over
    may_edit = is_open and not tournament.is_rehearsal
    may_seed = bool(lines) and is_open
    takes_any = tournament.takes_entries or tournament.takes_late_entries
    acts = list_acts(tournament, as_organiser=True)
    return {
        "lines": lines,
        "rounds": rounds,
        "may_edit": may_edit,
        "may_replay": tournament.state in (State.RUNNING, State.PAUSED),
        "may_pause": tournament.state in (State.RUNNING, State.CHECKING),
        "takes_entries": tournament.takes_entries,
        "takes_late_entries": tournament.takes_late_entries,
        "choices": list_enterable_bots(tournament, reader) if takes_any else [],
        "awaits_trials": list_awaited_versions(tournament).exists(),
        **describe_access(request, tournament),
        "seed_sources": list_seed_sources(tournament, reader) if may_seed else [],
        "may_seed": may_seed,
        "faulty": list_open_faults(tournament) if tournament.has_started else [],
        **describe_decidable(request, tournament, lines, rounds),
        "acts": acts[:ACTS_SHOWN],
        "act_count": acts.count(),
        "invitations": list_invitations(tournament, reader, as_organiser=True),
        "organisers": list_co_organisers(tournament),
        "is_chief": is_chief_organiser(tournament, reader),
        "rehearsal": find_rehearsal(tournament),
    }


def describe_decidable(
    request: HttpRequest, tournament: Tournament, lines: Sequence[EntrantLine], rounds: Sequence[Round]
) -> dict[str, Any]:
    """Return the pairings that the organiser can decide, of the round that the address names or the latest one."""
    if tournament.state not in (State.RUNNING, State.PAUSED, State.FINISHED) or not rounds:
        return {"pairings": []}
    wanted = request.GET.get("decide", "")
    round = next((one for one in rounds if str(one.number) == wanted), rounds[-1])
    overview = Overview(tournament, [line.entrant for line in lines], list(rounds), fetch_boards([round.pk]))
    fetch_matches(overview)
    boards = [board for board in overview.boards[round.pk] if not board.is_bye]
    return {
        "decided_round": round,
        "pairings": [
            build_pairing_row(overview, board) | {"redraw": find_redraw(tournament, board, rounds)} for board in boards
        ],
    }


def find_redraw(tournament: Tournament, board: PairingOverview, rounds: Sequence[Round]) -> dict[str, int] | None:
    """Return the round from which to draw again, so that a decision counts there, with what would be lost; or None."""
    if not board.stale_rounds or tournament.state not in (State.RUNNING, State.PAUSED):
        return None
    lost: Any = [round for round in rounds if round.number >= board.stale_rounds[0]]
    return {
        "number": board.stale_rounds[0],
        "over": sum(round.over for round in lost),
        "boards": sum(round.boards for round in lost),
    }


def describe_access(request: HttpRequest, tournament: Tournament) -> dict[str, Any]:
    """Return who sees a tournament and who may enter, for its organiser: the code and the links, too."""
    code = format_code(tournament.entry_code or "")
    address = request.build_absolute_uri(reverse("enter_tournament", args=[tournament.slug]))
    return {
        "access_sentences": describe_audience(tournament),
        "entry_code": code,
        "entry_link": f"{address}?code={code}" if code else "",
        "link": "" if tournament.is_public else request.build_absolute_uri(tournament.get_absolute_url()),
        "may_publish": tournament.visibility != Tournament.Visibility.PUBLIC and not tournament.is_rehearsal,
        "may_renew_code": bool(code) and tournament.state in CHANGEABLE_STATES,
    }


def list_open_faults(tournament: Tournament) -> list[LegSeat]:
    """Return the newest faults; those in legs whose deal is still in play elsewhere are left out."""
    seats = list_faulty_seats(tournament, FAULTS_SHOWN)
    in_play = list_matches_with_deal_in_play([seat.leg.match_id for seat in seats])
    return [seat for seat in seats if seat.leg.match_id not in in_play]
