"""Admin pages of live games."""

from django.contrib import admin

from arena.accounts.admin import ReadOnlyAdmin
from arena.livegames.models import LiveGame


@admin.register(LiveGame)
class LiveGameAdmin(ReadOnlyAdmin):
    """Live games, to look at."""

    list_display = ["id", "game", "edition", "state", "decisions", "created_at", "finished_at"]
    list_filter = ["state", "game"]
    exclude = ["deal", "salt", "record"]
