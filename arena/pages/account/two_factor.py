"""Two-factor sign-in, whose pages are allauth's: the forms for keys, and the pages for which staff need it."""

from collections.abc import Callable

from allauth.mfa.base.forms import AuthenticateForm, BaseAuthenticateForm, ReauthenticateForm
from allauth.mfa.webauthn.forms import AddWebAuthnForm, EditWebAuthnForm
from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import ResolverMatch
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.accounts.limits import TooManyActions, count_code_attempt, forgive_attempt
from arena.accounts.two_factor import STAFF_NEED_SECOND_FACTOR, lacks_required_second_factor
from arena.messages import render_message

STAFF_APP = "admin"
STAFF_PAGES = frozenset(
    {
        "name_formation",
        "new_tournament",
        "edit_tournament",
        "organise_tournament",
        "organise_enter",
        "open_tournament",
        "start_tournament",
        "pause_tournament",
        "resume_tournament",
        "cancel_tournament",
        "delete_tournament",
        "replay_round",
        "organise_seeds",
        "organise_take_seeds",
        "disqualify_entrant",
        "approve_entrant",
        "renew_entry_code",
        "publish_tournament",
        "decide_pairing",
        "undo_decision",
        "remind_authors",
        "add_organiser",
        "remove_organiser",
        "rehearse_tournament",
        "end_rehearsal",
        "end_group",
        "export_group",
        "new_group",
        "edit_group",
        "group_list",
        "renew_group_links",
        "renew_group_code",
        "end_group_code",
        "change_group_role",
        "remove_group_member",
        "open_group_ladder",
        "organise_group_ladder",
        "tokens",  # With a token of theirs the API does what staff may do.
    }
)
"""Names of the addresses beside the admin that staff need a second factor for; others may have reasons to be there."""
ADDRESS_NAMES_OF_LOGIN = frozenset({"login", "logout"})


class CountedCode(BaseAuthenticateForm):
    """A code of an app, or a recovery code, whose wrong tries are counted in the database."""

    def clean_code(self) -> str:
        """Return the code if it is right. Raises ValidationError."""
        try:
            counted = count_code_attempt(user=self.user.pk)
        except TooManyActions as error:
            raise ValidationError(render_message(error.message)) from None
        code: str = super().clean_code()
        forgive_attempt(counted)
        return code


class CodeForm(CountedCode, AuthenticateForm):
    """The code after the password."""


class CodeAgainForm(CountedCode, ReauthenticateForm):
    """The code before a change that needs it again."""


class AddKeyForm(AddWebAuthnForm):
    """A new passkey or security key."""

    name = forms.CharField(
        label=gettext_lazy("Name"), required=False, help_text=gettext_lazy("By which you recognise the key.")
    )
    passwordless = forms.BooleanField(
        label=gettext_lazy("Passkey: sign in with it alone"),
        required=False,
        initial=True,
        help_text=gettext_lazy(
            "Instead of name and password; the device asks for your fingerprint, face or PIN. Without this it is a "
            "security key, which is asked for after the password."
        ),
    )


class RenameKeyForm(EditWebAuthnForm):
    """A key's new name."""

    name = forms.CharField(label=gettext_lazy("Name"))


class RequireSecondFactorOfStaff:
    """Lead staff without the second factor that they need from the staff's pages to the one that sets it up."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Return the response of the view."""
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *view: object) -> HttpResponseBase | None:
        """Return a redirect where the page is for staff and the reader lacks the factor; None for all others."""
        if not (settings.STAFF_TWO_FACTOR and is_for_staff(request.resolver_match)):
            return None
        if not lacks_required_second_factor(request.user):
            return None
        messages.warning(request, _(STAFF_NEED_SECOND_FACTOR))
        return redirect("mfa_index")


def is_for_staff(match: ResolverMatch | None) -> bool:
    """Return whether an address shows or does what only staff should."""
    if match is None:
        return False
    if match.app_name == STAFF_APP:
        return match.url_name not in ADDRESS_NAMES_OF_LOGIN
    return match.url_name in STAFF_PAGES
