"""Acts of staff as actions in the admin: the plan is shown and a reason asked for before anything changes."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from arena.accounts.models import User
from arena.errors import ArenaError
from arena.messages import render_message
from arena.staff_acts.act import StaffAct, carry_out

MAX_ACTS_AT_ONCE = 20
Action = Callable[[Any, HttpRequest, QuerySet[Any]], HttpResponse | None]


class ActsAdmin(admin.ModelAdmin):
    """Admin pages with acts of staff, for those who may change such rows."""

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may act on rows of this kind."""
        return bool(request.user.has_perm(f"{self.opts.app_label}.change_{self.opts.model_name}"))


def build_action(name: str, description: str, build: Callable[[Any], StaffAct]) -> Action:
    """Return an action that carries out the act that `build` makes of each chosen row, once it is confirmed."""

    @admin.action(description=description, permissions=["act"])
    def confirm_or_act(pages: ActsAdmin, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
        chosen = list(rows[: MAX_ACTS_AT_ONCE + 1])
        if len(chosen) > MAX_ACTS_AT_ONCE:
            pages.message_user(request, f"Choose at most {MAX_ACTS_AT_ONCE}.", messages.ERROR)
            return None
        acts = [build(row) for row in chosen]
        why = request.POST.get("why", "").strip()
        if why:
            _carry_out_all(pages, request, acts, why)
            return None
        plans = _describe_all(pages, request, acts)
        if not plans:
            return None
        context = {
            **pages.admin_site.each_context(request),
            "title": description,
            "opts": pages.opts,
            "plans": plans,
            "action": name,
            "keys": [row.pk for row in chosen],
        }
        return TemplateResponse(request, "admin/confirm_act.html", context)

    confirm_or_act.__name__ = name
    return confirm_or_act


def _describe_all(pages: ActsAdmin, request: HttpRequest, acts: list[StaffAct]) -> list[tuple[str, str]]:
    """Return subject and plan of each act that can be done, and show why others can't be."""
    plans = []
    for act in acts:
        try:
            plans.append((act.subject, act.describe()))
        except ArenaError as error:
            pages.message_user(request, render_message(error.message), messages.ERROR)
    return plans


def _carry_out_all(pages: ActsAdmin, request: HttpRequest, acts: list[StaffAct], why: str) -> None:
    """Carry the acts out, and show what each did or why it could not be done."""
    assert isinstance(request.user, User)
    for act in acts:
        try:
            outcome = carry_out(act, by=request.user, why=why)
        except ArenaError as error:
            pages.message_user(request, render_message(error.message), messages.ERROR)
        else:
            pages.message_user(request, f"{act.subject}: {outcome}")
