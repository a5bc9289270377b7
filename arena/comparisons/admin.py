from django.contrib import admin

from arena.accounts.admin import ReadOnlyAdmin
from arena.comparisons.models import Comparison


@admin.register(Comparison)
class ComparisonAdmin(ReadOnlyAdmin):
    list_display = ["id", "owner", "version", "baseline", "way", "upper", "state", "pairs", "llr", "created_at"]
    list_filter = ["state", "way", "edition"]
    list_select_related = ["owner", "version__bot", "baseline__bot"]
