"""Comparisons for staff, read only."""

from django.contrib import admin

from arena.accounts.admin import ReadOnlyAdmin
from arena.comparisons.models import Comparison


@admin.register(Comparison)
class ComparisonAdmin(ReadOnlyAdmin):
    """Comparisons, without what only their owners may read."""

    exclude = ["state_detail"]
    list_display = ["id", "owner", "version", "baseline", "mode", "elo1", "state", "pairs", "llr", "created_at"]
    list_filter = ["state", "mode", "edition"]
    list_select_related = ["owner", "version__bot", "baseline__bot"]
