"""Admin pages of challenges."""

from django.contrib import admin

from arena.accounts.admin import ReadOnlyAdmin
from arena.challenges.models import Challenge


@admin.register(Challenge)
class ChallengeAdmin(ReadOnlyAdmin):
    """Challenges, to look at."""

    list_display = ["id", "owner", "version", "match", "created_at"]
    list_select_related = ["owner", "version__bot", "match"]
