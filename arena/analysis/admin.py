"""Admin pages of analyses."""

from django.contrib import admin

from arena.accounts.admin import ReadOnlyAdmin
from arena.analysis.models import LegAnalysis


@admin.register(LegAnalysis)
class LegAnalysisAdmin(ReadOnlyAdmin):
    """Analyses of legs, to look at."""

    list_display = ["id", "subject", "function_version", "state", "is_automatic", "entries_done", "created_at"]
    list_filter = ["state", "is_automatic"]
    list_select_related = ["leg__match", "live_game"]
    exclude = ["parts", "result", "token"]
