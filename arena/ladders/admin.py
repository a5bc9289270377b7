from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from arena.accounts.admin import ReadOnlyAdmin
from arena.ladders.models import Entry, Ladder, Suspicion
from arena.ladders.services.watching import dismiss, void_suspicion


@admin.register(Ladder)
class LadderAdmin(ReadOnlyAdmin):
    list_display = ["title", "game", "edition"]


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    list_display = ["version", "ladder", "rating", "matches", "state"]
    list_filter = ["ladder", "state"]
    list_select_related = ["version__bot", "ladder"]


@admin.register(Suspicion)
class SuspicionAdmin(ReadOnlyAdmin):
    list_display = ["entry", "opponent", "z", "matches", "found_at", "dismissed_at"]
    list_filter = ["entry__ladder", ("dismissed_at", admin.EmptyFieldListFilter)]
    list_select_related = ["entry__version__bot", "entry__ladder", "opponent"]
    actions = ["dismiss_them", "make_void"]

    def has_decide_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("ladders.change_suspicion")

    @admin.action(description="Dismiss: nothing is in it", permissions=["decide"])
    def dismiss_them(self, request: HttpRequest, rows: QuerySet[Suspicion]) -> None:
        self.message_user(request, f"{dismiss(suspicions=rows)} dismissed.")

    @admin.action(description="Make void: their matches count no longer", permissions=["decide"])
    def make_void(self, request: HttpRequest, rows: QuerySet[Suspicion]) -> None:
        voided = sum(void_suspicion(suspicion=row) for row in rows)
        self.message_user(request, f"{voided} matches count no longer.")
