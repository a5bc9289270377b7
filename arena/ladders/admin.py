from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from arena.accounts.admin import ReadOnlyAdmin
from arena.accounts.models import User
from arena.errors import ArenaError
from arena.ladders.models import CollusionReport, Entry, Fit, Ladder, LadderMatch
from arena.ladders.services.collusion import dismiss, void_reported_matches
from arena.ladders.services.entering import resume
from arena.ladders.services.ledger import revoke_matches
from engine.message import gettext_noop, message

CANCELLED = message(gettext_noop("Cancelled by the staff of this arena."))


@admin.register(Ladder)
class LadderAdmin(ReadOnlyAdmin):
    list_display = ["title", "game", "edition", "season", "last_sequence", "fitted_at", "dispersion", "closed_at"]
    exclude = ["secret"]


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    list_display = ["version", "ladder", "rating", "deviation", "matches", "state", "state_reason"]
    list_filter = ["ladder", "state"]
    list_select_related = ["version__bot", "ladder"]
    raw_id_fields = ["last_match", "parent", "version"]
    actions = ["resume_them"]

    def has_resume_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("ladders.change_entry")

    @admin.action(description="Resume: let them play again", permissions=["resume"])
    def resume_them(self, request: HttpRequest, rows: QuerySet[Entry]) -> None:
        assert isinstance(request.user, User)
        for entry in rows:
            try:
                resume(entry=entry, owner=request.user)
            except ArenaError as refused:
                self.message_user(request, str(refused), messages.ERROR)


@admin.register(LadderMatch)
class LadderMatchAdmin(ReadOnlyAdmin):
    list_display = ["match", "ladder", "number", "sequence", "void_sequence", "void_reason"]
    list_filter = ["ladder", "in_flight", ("void_sequence", admin.EmptyFieldListFilter)]
    list_select_related = ["ladder", "match"]
    actions = ["cancel_matches"]

    def has_void_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("ladders.change_laddermatch")

    @admin.action(description="Cancel: they count no longer", permissions=["void"])
    def cancel_matches(self, request: HttpRequest, rows: QuerySet[LadderMatch]) -> None:
        voided = revoke_matches(ladder_matches=rows, reason=CANCELLED)
        self.message_user(request, f"{voided} matches count no longer.")


@admin.register(Fit)
class FitAdmin(ReadOnlyAdmin):
    list_display = ["ladder", "sequence", "entries", "dispersion", "pair_interaction_sd", "seconds", "created_at"]
    list_filter = ["ladder"]
    list_select_related = ["ladder"]


@admin.register(CollusionReport)
class CollusionReportAdmin(ReadOnlyAdmin):
    list_display = ["entry", "opponent", "z", "matches", "found_at", "dismissed_at"]
    list_filter = ["entry__ladder", ("dismissed_at", admin.EmptyFieldListFilter)]
    list_select_related = ["entry__version__bot", "entry__ladder", "opponent"]
    actions = ["dismiss_them", "cancel_reported"]

    def has_decide_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("ladders.change_collusionreport")

    @admin.action(description="Dismiss: nothing is in it", permissions=["decide"])
    def dismiss_them(self, request: HttpRequest, rows: QuerySet[CollusionReport]) -> None:
        self.message_user(request, f"{dismiss(reports=rows)} dismissed.")

    @admin.action(description="Cancel: their matches count no longer", permissions=["decide"])
    def cancel_reported(self, request: HttpRequest, rows: QuerySet[CollusionReport]) -> None:
        voided = sum(void_reported_matches(report=row) for row in rows)
        self.message_user(request, f"{voided} matches count no longer.")
