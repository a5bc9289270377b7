from django.contrib import admin

from arena.accounts.admin import ReadOnlyAdmin
from arena.ladders.models import Entry, Ladder


@admin.register(Ladder)
class LadderAdmin(ReadOnlyAdmin):
    list_display = ["title", "game", "edition"]


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    list_display = ["version", "ladder", "rating", "matches", "state"]
    list_filter = ["ladder", "state"]
    list_select_related = ["version__bot", "ladder"]
