"""The ladders in the administration: read them, resume entries, decide on reports."""

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest

from arena.accounts.admin import ReadOnlyAdmin
from arena.accounts.models import User
from arena.audit.models import Act
from arena.audit.services import record_act
from arena.errors import ArenaError
from arena.ladders.models import CollusionReport, Entry, Fit, Ladder, LadderMatch
from arena.ladders.services.collusion import COLLUSION_REASON, dismiss_reports, revoke_reported_matches
from arena.ladders.services.entering import resume_entry


@admin.register(Ladder)
class LadderAdmin(ReadOnlyAdmin):
    """Seasons of ladders; their secrets are not shown."""

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
    ]
    list_select_related = ["group"]
    exclude = ["secret"]


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
                        act=Act.RESUME_ENTRY,
                        about=f"entry {entry.pk}",
                        subject=str(entry),
                        why="In the admin, which asks for no reason.",
                        outcome="It plays again.",
                    )
            except ArenaError as refused:
                self.message_user(request, str(refused), messages.ERROR)


@admin.register(LadderMatch)
class LadderMatchAdmin(ReadOnlyAdmin):
    """Matches of ladders."""

    list_display = ["match", "ladder", "number", "sequence", "void_sequence", "void_reason"]
    list_filter = ["ladder", "in_flight", ("void_sequence", admin.EmptyFieldListFilter)]
    list_select_related = ["ladder__group", "match"]


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

    @admin.action(description="Dismiss: nothing is in it", permissions=["decide"])
    def dismiss_reports(self, request: HttpRequest, rows: QuerySet[CollusionReport]) -> None:
        """Dismiss these reports."""
        self.message_user(request, f"{dismiss_reports(reports=rows)} dismissed.")

    @admin.action(description="Cancel: their matches count no longer", permissions=["decide"])
    def cancel_reported_matches(self, request: HttpRequest, rows: QuerySet[CollusionReport]) -> None:
        """Take the matches of these reports out of the ratings."""
        assert isinstance(request.user, User)
        count = 0
        for row in rows:
            about, subject = f"entry {row.entry_id}", str(row)
            with transaction.atomic():
                found = revoke_reported_matches(report=row)
                outcome = f"{found} matches count no longer."
                record_act(
                    by=request.user,
                    act=Act.CANCEL_MATCH,
                    about=about,
                    subject=subject,
                    why=str(COLLUSION_REASON),
                    outcome=outcome,
                )
            count += found
        self.message_user(request, f"{count} matches count no longer.")
