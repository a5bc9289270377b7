"""Admin pages with acts of staff, which reach further than the apps of their rows know."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import UserAdmin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy, ngettext, override

from arena.accounts.admin import NewUserForm, UserForm
from arena.accounts.models import User
from arena.admission import admit_user
from arena.audit.models import Act
from arena.audit.services import record_act
from arena.bots.admin import BotAdmin, BotVersionAdmin
from arena.bots.models import Bot, BotVersion
from arena.ladders.admin import LadderAdmin, LadderMatchAdmin
from arena.ladders.models import Ladder, LadderMatch
from arena.matches.admin import MatchAdmin, WorkerStatusAdmin
from arena.matches.models import Match, WorkerStatus
from arena.pages.staff.admin import ActsAdmin, build_action
from arena.staff_acts.authors import BanAuthor, ReinstateAuthor, SuspendAuthor
from arena.staff_acts.files import RemoveFiles
from arena.staff_acts.ladders import PauseLadder, ResumeLadder
from arena.staff_acts.matches import CancelMatch, ReplayMatch
from arena.staff_acts.workers import DrainWorker, ResumeWorker

admin.site.unregister([Bot, BotVersion, Ladder, LadderMatch, Match, WorkerStatus])


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
        build_action("suspend", "Suspend: all bots stop at once", SuspendAuthor),
        build_action("ban", "Ban: suspend, and refuse sign-in", BanAuthor),
        build_action("reinstate", "Reinstate: take a suspension or a ban back", ReinstateAuthor),
    ]

    @admin.action(description=gettext_lazy("Approve"), permissions=["change"])
    def approve(self, request: HttpRequest, users: QuerySet[User]) -> None:
        """Let the chosen users in who wait for it, and tell them."""
        site = request.build_absolute_uri("/")
        count = 0
        for user in users:
            with transaction.atomic():
                if admit_user(user=user, site=site):
                    self._record(request, Act.APPROVE_USER, user, "The account may be used.")
                    count += 1
        text = ngettext("%(count)d account was approved.", "%(count)d accounts were approved.", count)
        self.message_user(request, text % {"count": count})

    def log_addition(self, request: HttpRequest, obj: User, message: object) -> LogEntry:
        """Log that a user was added, in the audit log, too."""
        return self._record_form(request, Act.ADD_USER, obj, super().log_addition(request, obj, message))

    def log_change(self, request: HttpRequest, obj: User, message: object) -> LogEntry:
        """Log that a user was changed, in the audit log, too."""
        return self._record_form(request, Act.CHANGE_USER, obj, super().log_change(request, obj, message))

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[User]) -> Any:
        """Log that users are about to be deleted, in the audit log, too."""
        for user in queryset:
            self._record(request, Act.DELETE_USER, user, "The account is gone.")
        return super().log_deletions(request, queryset)

    def _record_form(self, request: HttpRequest, act: Act, user: User, entry: LogEntry) -> LogEntry:
        with override("en"):
            self._record(request, act, user, entry.get_change_message())
        return entry

    def _record(self, request: HttpRequest, act: Act, user: User, outcome: str) -> None:
        assert isinstance(request.user, User)
        why = "In the admin, which asks for no reason."
        about = f"user {user.pk}"
        record_act(by=request.user, act=act, about=about, subject=user.username, why=why, outcome=outcome)


@admin.register(Ladder)
class StaffLadderAdmin(ActsAdmin, LadderAdmin):
    """Seasons of ladders, which staff may pause."""

    list_display = [*LadderAdmin.list_display, "paused_at"]
    actions = [
        build_action("pause", "Pause: pair no new matches", PauseLadder),
        build_action("resume", "Resume: pair matches again", ResumeLadder),
    ]


@admin.register(WorkerStatus)
class StaffWorkerAdmin(ActsAdmin, WorkerStatusAdmin):
    """Workers, which staff may drain."""

    list_display = [*WorkerStatusAdmin.list_display, "drained_at"]
    actions = [
        build_action("drain", "Drain: let them take no other match", DrainWorker),
        build_action("resume", "Resume: let them take matches again", ResumeWorker),
    ]


@admin.register(Match)
class StaffMatchAdmin(ActsAdmin, MatchAdmin):
    """Matches, which staff may cancel."""

    actions = [
        build_action("cancel", "Cancel: they count no longer", CancelMatch),
        build_action("replay", "Cancel and replay", ReplayMatch),
    ]


@admin.register(LadderMatch)
class StaffLadderMatchAdmin(ActsAdmin, LadderMatchAdmin):
    """Matches of ladders, which staff may cancel."""

    actions = [
        build_action("cancel", "Cancel: they count no longer", lambda row: CancelMatch(row.match)),
        build_action("replay", "Cancel and replay", lambda row: ReplayMatch(row.match)),
    ]


@admin.register(Bot)
class StaffBotAdmin(ActsAdmin, BotAdmin):
    """Bots, whose files staff may remove."""

    actions = [build_action("remove_files", "Remove all their files for good", RemoveFiles)]


@admin.register(BotVersion)
class StaffVersionAdmin(ActsAdmin, BotVersionAdmin):
    """Versions, whose files staff may remove."""

    actions = [
        build_action("remove_files", "Remove their files for good", lambda row: RemoveFiles(row.bot, [row.number]))
    ]
