"""Comparisons for staff, read only, and bots whose luck is out of line."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from arena.accounts.admin import ReadOnlyAdmin
from arena.comparisons.luck import dismiss_suspensions
from arena.comparisons.models import Comparison, LuckSuspension


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

    @admin.action(description="Dismiss: take luck off again", permissions=["decide"])
    def dismiss_suspensions(self, request: HttpRequest, rows: QuerySet[LuckSuspension]) -> None:
        """Dismiss these suspensions."""
        self.message_user(request, f"{dismiss_suspensions(suspensions=list(rows))} dismissed.")
