"""Show matches and workers to staff; only services change them."""

from django.contrib import admin

from arena.accounts.admin import ReadOnlyAdmin
from arena.matches.models import Attempt, Match, Participant, WorkerStatus


class ParticipantInline(admin.TabularInline):
    """The participants of a match."""

    model = Participant
    can_delete = False
    fields = ["index", "version", "points"]


class AttemptInline(admin.TabularInline):
    """The attempts to play a match."""

    model = Attempt
    can_delete = False
    fields = ["number", "worker", "started_at", "heartbeat_at", "ended_at", "ending", "error"]
    readonly_fields = ["error"]


@admin.register(Match)
class MatchAdmin(ReadOnlyAdmin):
    """Matches without their deals."""

    list_display = ["id", "game", "edition", "state", "created_at", "finished_at", "void_reason"]
    list_filter = ["state", "game", "edition"]
    exclude = ["deal"]
    inlines = [ParticipantInline, AttemptInline]


@admin.register(WorkerStatus)
class WorkerStatusAdmin(ReadOnlyAdmin):
    """Workers and their sandboxes."""

    list_display = ["worker", "seen_at", "sandbox", "level", "hint"]
