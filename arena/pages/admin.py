"""The admin site: rows that staff reads, acts of staff on them, and forms of users, invitations and formations."""

from collections.abc import Callable
from typing import Any

from allauth.mfa.admin import Authenticator
from allauth.socialaccount.admin import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.admin import UserSession
from django import forms
from django.contrib import admin, messages
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import override

from arena.bots.models import Bot, BotVersion, TeamMember, Token
from arena.contests.analysis.models import LegAnalysis
from arena.contests.challenges.models import Challenge
from arena.contests.comparisons.models import Comparison, LuckSuspension
from arena.contests.comparisons.services import dismiss_suspensions
from arena.contests.formations.models import Formation
from arena.contests.formations.services import check_formation_name, name_formation
from arena.contests.ladders.models import CollusionReport, Entry, Fit, Ladder, LadderMatch
from arena.contests.ladders.services.entering import resume_entry
from arena.contests.ladders.services.refitting import COLLUSION_REASON, dismiss_reports, revoke_reported_matches
from arena.contests.puzzles.models import Puzzle
from arena.contests.tournaments.models import Entrant, Tournament
from arena.core.errors import ArenaError
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, ngettext, render_message
from arena.matches.livegames.models import LiveGame
from arena.matches.models import Attempt, Match, Participant, WorkerStatus
from arena.matches.remote.models import RemoteBot
from arena.operations.acts import admit_user
from arena.operations.staff_acts import (
    BanAuthor,
    CancelMatch,
    DrainWorker,
    PauseLadder,
    ReinstateAuthor,
    RemoveFiles,
    ReplayMatch,
    ResumeLadder,
    ResumeWorker,
    StaffAct,
    SuspendAuthor,
    carry_out,
)
from arena.people.accounts.models import Invitation, User
from arena.people.accounts.names import BadName, check_name
from arena.people.accounts.services import DEFAULT_INVITATION_DAYS, MAX_INVITATION_DAYS, create_invitation
from arena.people.audit.models import AuditedAct, AuditEntry, record_act
from arena.people.groups.models import Group

# Acts of staff as actions in the admin: the plan is shown and a reason asked for before anything changes.

MAX_ACTS_AT_ONCE = 20
Action = Callable[[Any, HttpRequest, QuerySet[Any]], HttpResponse | None]


class ActsAdmin(admin.ModelAdmin):
    """Admin pages with acts of staff, for those who may change such rows."""

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may act on rows of this kind."""
        return bool(request.user.has_perm(f"{self.opts.app_label}.change_{self.opts.model_name}"))


def build_action(
    act: type[StaffAct], find: Callable[[Any], tuple[Any, ...]] = lambda row: (row,), description: str = ""
) -> Action:
    """Return an action that carries out an act on what is found for each chosen row, once it is confirmed."""
    description = description or act.action

    @admin.action(description=description, permissions=["act"])
    def confirm_or_act(pages: ActsAdmin, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
        chosen = list(rows[: MAX_ACTS_AT_ONCE + 1])
        if len(chosen) > MAX_ACTS_AT_ONCE:
            pages.message_user(request, f"Choose at most {MAX_ACTS_AT_ONCE}.", messages.ERROR)
            return None
        acts = [act(*find(row)) for row in chosen]
        why = request.POST.get("why", "").strip()
        if why:
            _carry_out_all(pages, request, acts, why)
            return None
        plans = _describe_all(pages, request, acts)
        if not plans:
            return None
        context = {
            **pages.admin_site.each_context(request),
            "title": description,
            "opts": pages.opts,
            "plans": plans,
            "action": act.verb(),
            "keys": [row.pk for row in chosen],
        }
        return TemplateResponse(request, "admin/confirm_act.html", context)

    confirm_or_act.__name__ = act.verb()
    return confirm_or_act


def _describe_all(pages: ActsAdmin, request: HttpRequest, acts: list[StaffAct]) -> list[tuple[str, str]]:
    """Return subject and plan of each act that can be done, and show why others can't be."""
    plans = []
    for act in acts:
        try:
            plans.append((act.subject, act.describe()))
        except ArenaError as error:
            pages.message_user(request, render_message(error.message), messages.ERROR)
    return plans


def _carry_out_all(pages: ActsAdmin, request: HttpRequest, acts: list[StaffAct], why: str) -> None:
    """Carry the acts out, and show what each did or why it could not be done."""
    assert isinstance(request.user, User)
    for act in acts:
        try:
            outcome = carry_out(act, by=request.user, why=why)
        except ArenaError as error:
            pages.message_user(request, render_message(error.message), messages.ERROR)
        else:
            pages.message_user(request, f"{act.subject}: {outcome}")


# Admin pages of invitations, forms of users, and the base of admin pages that only show rows.


def check_name_in_form(name: str) -> str:
    """Return a new name as it is to be stored; staff may use reserved ones. Raises ValidationError."""
    try:
        return check_name(name, is_reserved_allowed=True)
    except BadName as error:
        raise ValidationError(render_message(error.message)) from None


class NewUserForm(AdminUserCreationForm):
    """A user whom staff adds."""

    def clean_username(self) -> str:
        """Check the name."""
        self.cleaned_data["username"] = check_name_in_form(self.cleaned_data["username"])
        return str(super().clean_username())


class UserForm(UserChangeForm):
    """A user whom staff changes."""

    def clean_username(self) -> str:
        """Check the name if it was changed: names that exist keep working."""
        name = str(self.cleaned_data["username"])
        return check_name_in_form(name) if "username" in self.changed_data else name


class ReadOnlyAdmin(admin.ModelAdmin):
    """Show rows that only services change."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False: rows are added by services."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Return False: rows are changed by services."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Return False: rows are deleted by services."""
        return False


class AuthenticatorAdmin(ReadOnlyAdmin):
    """Show who has a second factor, and nothing of its secrets."""

    fields = ("user", "type", "created_at", "last_used_at")
    list_display = fields
    list_filter = ("type",)
    search_fields = ("user__username",)


# allauth's pages would show the secrets of second factors, and where everybody is signed in, and let staff link anybody
# to an account of the school or add servers besides that of the settings.
admin.site.unregister([Authenticator, UserSession, SocialAccount, SocialApp, SocialToken])
admin.site.register(Authenticator, AuthenticatorAdmin)


class InvitationForm(forms.ModelForm):
    """A new invitation."""

    days = forms.IntegerField(min_value=1, max_value=MAX_INVITATION_DAYS, initial=DEFAULT_INVITATION_DAYS)

    class Meta:
        model = Invitation
        fields = ("note", "email")


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    """Invitations. The link of a new one is shown once; one that is deleted can't be used any more."""

    list_display = ("__str__", "email", "created_by", "created_at", "expires_at", "used_by", "used_at")
    list_filter = (("used_at", admin.EmptyFieldListFilter),)
    list_select_related = ("created_by", "used_by")
    search_fields = ("note", "email", "used_by__username")
    exclude = ("digest",)
    form = InvitationForm

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may invite people."""
        return bool(request.user.has_perm("accounts.add_invitation"))

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Return whether the user may withdraw invitations."""
        return bool(request.user.has_perm("accounts.delete_invitation"))

    def get_fields(self, request: HttpRequest, obj: Invitation | None = None) -> Any:
        """Return the fields of the form, or those of an invitation that is shown."""
        return ["note", "email", "days"] if obj is None else [*self.list_display[1:], "note"]

    def save_model(self, request: HttpRequest, obj: Invitation, form: Any, change: bool) -> None:
        """Create the invitation and show its link."""
        author = request.user if isinstance(request.user, User) else None
        data = form.cleaned_data
        invitation, path = create_invitation(
            days=data["days"], note=data["note"], email=data["email"], created_by=author
        )
        obj.pk, obj.digest = invitation.pk, invitation.digest
        link = request.build_absolute_uri(path)
        self.message_user(request, _("Send this link (it won't be shown again): %(link)s") % {"link": link})


# Groups in the admin site: that they exist, and nothing of who is in them.


@admin.register(Group)
class GroupAdmin(ReadOnlyAdmin):
    """Groups in the admin site, without codes, members and texts."""

    list_display = ("name", "created_by", "created_at")
    list_select_related = ("created_by",)
    fields = list_display


# Show the audit log to staff, read only.


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    """Acts of staff, newest first."""

    list_display = ["at", "actor_name", "act", "subject", "reason", "outcome"]
    list_filter = ["act"]
    search_fields = ["actor_name", "subject", "reason"]


# Bots, teams, versions and tokens for staff, read only.


@admin.register(Bot)
class BotAdmin(ActsAdmin, ReadOnlyAdmin):
    """Bots, whose files staff may remove."""

    list_display = ["name", "game", "is_remote", "owner", "created_at"]
    list_filter = ["game", "is_remote"]
    search_fields = ["name", "owner__username"]
    actions = [build_action(RemoveFiles)]


@admin.register(RemoteBot)
class RemoteBotAdmin(ReadOnlyAdmin):
    """Remote bots: which are connected, and how many legs they take at a time."""

    list_display = ["bot", "bot__owner", "is_here", "seen_at", "room"]
    list_filter = ["is_online", "bot__game"]
    list_select_related = ["bot__owner"]
    search_fields = ["bot__name", "bot__owner__username"]
    ordering = ["-seen_at"]


@admin.register(TeamMember)
class TeamMemberAdmin(ReadOnlyAdmin):
    """People who work on a bot beside its owner, or are invited to."""

    list_display = ["bot", "user", "invited_by", "invited_at", "joined_at", "declined_at"]
    list_select_related = ["bot", "user", "invited_by"]
    search_fields = ["bot__name", "user__username"]


@admin.register(BotVersion)
class BotVersionAdmin(ActsAdmin, ReadOnlyAdmin):
    """Versions, without what only their owners may read; staff may remove their files."""

    exclude = ["build_log", "state_detail"]
    list_display = ["bot", "bot__game", "number", "language", "state", "size", "created_at", "held_back_at"]
    list_filter = ["state", "language", "bot__game", ("held_back_at", admin.EmptyFieldListFilter)]
    list_select_related = ["bot"]
    actions = [build_action(RemoveFiles, lambda row: (row.bot, [row.number]), "Delete their files permanently")]


@admin.register(Token)
class TokenAdmin(ReadOnlyAdmin):
    """Tokens, without their digests."""

    exclude = ["digest"]
    list_display = ["name", "prefix", "owner", "bot", "last_used_at", "revoked_at"]
    list_select_related = ["owner", "bot"]
    search_fields = ["name", "owner__username"]


# Show matches and workers to staff; only services change them.


class ParticipantInline(admin.TabularInline):
    """The participants of a match."""

    model = Participant
    can_delete = False
    fields = ["index", "version", "points"]


class AttemptInline(admin.TabularInline):
    """The attempts to play a match."""

    model = Attempt
    can_delete = False
    fields = ["number", "worker", "started_at", "heartbeat_at", "ended_at", "ending", "error"]
    readonly_fields = ["error"]


@admin.register(Match)
class MatchAdmin(ActsAdmin, ReadOnlyAdmin):
    """Matches without their deals; staff may cancel them."""

    list_display = ["id", "game", "edition", "state", "created_at", "finished_at", "void_reason"]
    list_filter = ["state", "game", "edition"]
    exclude = ["deal"]
    inlines = [ParticipantInline, AttemptInline]
    actions = [build_action(CancelMatch), build_action(ReplayMatch)]


@admin.register(WorkerStatus)
class WorkerStatusAdmin(ActsAdmin, ReadOnlyAdmin):
    """Workers and their sandboxes; staff may drain them."""

    list_display = ["worker", "seen_at", "sandbox", "level", "hint", "drained_at"]
    actions = [build_action(DrainWorker), build_action(ResumeWorker)]


# Admin pages of live games.


@admin.register(LiveGame)
class LiveGameAdmin(ReadOnlyAdmin):
    """Live games, to look at."""

    list_display = ["id", "game", "edition", "state", "decisions", "created_at", "finished_at"]
    list_filter = ["state", "game"]
    exclude = ["deal", "salt", "record"]


# Admin pages of analyses.


@admin.register(LegAnalysis)
class LegAnalysisAdmin(ReadOnlyAdmin):
    """Analyses of legs, to look at."""

    list_display = ["id", "subject", "function_version", "state", "is_automatic", "entries_done", "created_at"]
    list_filter = ["state", "is_automatic"]
    list_select_related = ["leg__match", "live_game"]
    exclude = ["parts", "coarse_result", "result", "token"]


# Admin pages of puzzles. What people answered is theirs alone.


@admin.register(Puzzle)
class PuzzleAdmin(ReadOnlyAdmin):
    """Puzzles, those in stock included, to look at."""

    list_display = ["id", "kind", "number", "day", "edition", "difficulty", "rating", "first_tries", "first_right"]
    list_filter = ["kind", "edition", "difficulty"]
    raw_id_fields = ["match"]
    exclude = ["play"]


# Admin pages of challenges.


@admin.register(Challenge)
class ChallengeAdmin(ReadOnlyAdmin):
    """Challenges, to look at."""

    list_display = ["id", "owner", "version", "match", "created_at"]
    list_select_related = ["owner", "version__bot", "match"]


# Comparisons for staff, read only, and bots whose luck is out of line.


@admin.register(Comparison)
class ComparisonAdmin(ReadOnlyAdmin):
    """Comparisons, without what only their owners may read."""

    exclude = ["state_detail"]
    list_display = ["id", "owner", "version", "baseline", "mode", "elo1", "state", "pairs", "llr", "created_at"]
    list_filter = ["state", "mode", "edition"]
    list_select_related = ["owner", "version__bot", "baseline__bot"]


@admin.register(LuckSuspension)
class LuckSuspensionAdmin(ReadOnlyAdmin):
    """Bots whose comparisons are not adjusted for luck, which staff dismiss."""

    list_display = ["bot", "z", "draws", "suspended_at", "dismissed_at"]
    list_filter = [("dismissed_at", admin.EmptyFieldListFilter)]
    list_select_related = ["bot"]
    actions = ["dismiss_suspensions"]

    def has_decide_permission(self, request: HttpRequest) -> bool:
        """Return whether this user may decide on suspensions."""
        return request.user.has_perm("comparisons.change_lucksuspension")

    @admin.action(description="Dismiss: adjust for luck again", permissions=["decide"])
    def dismiss_suspensions(self, request: HttpRequest, rows: QuerySet[LuckSuspension]) -> None:
        """Dismiss these suspensions."""
        self.message_user(request, f"{dismiss_suspensions(suspensions=list(rows))} dismissed.")


# Formations in the administration: staff reads them, and names those without a name.

NAMES = ("name", "name_hu")


class NamesForm(forms.ModelForm):
    """The names of a formation, which the service checks."""

    user: User
    """The member of staff who gives the name; set by the admin page."""

    def clean(self) -> dict[str, Any]:
        """Raise ValidationError with the reason for which the service would refuse the names."""
        cleaned: dict[str, Any] = super().clean() or {}
        try:
            names = {name: cleaned.get(name, "") for name in NAMES}
            check_formation_name(formation=self.instance, by=self.user, **names)
        except ArenaError as error:
            raise ValidationError(render_message(error.message)) from error
        return cleaned


@admin.register(Formation)
class FormationAdmin(ReadOnlyAdmin):
    """Formations; only the names of those without one can be filled in."""

    form = NamesForm
    list_display = ["index", "shape", "english_name", "name_hu", "deployed", "reformed", "named_by", "first_version"]
    list_filter = ["cells", ("name", admin.EmptyFieldListFilter)]
    list_select_related = ["named_by", "first_version__bot"]
    search_fields = ["name", "name_hu", "shape", "index"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether a formation may be named; without one, whether any may be."""
        may = request.user.has_perm("formations.change_formation")
        return may and not (obj is not None and obj.is_named)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Return every field but the names."""
        return [field.name for field in Formation._meta.fields if field.name not in NAMES]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """Return the form, which knows who fills it in."""
        form = super().get_form(request, obj, change, **kwargs)
        return type("NamesForm", (form,), {"user": request.user})

    def save_model(self, request: HttpRequest, obj: Formation, form: Any, change: bool) -> None:
        """Name the formation."""
        assert isinstance(request.user, User)
        name_formation(formation=obj, by=request.user, **{name: form.cleaned_data[name] for name in NAMES})


# The ladders in the administration: read them, resume entries, decide on reports.


@admin.register(Ladder)
class LadderAdmin(ActsAdmin, ReadOnlyAdmin):
    """Seasons of ladders, which staff may pause; their secrets are not shown."""

    list_display = [
        "title",
        "group",
        "game",
        "edition",
        "season",
        "last_sequence",
        "fitted_at",
        "dispersion",
        "closed_at",
        "paused_at",
    ]
    list_select_related = ["group"]
    exclude = ["secret"]
    actions = [build_action(PauseLadder), build_action(ResumeLadder)]


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    """Entries of ladders, which staff may resume."""

    list_display = ["version", "ladder", "rating", "deviation", "matches", "state", "state_reason"]
    list_filter = ["ladder", "state"]
    list_select_related = ["version__bot", "ladder__group"]
    raw_id_fields = ["last_match", "parent", "version"]
    actions = ["resume_entries"]

    def has_resume_permission(self, request: HttpRequest) -> bool:
        """Return whether this user may resume entries."""
        return request.user.has_perm("ladders.change_entry")

    @admin.action(description="Resume: let them play again", permissions=["resume"])
    def resume_entries(self, request: HttpRequest, rows: QuerySet[Entry]) -> None:
        """Resume these entries, and show why one can't be."""
        assert isinstance(request.user, User)
        for entry in rows:
            try:
                with transaction.atomic():
                    resume_entry(entry=entry, owner=request.user)
                    record_act(
                        by=request.user,
                        act=AuditedAct.RESUME_ENTRY,
                        about=f"entry {entry.pk}",
                        subject=str(entry),
                        why="In the admin, without a reason.",
                        outcome="It plays again.",
                    )
            except ArenaError as refused:
                self.message_user(request, str(refused), messages.ERROR)


@admin.register(LadderMatch)
class LadderMatchAdmin(ActsAdmin, ReadOnlyAdmin):
    """Matches of ladders, which staff may cancel."""

    list_display = ["match", "ladder", "number", "sequence", "void_sequence", "void_reason"]
    list_filter = ["ladder", "in_flight", ("void_sequence", admin.EmptyFieldListFilter)]
    list_select_related = ["ladder__group", "match"]
    actions = [build_action(CancelMatch, lambda row: (row.match,)), build_action(ReplayMatch, lambda row: (row.match,))]


@admin.register(Fit)
class FitAdmin(ReadOnlyAdmin):
    """Computations of ratings."""

    list_display = ["ladder", "sequence", "entries", "dispersion", "pair_interaction_sd", "seconds", "created_at"]
    list_filter = ["ladder"]
    list_select_related = ["ladder__group"]


@admin.register(CollusionReport)
class CollusionReportAdmin(ReadOnlyAdmin):
    """Results out of line, which staff dismiss or cancel."""

    list_display = ["entry", "opponent", "z", "matches", "found_at", "dismissed_at"]
    list_filter = ["entry__ladder", ("dismissed_at", admin.EmptyFieldListFilter)]
    list_select_related = ["entry__version__bot", "entry__ladder__group", "opponent"]
    actions = ["dismiss_reports", "cancel_reported_matches"]

    def has_decide_permission(self, request: HttpRequest) -> bool:
        """Return whether this user may decide on reports."""
        return request.user.has_perm("ladders.change_collusionreport")

    @admin.action(description="Dismiss: no problem found", permissions=["decide"])
    def dismiss_reports(self, request: HttpRequest, rows: QuerySet[CollusionReport]) -> None:
        """Dismiss these reports."""
        self.message_user(request, f"{dismiss_reports(reports=rows)} dismissed.")

    @admin.action(description="Cancel: their matches no longer count", permissions=["decide"])
    def cancel_reported_matches(self, request: HttpRequest, rows: QuerySet[CollusionReport]) -> None:
        """Take the matches of these reports out of the ratings."""
        assert isinstance(request.user, User)
        count = 0
        for row in rows:
            about, subject = f"entry {row.entry_id}", str(row)
            with transaction.atomic():
                found = revoke_reported_matches(report=row)
                outcome = f"{found} matches no longer count."
                record_act(
                    by=request.user,
                    act=AuditedAct.CANCEL_MATCH,
                    about=about,
                    subject=subject,
                    why=str(COLLUSION_REASON),
                    outcome=outcome,
                )
            count += found
        self.message_user(request, f"{count} matches no longer count.")


# Admin pages with acts of staff, which reach further than the apps of their rows know.


@admin.register(User)
class AccountAdmin(ActsAdmin, UserAdmin):
    """Users, with the check of new names that all users meet."""

    form = UserForm
    add_form = NewUserForm
    list_display = ("username", "email", "is_staff", "is_active", "awaits_approval", "suspended_at", "date_joined")
    list_filter = (
        "awaits_approval",
        ("suspended_at", admin.EmptyFieldListFilter),
        "is_staff",
        "is_superuser",
        "is_active",
        "groups",
    )
    actions = [
        "approve",
        build_action(SuspendAuthor),
        build_action(BanAuthor),
        build_action(ReinstateAuthor),
    ]

    @admin.action(description=gettext_lazy("Approve"), permissions=["change"])
    def approve(self, request: HttpRequest, users: QuerySet[User]) -> None:
        """Let the chosen users in who wait for it, and tell them."""
        site = request.build_absolute_uri("/")
        count = 0
        for user in users:
            with transaction.atomic():
                if admit_user(user=user, site=site):
                    self._record(request, AuditedAct.APPROVE_USER, user, "The account can be used.")
                    count += 1
        text = ngettext("%(count)d account approved.", "%(count)d accounts approved.", count)
        self.message_user(request, text % {"count": count})

    def log_addition(self, request: HttpRequest, obj: User, message: object) -> LogEntry:
        """Log that a user was added, in the audit log, too."""
        return self._record_form(request, AuditedAct.ADD_USER, obj, super().log_addition(request, obj, message))

    def log_change(self, request: HttpRequest, obj: User, message: object) -> LogEntry:
        """Log that a user was changed, in the audit log, too."""
        return self._record_form(request, AuditedAct.CHANGE_USER, obj, super().log_change(request, obj, message))

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[User]) -> Any:
        """Log that users are about to be deleted, in the audit log, too."""
        for user in queryset:
            self._record(request, AuditedAct.DELETE_USER, user, "The account was deleted.")
        return super().log_deletions(request, queryset)

    def _record_form(self, request: HttpRequest, act: AuditedAct, user: User, entry: LogEntry) -> LogEntry:
        with override("en"):
            self._record(request, act, user, entry.get_change_message())
        return entry

    def _record(self, request: HttpRequest, act: AuditedAct, user: User, outcome: str) -> None:
        assert isinstance(request.user, User)
        why = "In the admin, without a reason."
        about = f"user {user.pk}"
        record_act(by=request.user, act=act, about=about, subject=user.username, why=why, outcome=outcome)


# Tournaments and entrants in the admin site; nothing can be changed there.


@admin.register(Tournament)
class TournamentAdmin(ReadOnlyAdmin):
    """Tournaments in the admin site."""

    list_display = ["title", "organiser", "game", "edition", "state", "entries_close_at", "started_at", "finished_at"]
    list_filter = ["state", "game"]
    list_select_related = ["organiser"]
    exclude = ["secret"]


@admin.register(Entrant)
class EntrantAdmin(ReadOnlyAdmin):
    """Entrants in the admin site."""

    list_display = ["version", "tournament", "number", "state", "state_reason", "left_in_round", "place"]
    list_filter = ["state"]
    list_select_related = ["tournament", "version__bot"]
