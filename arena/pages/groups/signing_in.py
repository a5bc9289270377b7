"""The page behind the link of a slip: a person chooses a name and a password, and is signed in."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.debug import sensitive_post_parameters

from arena.errors import ArenaError
from arena.groups.services.sign_in_links import find_open_link, use_link
from arena.messages import render_message
from arena.pages.groups.forms import FirstSignInForm
from arena.pages.reader import reader_of
from arena.staff_reports import report_new_account


@sensitive_post_parameters()
@cache_control(private=True, no_store=True)
def sign_in_once(request: HttpRequest, token: str) -> HttpResponse:
    """Sign a person in by the link of a slip. Opening it uses nothing up: programs open links of mails, too."""
    link = find_open_link(token)
    if link is None:
        return render(request, "groups/link_over.html", status=404)
    member = link.membership
    form = FirstSignInForm(member.user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            user = use_link(link=link, username=data["username"], password=data["password"])
        except ArenaError as error:
            form.add_error("username", render_message(error.message))
        else:
            report_new_account(user=user)
            login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
            messages.success(request, _("You are signed in as %(name)s.") % {"name": user.username})
            return redirect("group", member.group.slug)
    context = {"form": form, "member": member, "group": member.group, "other": reader_of(request)}
    return render(request, "groups/sign_in.html", context, status=400 if form.errors else 200)
