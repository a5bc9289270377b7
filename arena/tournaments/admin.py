"""Tournaments and entrants in the admin site; nothing can be changed there."""

from django.contrib import admin

from arena.accounts.admin import ReadOnlyAdmin
from arena.tournaments.models import Entrant, Tournament


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
