"""The pages of groups: a group, its members and forms, how people join and leave, and how it ends."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from allauth.account.adapter import get_adapter
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.forms.models import model_to_dict
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.defaultfilters import floatformat
from django.utils.formats import get_format
from django.utils.timezone import localtime, now
from django.views.decorators.cache import cache_control
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST
from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell

from arena.bots.queries import list_bots_of_group
from arena.contests.ladders.models import Ladder
from arena.contests.ladders.queries import list_ladders_of_group
from arena.contests.marks import MarkLine, collect_marks
from arena.contests.reading import count_members_who_accepted, list_own_readable_versions
from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.queries import list_tournaments_of_group
from arena.core.errors import ArenaError
from arena.core.http import find_client_network
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, render_message
from arena.operations.acts import leave_group
from arena.operations.personal_data import build_group_export, count_contents, erase_group
from arena.operations.slips import (
    MailedSlip,
    MailOutcome,
    can_mail_slips,
    find_usable_link,
    give_link,
    mail_slips,
    sign_in_by_link,
)
from arena.operations.staff_acts import report_new_account
from arena.pages.formatting import (
    CSV_START,
    GROUP_ROLES,
    VERSION_STATES,
    Appearance,
    escape_spreadsheet_formula,
    translate_ladder_title,
)
from arena.pages.serving import reader_of, refusal_as_message, refusal_in_form, signed_in_reader
from arena.pages.svg.icons import draw_qr_code
from arena.pages.tournaments.words import make_tournament_lines
from arena.people.accounts.models import User
from arena.people.groups.listing import (
    CENTRAL,
    WESTERN,
    BadList,
    DecodedList,
    ListLine,
    decode_list,
    read_as_other,
    read_list_lines,
    read_name_list,
)
from arena.people.groups.models import Group, Invitation, Membership
from arena.people.groups.services import (
    CREATE_PERMISSION,
    ListResult,
    accept_invitation,
    accept_reading,
    add_listed_people,
    count_unused_links,
    create_group,
    edit_group,
    end_join_code,
    find_group,
    find_group_by_code,
    find_member,
    find_membership,
    find_own_invitation,
    hide_names,
    join_group,
    list_group_announcements,
    list_groups,
    list_invitations_to,
    list_members,
    list_own_invitations,
    preview_listed_people,
    refuse_invitation,
    renew_join_code,
    renew_unused_links,
    set_real_name,
    set_role,
)
from arena.runner.protocol import make_visible
from engine.message import gettext_noop, message

# Forms of groups.

CODE_LIFETIMES = (
    (2, gettext_lazy("2 hours (one lesson)")),
    (24, gettext_lazy("a day")),
    (24 * 7, gettext_lazy("a week")),
    (24 * 30, gettext_lazy("30 days")),
)
"""Hours for which a code can be used, and their labels."""
DEFAULT_CODE_HOURS = 24 * 7
MAX_NAME_LENGTH = 80


class GroupForm(forms.Form):
    """Name and description of a group, and who sees real names."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=60,
        help_text=gettext_lazy(
            "For example, “Class 10.b” or “Robotics club”. The address is based on the original name and "
            "never changes. Only members see either."
        ),
    )
    description = forms.CharField(
        label=gettext_lazy("Description"),
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("Plain text for members: when you meet, what the task is, who to ask."),
    )
    hides_names = forms.BooleanField(
        label=gettext_lazy("Real names for organisers only"),
        required=False,
        help_text=gettext_lazy("Other members then see usernames instead, including on tournament pages."),
    )
    reads_bots = forms.BooleanField(
        label=gettext_lazy("Organisers can read this group's bots"),
        required=False,
        help_text=gettext_lazy(
            "Applies only to bots that members upload after accepting: bots for this group only, or bots "
            "that play in its tournaments or on its ladders. New members accept when they join; the others "
            "are asked. Authors see who has read their files."
        ),
    )


class NewGroupForm(GroupForm):
    """A new group, with its owner's name."""

    real_name = forms.CharField(
        label=gettext_lazy("Your name in this group"),
        max_length=MAX_NAME_LENGTH,
        required=False,
        help_text=gettext_lazy("Only members see it; everyone else sees your username. Optional."),
    )


class NewCodeForm(forms.Form):
    """How long a new code can be used."""

    hours = forms.TypedChoiceField(
        label=gettext_lazy("Valid for"), choices=CODE_LIFETIMES, coerce=int, initial=DEFAULT_CODE_HOURS
    )


class TypedCodeForm(forms.Form):
    """The code of a group."""

    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}),
        help_text=gettext_lazy("12 letters and digits, such as 7KQ2-M9XD-4TRW. Hyphens and case don't matter."),
    )


class ReadingField(forms.BooleanField):
    """That a person accepts that organisers read bots: must be ticked, and is left out where they don't."""

    def __init__(self) -> None:
        super().__init__(
            label=gettext_lazy("I accept that organisers can read my bots"),
            help_text=gettext_lazy(
                "This covers bots you upload from now on that are for this group only, or that play in its "
                "tournaments or on its ladders. The group page lists them, and each version's page shows who "
                "has read it. Organisers' access ends when you leave."
            ),
            error_messages={
                "required": gettext_lazy("This group's organisers can read its bots: accept that to join.")
            },
        )


class JoinForm(forms.Form):
    """The name under which somebody joins."""

    accepts_reading = ReadingField()
    code = forms.CharField(widget=forms.HiddenInput)
    real_name = forms.CharField(
        label=gettext_lazy("Your name in this group"),
        max_length=MAX_NAME_LENGTH,
        required=False,
        help_text=gettext_lazy(
            "Your real name, so the organisers know who you are. Only members see it; everyone else sees "
            "your username. You can change it later."
        ),
    )
    field_order = ("code", "real_name", "accepts_reading")

    def __init__(self, group: Group, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        if not group.reads_bots:
            del self.fields["accepts_reading"]


class RealNameForm(forms.Form):
    """A member's name."""

    real_name = forms.CharField(
        label=gettext_lazy("Name in this group"),
        max_length=MAX_NAME_LENGTH,
        required=False,
        help_text=gettext_lazy("Only members see it. If empty, they see the username."),
    )


LINK_LIFETIMES = (
    (1, gettext_lazy("a day")),
    (7, gettext_lazy("a week")),
    (14, gettext_lazy("two weeks")),
    (30, gettext_lazy("30 days")),
)
"""Days for which a sign-in link can be used, and their labels."""
DEFAULT_LINK_DAYS = 14


class LinkDaysForm(forms.Form):
    """How long new sign-in links can be used."""

    days = forms.TypedChoiceField(
        label=gettext_lazy("Links valid for"), choices=LINK_LIFETIMES, coerce=int, initial=DEFAULT_LINK_DAYS
    )


MAX_LIST_LENGTH = 60_000
"""Characters of a list, and bytes of a file: a hundred people with long further columns."""


class NameListForm(LinkDaysForm):
    """A list of names: a file, or pasted."""

    file = forms.FileField(
        label=gettext_lazy("CSV file"),
        required=False,
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,text/csv,text/plain"}),
        help_text=gettext_lazy(
            "As exported by Excel, Moodle or Neptun, with a header row: name, email, student number."
        ),
    )
    names = forms.CharField(
        label=gettext_lazy("Or paste the list"),
        max_length=MAX_LIST_LENGTH,
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false", "autocomplete": "off"}),
        help_text=gettext_lazy(
            "One person per line, at most 100: a name and, optionally, an email address, such as “Anna "
            "Kovács, anna@example.org”. Columns pasted from a spreadsheet work, too."
        ),
    )
    field_order = ("file", "names", "days")

    def clean_file(self) -> DecodedList | None:
        """Return the file's text. Raise ValidationError."""
        sent = self.cleaned_data["file"]
        if sent is None:
            return None
        if sent.size > MAX_LIST_LENGTH:
            raise forms.ValidationError(_("The file is too large: a list can have at most 100 people."))
        try:
            return decode_list(sent.read())
        except BadList as error:
            raise forms.ValidationError(render_message(error.message)) from None

    def read(self, read_as: str) -> DecodedList:
        """Return the list, read anew where its letters were taken for another encoding's. Raise BadList."""
        sent: DecodedList | None = self.cleaned_data["file"]
        if sent is not None:
            return sent
        names = self.cleaned_data["names"]
        return read_as_other(names, read_as) if read_as in OLD_ENCODINGS else DecodedList(names, "")


OLD_ENCODINGS = {WESTERN: gettext_lazy("Western European"), CENTRAL: gettext_lazy("Central European")}
"""Encodings of Windows that are told apart by asking, and what Excel calls them."""


class FirstSignInForm(forms.Form):
    """The username and the password that a person chooses at the first sign-in."""

    username = forms.CharField(
        label=gettext_lazy("Username"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
        help_text=gettext_lazy(
            "Letters from one alphabet, digits and @ . + - _, no spaces. Everyone sees it next to your bots, "
            "so don't use your real name. You'll sign in with it."
        ),
    )
    password = forms.CharField(
        label=gettext_lazy("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=gettext_lazy("At least 8 characters, and not a common word."),
    )
    password_again = forms.CharField(
        label=gettext_lazy("Repeat password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    accepts_reading = ReadingField()

    def __init__(self, member: Membership, data: Any = None, *, keeps_name: bool = False) -> None:
        super().__init__(data, initial={"username": member.user.username} if keeps_name else None)
        self.user = member.user
        self.fields["username"].disabled = keeps_name
        if keeps_name or not member.group.reads_bots:
            del self.fields["accepts_reading"]

    def clean_username(self) -> str:
        """Return the name as it is to be stored. Raise ValidationError."""
        name = str(self.cleaned_data["username"])
        return name if name == self.user.username else get_adapter().clean_username(name)

    def clean(self) -> dict[str, Any]:
        """Check the password. Raise ValidationError."""
        data = super().clean() or {}
        password = data.get("password")
        if password:
            if password != data.get("password_again"):
                self.add_error("password_again", _("The passwords don't match."))
            try:
                validate_password(password, User(username=data.get("username", "")))
            except forms.ValidationError as error:
                self.add_error("password", error)
        return data


# Find the group in the address of a page, and keep its pages out of every cache.

GroupView = Callable[..., HttpResponseBase]


@dataclass(frozen=True, slots=True)
class GroupVisit:
    """A member at a page of the group."""

    reader: User
    group: Group
    own: Membership

    @property
    def hides_names(self) -> bool:
        """Return whether the reader sees no real names but the own one."""
        return self.group.hides_names and not self.own.is_organiser


def private_page(view: GroupView) -> GroupView:
    """Make a view that only signed-in readers reach, and whose responses nobody caches."""
    wrapped: GroupView = cache_control(private=True, no_store=True)(login_required(view))
    return wrapped


def group_page(view: GroupView) -> GroupView:
    """Make a view of a page that members of the group see; for others there is no such page."""

    @private_page
    @wraps(view)
    def wrapped(request: HttpRequest, slug: str, **more: Any) -> HttpResponseBase:
        return view(request, visit_or_404(request, slug), **more)

    return wrapped


def organisers_page(view: GroupView) -> GroupView:
    """Make a view of a page for owners and co-organisers of the group; other members are refused."""

    @group_page
    @wraps(view)
    def wrapped(request: HttpRequest, visit: GroupVisit, **more: Any) -> HttpResponseBase:
        if not visit.own.is_organiser:
            raise PermissionDenied
        return view(request, visit, **more)

    return wrapped


def visit_or_404(request: HttpRequest, slug: str) -> GroupVisit:
    """Return the group and the reader's membership in it. Raise Http404 for those who aren't in it."""
    reader = signed_in_reader(request)
    group = find_group(reader, slug)
    own = find_membership(group, reader) if group else None
    if group is None or own is None:
        raise Http404(_("No such group, or you aren't in it."))
    return GroupVisit(reader, group, own)


def member_or_404(visit: GroupVisit, pk: int) -> Membership:
    """Return a membership of the visited group. Raise Http404."""
    member = find_member(visit.group, pk)
    if member is None:
        raise Http404
    return member


# The reader's groups, the page of a group, and the forms that make and change one.

TOURNAMENTS_SHOWN = 50
BOTS_SHOWN = 200
ANNOUNCEMENTS_SHOWN = 3
MEMBERS_SHOWN = 60
"""Members on the page of a group; all of them are on the page of members."""


@private_page
def show_groups(request: HttpRequest) -> HttpResponse:
    """Show the groups of the reader, the reader's invitations, and the form for a code."""
    reader = signed_in_reader(request)
    context = {
        "groups": list_groups(reader),
        "invitations": list_own_invitations(reader),
        "form": TypedCodeForm(),
        "may_create": reader.has_perm(CREATE_PERMISSION),
    }
    return render(request, "groups/index.html", context)


@private_page
def new_group(request: HttpRequest) -> HttpResponse:
    """Make a group."""
    owner = signed_in_reader(request)
    if not owner.has_perm(CREATE_PERMISSION):
        raise PermissionDenied
    form = NewGroupForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with refusal_in_form(form):
            group = create_group(owner=owner, **form.cleaned_data)
            messages.success(request, _("Group created. Now let people in with a code or a list of names."))
            return redirect("group", group.slug)
    return render(request, "groups/form.html", {"form": form}, status=400 if form.errors else 200)


@organisers_page
def edit_own_group(request: HttpRequest, visit: GroupVisit) -> HttpResponse:
    """Change name and description of a group."""
    group = visit.group
    form = GroupForm(request.POST or None, initial=model_to_dict(group, fields=list(GroupForm.base_fields)))
    if request.method == "POST" and form.is_valid():
        with refusal_in_form(form):
            edit_group(group=group, by=visit.reader, **form.cleaned_data)
            messages.success(request, _("Group saved."))
            return redirect("group", group.slug)
    context = {"form": form, "group": group, "may_end": visit.own.role == Membership.Role.OWNER}
    return render(request, "groups/form.html", context, status=400 if form.errors else 200)


@group_page
def show_group(request: HttpRequest, visit: GroupVisit) -> HttpResponse:
    """Show a group: what it is, who is in it, and for organisers how people join."""
    group, members = visit.group, list_members(visit.group, by_username=visit.hides_names)
    code = group.open_code if visit.own.is_organiser else ""
    shown = hide_names(members[:MEMBERS_SHOWN], group, visit.own)
    context = {
        "group": group,
        "own": visit.own,
        "members": [(member, GROUP_ROLES[member.role]) for member in shown],
        "members_count": members.count(),
        "announcements": list_group_announcements(group)[:ANNOUNCEMENTS_SHOWN],
        "tournaments": make_tournament_lines(list_tournaments_of_group(visit.reader, group)[:TOURNAMENTS_SHOWN]),
        "ladders": list_ladders_of_group(group),
        "bots": list_bots_of_group(group)[:BOTS_SHOWN],
        "code": code,
        "link": request.build_absolute_uri(f"/groups/join/?code={code}") if code else "",
        "form": NewCodeForm() if visit.own.is_organiser else None,
        "readable": list_own_readable_versions(group, visit.reader)[:BOTS_SHOWN] if group.reads_bots else [],
        "accepted_count": count_members_who_accepted(group) if visit.own.is_organiser else 0,
    }
    return render(request, "groups/detail.html", context)


@require_POST
@group_page
def accept_reading_of_bots(request: HttpRequest, visit: GroupVisit) -> HttpResponse:
    """Let organisers read what the member uploads from now on."""
    with refusal_as_message(request):
        accept_reading(member=visit.own)
        messages.success(request, _("Organisers can now read bots you upload for this group."))
    return redirect("group", visit.group.slug)


@require_POST
@organisers_page
def renew_code(request: HttpRequest, visit: GroupVisit) -> HttpResponse:
    """Make a new code to join by; the old one ends."""
    form = NewCodeForm(request.POST)
    if form.is_valid():
        renew_join_code(group=visit.group, by=visit.reader, hours=form.cleaned_data["hours"])
        messages.success(request, _("New code created. The old one no longer works."))
    else:
        messages.error(request, _("Choose how long the code is valid."))
    return redirect("group", visit.group.slug)


@require_POST
@organisers_page
def end_code(request: HttpRequest, visit: GroupVisit) -> HttpResponse:
    """Let nobody join by the code any more."""
    end_join_code(group=visit.group, by=visit.reader)
    messages.success(request, _("Code revoked."))
    return redirect("group", visit.group.slug)


# Export a group, and delete it at the end of term.


def refuse_non_owners(visit: GroupVisit) -> None:
    """Raise PermissionDenied for co-organisers."""
    if visit.own.role != Membership.Role.OWNER:
        raise PermissionDenied


@organisers_page
def end_group(request: HttpRequest, visit: GroupVisit) -> HttpResponse:
    """Show what would be deleted and what would stay, and delete the group once its name was typed."""
    refuse_non_owners(visit)
    group = visit.group
    if request.method == "POST":
        try:
            erase_group(group=group, by=visit.reader, confirmation=request.POST.get("confirmation", ""))
        except ArenaError as error:
            messages.error(request, render_message(error.message))
            return redirect("end_group", group.slug)
        messages.success(request, _("%(group)s deleted.") % {"group": group.name})
        return redirect("groups")
    return render(request, "groups/end.html", {"group": group, "contents": count_contents(group)})


@organisers_page
def export_group(request: HttpRequest, visit: GroupVisit) -> HttpResponseBase:
    """Send all that is the group's as a zip."""
    refuse_non_owners(visit)
    return FileResponse(build_group_export(visit.group), as_attachment=True, filename=f"{visit.group.slug}.zip")


# Join a group by its link, its code or an invitation, and leave it.


@private_page
def join_by_link_or_code(request: HttpRequest) -> HttpResponse:
    """Ask for a code; with one, show whose it is, and make the reader a member when the form is sent."""
    sent = request.POST if request.method == "POST" else request.GET
    if "code" not in sent:
        return render(request, "groups/join.html", {"form": TypedCodeForm()})
    asked = TypedCodeForm(sent)
    if not asked.is_valid():
        return render(request, "groups/join.html", {"form": asked}, status=400)
    reader = signed_in_reader(request)
    code = asked.cleaned_data["code"]
    try:
        group = find_group_by_code(typed=code, user=reader, address=find_client_network(request))
        if find_membership(group, reader) is not None:
            messages.info(request, _("You're already in this group."))
            return redirect("group", group.slug)
        form = JoinForm(group, request.POST if request.method == "POST" else None, initial={"code": code})
        if request.method != "POST" or not form.is_valid():
            context = {"group": group, "form": form}
            return render(request, "groups/join_confirm.html", context, status=400 if form.errors else 200)
        data = form.cleaned_data
        join_group(
            group=group,
            user=reader,
            real_name=data["real_name"],
            accepts_reading=data.get("accepts_reading", False),
        )
    except ArenaError as error:
        asked.add_error("code", render_message(error.message))
        return render(request, "groups/join.html", {"form": asked}, status=error.status)
    messages.success(request, _("You're now in %(group)s.") % {"group": group.name})
    return redirect("group", group.slug)


@require_POST
@private_page
def accept_group_invitation(request: HttpRequest, pk: int) -> HttpResponse:
    """Accept an invitation."""
    invitation = invitation_or_404(request, pk)
    with refusal_as_message(request):
        accept_invitation(invitation=invitation, accepts_reading="accepts_reading" in request.POST)
        messages.success(request, _("You're now in %(group)s.") % {"group": invitation.group.name})
        return redirect("group", invitation.group.slug)
    return redirect("groups")


@require_POST
@private_page
def refuse_group_invitation(request: HttpRequest, pk: int) -> HttpResponse:
    """Refuse an invitation."""
    refuse_invitation(invitation=invitation_or_404(request, pk))
    messages.success(request, _("You refused the invitation."))
    return redirect("groups")


def invitation_or_404(request: HttpRequest, pk: int) -> Invitation:
    """Return an invitation of the reader. Raise Http404."""
    invitation = find_own_invitation(signed_in_reader(request), pk)
    if invitation is None:
        raise Http404
    return invitation


@group_page
def leave_own_group(request: HttpRequest, visit: GroupVisit) -> HttpResponse:
    """Ask whether the reader wants to leave a group, and let the reader leave."""
    if request.method != "POST":
        return render(request, "groups/leave.html", {"group": visit.group, "own": visit.own})
    with refusal_as_message(request):
        leave_group(member=visit.own, by=visit.reader)
        messages.success(request, _("You left %(group)s.") % {"group": visit.group.name})
        return redirect("groups")
    return redirect("group", visit.group.slug)


# Send a list of names, look at what it would make, and print the slips of the accounts that it made.


@sensitive_post_parameters("names")
@organisers_page
def add_people(request: HttpRequest, visit: GroupVisit) -> HttpResponse:
    """Show what a list would make, and with `make` let its people in: links of new accounts are shown only then."""
    form = NameListForm(request.POST or None, request.FILES or None)
    context: dict[str, Any] = {"group": visit.group, "form": form, "can_mail": can_mail_slips()}
    if request.method == "POST" and form.is_valid():
        try:
            days = form.cleaned_data["days"]
            if "make" in request.POST:
                people = read_name_list(form.cleaned_data["names"])
                result = add_listed_people(group=visit.group, by=visit.reader, people=people, days=days)
                return show_slips(request, visit, result, is_mailed=request.POST["make"] == MAIL)
            sent = form.read(request.POST.get("read_as", ""))
            context |= preview_list(visit, sent, days)
            context["form"] = NameListForm(initial={"names": sent.text, "days": days})
        except BadList as error:
            form.add_error("names", [render_message(problem) for problem in error.problems])
        except ArenaError as error:
            form.add_error(None, render_message(error.message))
    status = 400 if form.errors or context.get("problems") else 200
    return render(request, "groups/list.html", context, status=status)


def preview_list(visit: GroupVisit, sent: DecodedList, days: int) -> dict[str, Any]:
    """Return the lines of a list with what becomes of each, or with their problems. Raise ArenaError."""
    lines = read_list_lines(sent.text)
    problems = sum(line.problem is not None for line in lines)
    sound = [line.person for line in lines if line.problem is None]
    result = preview_listed_people(group=visit.group, by=visit.reader, people=sound, days=days)
    return {
        "lines": [(line, describe_outcome(line, result)) for line in lines],
        "problems": problems,
        "result": result,
        "mailable": sum(bool(person.email) for person in result.new),
        "text": sent.text,
        "days": days,
        "asks_about": sent.encoding if sent.other else "",
        "read_as_name": OLD_ENCODINGS.get(sent.encoding, ""),
        "other_name": OLD_ENCODINGS.get(sent.other, ""),
        "example": find_ambiguous_word(sent) if sent.other else None,
    }


def describe_outcome(line: ListLine, result: ListResult) -> str:
    """Return the word for what becomes of a line's person."""
    if line.problem is not None:
        return ""
    if line.person in result.present:
        return _("Already in the group")
    return _("Invitation") if line.person in result.invited else _("New account")


def find_ambiguous_word(sent: DecodedList) -> tuple[str, str]:
    """Return a word of the list as it was read, and as the other encoding gives it."""
    other = read_as_other(sent.text, sent.encoding).text
    pairs = zip(sent.text.split(), other.split(), strict=False)
    return next(((one, two) for one, two in pairs if one != two), ("", ""))


@require_POST
@organisers_page
def renew_links(request: HttpRequest, visit: GroupVisit) -> HttpResponse:
    """Make new slips for all who have not signed in yet; their old links end."""
    form = LinkDaysForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Choose how long the links are valid."))
        return redirect("group_members", visit.group.slug)
    slips = renew_unused_links(group=visit.group, by=visit.reader, days=form.cleaned_data["days"])
    if not slips:
        messages.info(request, _("Everyone has signed in, so there are no slips to print."))
        return redirect("group_members", visit.group.slug)
    return show_slips(request, visit, ListResult(slips=slips), is_mailed="mail" in request.POST)


@require_POST
@organisers_page
def renew_link_of_member(request: HttpRequest, visit: GroupVisit, pk: int) -> HttpResponse:
    """Make a new slip for one person; the old link ends. Who has signed in before chooses a new password by it."""
    with refusal_as_message(request):
        slip = give_link(member=member_or_404(visit, pk), by=visit.reader, days=DEFAULT_LINK_DAYS)
        return show_slips(request, visit, ListResult(slips=[slip]), is_mailed="mail" in request.POST)
    return redirect("group_members", visit.group.slug)


MAIL = "mail"
"""Value of the button that mails slips."""
MAIL_OUTCOMES = {
    MailOutcome.SENT: Appearance("good", "ok", gettext_lazy("emailed")),
    MailOutcome.NO_ADDRESS: Appearance("plain", "dash", gettext_lazy("no address")),
    MailOutcome.REFUSED: Appearance("bad", "no", gettext_lazy("address refused")),
    MailOutcome.LIMITED: Appearance("warn", "clock", gettext_lazy("too many emails today")),
    MailOutcome.FAILED: Appearance("bad", "no", gettext_lazy("not sent")),
}


def show_slips(request: HttpRequest, visit: GroupVisit, result: ListResult, *, is_mailed: bool) -> HttpResponse:
    """Show what became of a list, and mail the slips if asked to; those that weren't mailed are shown for printing."""
    build_link, mailed = request.build_absolute_uri, list[MailedSlip]()
    if is_mailed:
        mailed = mail_slips(group=visit.group, by=visit.reader, slips=result.slips, build_link=build_link)
    sent = [one.slip for one in mailed if one.outcome == MailOutcome.SENT]
    shown = [(slip, build_link(slip.path)) for slip in result.slips if slip not in sent]
    context = {
        "group": visit.group,
        "result": result,
        "slips": [(slip, link, draw_qr_code(link)) for slip, link in shown],
        "mailed": [(one.slip, MAIL_OUTCOMES[one.outcome]) for one in mailed],
        "site": request.get_host(),
    }
    return render(request, "groups/slips.html", context)


# The page of members, on which organisers change names and roles and take people out.

MEMBERS_PER_PAGE = 50
Role = Membership.Role


@group_page
def show_members(request: HttpRequest, visit: GroupVisit) -> HttpResponse:
    """Show all members, with forms for what the reader may change."""
    members = list_members(visit.group, by_username=visit.hides_names)
    page = Paginator(members, MEMBERS_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "group": visit.group,
        "own": visit.own,
        "page": page,
        "lines": [build_member_line(member, visit) for member in hide_names(page.object_list, visit.group, visit.own)],
        "roles": [(role.value, GROUP_ROLES[role].label) for role in Role],
        "unused_links": count_unused_links(visit.group) if visit.own.is_organiser else 0,
        "links_form": LinkDaysForm(),
        "can_mail": can_mail_slips(),
        "invitations": list_invitations_to(visit.group) if visit.own.is_organiser else [],
    }
    return render(request, "groups/members.html", context)


def build_member_line(member: Membership, visit: GroupVisit) -> dict[str, Any]:
    """Return a member, and what the reader may do with the membership.

    Of an account made from a list, organisers also see whether its link can still be used.
    """
    is_own, is_owner = member.pk == visit.own.pk, visit.own.role == Role.OWNER
    expires_at = getattr(member, "link_expires_at", None) if visit.own.is_organiser else None
    is_known = member.user.last_login is not None
    expires_at = None if is_known else expires_at
    return {
        "member": member,
        "chip": GROUP_ROLES[member.role],
        "is_own": is_own,
        "has_waiting_link": expires_at is not None and expires_at > now(),
        "has_expired_link": expires_at is not None and expires_at <= now(),
        "may_renew": expires_at is not None,
        "may_reopen": is_known and visit.own.is_organiser and member.role == Role.MEMBER and not is_own,
        "may_rename": is_own or visit.own.is_organiser,
        "may_remove": not is_own and visit.own.is_organiser and (is_owner or not member.is_organiser),
        "may_change_role": is_owner,
    }


@require_POST
@group_page
def rename_group_member(request: HttpRequest, visit: GroupVisit, pk: int) -> HttpResponse:
    """Change a member's name in the group: one's own, or as an organiser."""
    member, form = member_or_404(visit, pk), RealNameForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("A name can have at most 80 characters."))
        return redirect("group_members", visit.group.slug)
    try:
        set_real_name(member=member, by=visit.reader, real_name=form.cleaned_data["real_name"])
    except ArenaError as error:
        raise PermissionDenied from error
    messages.success(request, _("%(name)s: name saved.") % {"name": member.shown_name})
    return redirect("group_members", visit.group.slug)


@require_POST
@organisers_page
def change_group_role(request: HttpRequest, visit: GroupVisit, pk: int) -> HttpResponse:
    """Give a member another role."""
    member, role = member_or_404(visit, pk), request.POST.get("role", "")
    with refusal_as_message(request):
        if role not in Role.values:
            raise ArenaError(message(gettext_noop("No such role.")))
        set_role(member=member, by=visit.reader, role=Role(role))
        words = {"name": member.shown_name, "role": GROUP_ROLES[role].label}
        messages.success(request, _("%(name)s is now: %(role)s.") % words)
    return redirect("group_members", visit.group.slug)


@require_POST
@organisers_page
def remove_group_member(request: HttpRequest, visit: GroupVisit, pk: int) -> HttpResponse:
    """Take a person out of the group."""
    member = member_or_404(visit, pk)
    with refusal_as_message(request):
        leave_group(member=member, by=visit.reader)
        messages.success(request, _("%(name)s is no longer in the group.") % {"name": member.shown_name})
    return redirect("group_members", visit.group.slug)


# The table for marks: what each member has done, with the results of one contest of the group.


@organisers_page
def show_marks(request: HttpRequest, visit: GroupVisit) -> HttpResponse:
    """Show a line for each member, with the results of the chosen tournament or ladder.

    `format=csv` and `format=xlsx` make a file of it.
    """
    contests: dict[str, Tournament | Ladder] = {
        **{f"tournament-{one.pk}": one for one in list_tournaments_of_group(visit.reader, visit.group)},
        **{f"ladder-{one.pk}": one for one in list_ladders_of_group(visit.group)},
    }
    chosen = request.GET.get("of", "")
    if chosen and chosen not in contests:
        raise Http404(_("No such contest in this group."))
    lines = [build_mark_cells(line) for line in collect_marks(visit.group, contests.get(chosen))]
    if request.GET.get("format") in MARK_FILES:
        return MARK_FILES[request.GET["format"]](visit.group, lines)
    context = {
        "group": visit.group,
        "headings": MARK_HEADINGS.values(),
        "lines": [[write_mark(cell) for cell in line.values()] for line in lines],
        "choices": [(key, name_contest(one)) for key, one in contests.items()],
        "chosen": chosen,
    }
    return render(request, "groups/marks.html", context)


MARK_HEADINGS = {
    "name": gettext_lazy("Name"),
    "number": gettext_lazy("Number"),
    "email": gettext_lazy("Email address"),
    "username": gettext_lazy("Username"),
    "bots": gettext_lazy("Bots"),
    "versions": gettext_lazy("Versions"),
    "last_upload": gettext_lazy("Last upload"),
    "check": gettext_lazy("Check"),
    "place": gettext_lazy("Place"),
    "points": gettext_lazy("Points"),
    "faults": gettext_lazy("Faults"),
    "beaten": gettext_lazy("Opponents beaten"),
}


def name_contest(contest: Tournament | Ladder) -> str:
    """Return how a contest is called among those of a group."""
    if isinstance(contest, Tournament):
        return contest.title
    season = _("season %(season)s") % {"season": contest.season}
    return f"{translate_ladder_title(contest.title)}, {season}"


def build_mark_cells(line: MarkLine) -> dict[str, str | int | float]:
    """Return the cells of a line; empty where the member has nothing there."""
    member, best = line.member, line.best
    return {
        "name": make_visible(member.real_name),
        "number": member.number,
        "email": member.email,
        "username": member.user.username,
        "bots": ", ".join(line.bots),
        "versions": line.versions,
        "last_upload": f"{localtime(line.last_upload):%Y-%m-%d %H:%M}" if line.last_upload else "",
        "check": str(VERSION_STATES[line.check].label) if line.check else "",
        "place": best.place or "" if best else "",
        "points": best.points if best else "",
        "faults": line.faults if best else "",
        "beaten": best.beaten if best else "",
    }


def write_mark(cell: str | int | float) -> str | int:
    """Return a cell as pages and CSV show it, with the reader's decimals."""
    return floatformat(cell, -2) if isinstance(cell, float) else cell


def send_marks(group: Group, lines: list[dict[str, str | int | float]]) -> HttpResponse:
    """Send the table as CSV, as Excel of the reader's language reads it: with a mark of UTF-8 and its delimiter."""
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{group.slug}-marks.csv"'
    response.write(CSV_START)
    # Where decimals have commas, Excel separates columns by semicolons.
    writer = csv.writer(response, delimiter=";" if get_format("DECIMAL_SEPARATOR") == "," else ",")
    writer.writerow([str(heading) for heading in MARK_HEADINGS.values()])
    for line in lines:
        writer.writerow([escape_spreadsheet_formula(write_mark(cell)) for cell in line.values()])
    return response


def send_mark_workbook(group: Group, lines: list[dict[str, str | int | float]]) -> HttpResponse:
    """Send the table as a workbook of Excel, in which no text is a formula and numbers are numbers."""
    response = HttpResponse(content_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
    response["Content-Disposition"] = f'attachment; filename="{group.slug}-marks.xlsx"'
    workbook = Workbook(write_only=True)
    sheet = workbook.create_sheet()
    sheet.append([str(heading) for heading in MARK_HEADINGS.values()])
    for line in lines:
        cells = [WriteOnlyCell(sheet, cell) for cell in line.values()]
        for cell in cells:
            cell.data_type = "s" if isinstance(cell.value, str) else cell.data_type
        sheet.append(cells)
    workbook.save(response)
    return response


MARK_FILES = {"csv": send_marks, "xlsx": send_mark_workbook}


# The page behind the link of a slip: a person chooses a name and a password, and is signed in.


@sensitive_post_parameters()
@cache_control(private=True, no_store=True)
def sign_in_once(request: HttpRequest, token: str) -> HttpResponse:
    """Sign a person in by the link of a slip. Opening it uses nothing up: programs open links of mails, too."""
    link = find_usable_link(token)
    if link is None:
        return render(request, "groups/link_over.html", status=404)
    member = link.membership
    form = FirstSignInForm(member, request.POST or None, keeps_name=link.is_for_known)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        with refusal_in_form(form, None if link.is_for_known else "username"):
            user = sign_in_by_link(
                link=link,
                username=data["username"],
                password=data["password"],
                accepts_reading=data.get("accepts_reading", False),
            )
            if not link.is_for_known:
                report_new_account(user=user)
            login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
            messages.success(request, _("You're signed in as %(name)s.") % {"name": user.username})
            return redirect("group", member.group.slug)
    other = reader_of(request)
    context = {"form": form, "link": link, "member": member, "group": member.group, "other": other}
    return render(request, "groups/sign_in.html", context, status=400 if form.errors else 200)
