"""Sign up and in: closed sign-up, second factors, forgotten passwords, and the sessions of a reader."""

import base64
import hashlib
import logging
import re
import secrets
from collections.abc import Callable
from http import HTTPStatus
from smtplib import SMTPException
from threading import BoundedSemaphore, Timer
from typing import Any

from allauth.account import forms as account_forms
from allauth.account.adapter import DefaultAccountAdapter, get_adapter
from allauth.account.forms import LoginForm, SignupForm
from allauth.account.internal.userkit import filter_users_by_email
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.base.forms import AuthenticateForm, BaseAuthenticateForm, ReauthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.forms import AddWebAuthnForm, EditWebAuthnForm
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractBaseUser
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured, PermissionDenied, ValidationError
from django.db import Error, connection
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import ResolverMatch
from django.utils.encoding import force_bytes
from django.utils.translation import get_language, override
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from arena.core.environment import SignUpMode
from arena.core.errors import ArenaError
from arena.core.http import find_client_address, find_client_network
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, ngettext, render_message
from arena.operations.staff_acts import report_new_account
from arena.pages.serving import reader_of, signed_in_reader
from arena.people.accounts.limits import (
    TooManyActions,
    count_code_attempt,
    count_password_attempt,
    count_sign_up,
    forgive_attempt,
)
from arena.people.accounts.models import User
from arena.people.accounts.names import (
    BadName,
    check_name,
    check_unlike,
    find_typed_username,
    list_addresses,
    list_usernames,
)
from arena.people.accounts.services import (
    STAFF_NEED_SECOND_FACTOR,
    count_second_factors,
    end_other_sessions,
    end_session,
    find_open_invitation,
    find_session,
    lacks_required_second_factor,
    list_sessions,
    note_session_use,
    store_new_account,
)

# Two-factor sign-in, whose pages are allauth's: the forms for keys, and the pages for which staff need it.

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
        "leave_out_trials",
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
        label=gettext_lazy("Name"), required=False, help_text=gettext_lazy("To help you recognise the key.")
    )
    passwordless = forms.BooleanField(
        label=gettext_lazy("Passkey: sign in without a password"),
        required=False,
        initial=True,
        help_text=gettext_lazy(
            "Your device asks for your fingerprint, face or PIN instead of a name and password. Otherwise "
            "it's a security key, used after the password."
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
        if not (settings.STAFF_TWO_FACTOR and is_page_for_staff(request.resolver_match)):
            return None
        if not lacks_required_second_factor(request.user):
            return None
        messages.warning(request, _(STAFF_NEED_SECOND_FACTOR))
        return redirect("mfa_index")


def is_page_for_staff(match: ResolverMatch | None) -> bool:
    """Return whether an address shows or does what only staff should."""
    if match is None:
        return False
    if match.app_name == STAFF_APP:
        return match.url_name not in ADDRESS_NAMES_OF_LOGIN
    return match.url_name in STAFF_PAGES


# A browser names those that it descends from, too, so the first that fits is it.
BROWSERS = [
    (r"Edg(e|A|iOS)?/", "Edge"),
    (r"OPR/|Opera", "Opera"),
    (r"Vivaldi/", "Vivaldi"),
    (r"SamsungBrowser/", "Samsung Internet"),
    (r"Firefox/|FxiOS/", "Firefox"),
    (r"HeadlessChrome/|Chromium/", "Chromium"),
    (r"Chrome/|CriOS/", "Chrome"),
    (r"Version/.*Safari/", "Safari"),
    (r"curl/", "curl"),
    (r"python-", "Python"),
]
SYSTEMS = [
    (r"iPhone|iPod", "iPhone"),
    (r"iPad", "iPad"),
    (r"Android", "Android"),
    (r"Windows", "Windows"),
    (r"Macintosh|Mac OS X", "macOS"),
    (r"CrOS", "ChromeOS"),
    (r"Linux|X11", "Linux"),
]


def describe_device(user_agent: str) -> str:
    """Return the browser and the system, as far as they are known."""
    names = [
        next((name for pattern, name in known if re.search(pattern, user_agent)), "") for known in (BROWSERS, SYSTEMS)
    ]
    return ", ".join(filter(None, names)) or _("Unknown device")


# Where a reader is signed in, and the buttons that sign them out there.

logger = logging.getLogger(__name__)
LAST_SEEN_RESOLUTION_S = 300
"""When a session was last seen is stored this often at most, so that not every request writes."""


@login_required
@never_cache
def show_sessions(request: HttpRequest) -> HttpResponse:
    """Show where the reader is signed in, this session first."""
    rows = [
        {
            "session": session,
            "device": describe_device(session.user_agent),
            "is_current": session.session_key == request.session.session_key,
        }
        for session in list_sessions(signed_in_reader(request))
    ]
    rows.sort(key=lambda row: not row["is_current"])
    has_others = not all(row["is_current"] for row in rows)
    return render(request, "account/sessions.html", {"rows": rows, "has_others": has_others})


@require_POST
@login_required
def end_own_session(request: HttpRequest, pk: int) -> HttpResponse:
    """Sign the reader out of one session, which may be this one. Raises Http404 where it isn't theirs."""
    session = find_session(signed_in_reader(request), pk)
    if session is None:
        raise Http404
    end_session(session=session)
    device = describe_device(session.user_agent)
    messages.success(request, _("Session ended: %(device)s.") % {"device": device})
    return redirect("sessions")


@require_POST
@login_required
def end_own_other_sessions(request: HttpRequest) -> HttpResponse:
    """Sign the reader out everywhere else."""
    ended = end_other_sessions(user=signed_in_reader(request), current_key=request.session.session_key or "")
    sentence = ngettext("%(count)s other session ended.", "%(count)s other sessions ended.", ended)
    messages.success(request, sentence % {"count": ended})
    return redirect("sessions")


Handler = Callable[[HttpRequest], HttpResponseBase]


def note_use_of_sessions(get_response: Handler) -> Handler:
    """Return middleware that stores now and then where and when a session was seen. It never loads a session itself."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if request.session.accessed and request.session.session_key:
            note_now_and_then(request, request.session.session_key)
        return response

    return middleware


def note_now_and_then(request: HttpRequest, key: str) -> None:
    """Store that a session was seen, unless that was stored within the last minutes."""
    reader = reader_of(request)
    if reader is None:
        return
    try:
        is_due = cache.add(f"session-seen-{key}", True, LAST_SEEN_RESOLUTION_S)
        ip = get_adapter().get_client_ip(request)
    except (PermissionDenied, ImproperlyConfigured):
        pass  # The request didn't come through the proxies, so there is no address to show.
    else:
        if is_due:
            user_agent = request.headers.get("User-Agent", "")
            note_session_use(user=reader, key=key, ip=ip, user_agent=user_agent)


# Ask for a new password. The page answers before it is looked up whether the address is anybody's.
#
# So neither the answer nor its time tells who has an account here. Nothing is sent to an address that nobody has.

MAX_DELAY_MS = 4096
"""The mail is prepared at a moment up to this long after the answer: then nobody can tell by the next one either."""
MAX_WAITING_MAILS = 50
"""More than these are forgotten, of known and unknown addresses, until some are sent."""

_waiting_mails = BoundedSemaphore(MAX_WAITING_MAILS)


class ResetPasswordForm(account_forms.ResetPasswordForm):
    """The address whose owner wants a new password."""

    def clean_email(self) -> str:
        """Return the address, without a look whether it is known."""
        email: str = get_adapter().clean_email(self.cleaned_data["email"].lower())
        return email

    def save(self, request: HttpRequest, **kwargs: object) -> str:
        """Have the mail sent by another thread a moment later, if the address is somebody's."""
        email: str = self.cleaned_data["email"]
        if not _waiting_mails.acquire(blocking=False):
            logger.error("A mail with a new password was not sent: %s of them are waiting", MAX_WAITING_MAILS)
            return email
        timer = Timer(secrets.randbelow(MAX_DELAY_MS) / 1000, self._send, (request, get_language()))
        timer.daemon = True
        timer.start()
        return email

    def _send(self, request: HttpRequest, language: str | None) -> None:
        try:
            with context.request_context(request), override(language):
                email = self.cleaned_data["email"]
                self.users = filter_users_by_email(email, is_active=True, prefer_verified=True, for_login=True)
                if self.users:
                    super().save(request)
        except (SMTPException, OSError, Error) as error:
            logger.warning("A mail with a new password was not sent: %s", error)
        finally:
            connection.close()
            _waiting_mails.release()


# Signing up: the form of django-allauth, within the limits of this site.

INVITATION_FIELD = "invitation"


def read_invitation(request: HttpRequest) -> str:
    """Return the token of an invitation's link, or of the form that was opened by it."""
    return request.POST.get(INVITATION_FIELD) or request.GET.get(INVITATION_FIELD) or ""


class SignInForm(LoginForm):
    """The form to sign in, with a label in the case of the others."""

    remember = forms.BooleanField(label=gettext_lazy("Remember me"), label_suffix="", required=False)

    def clean_login(self) -> str:
        """Return the name of the user that is meant."""
        return find_typed_username(str(super().clean_login()))


class SignUpForm(SignupForm):
    """A new account, counted for the address that it is made from."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if token := read_invitation(context.request):
            hidden = forms.CharField(required=False, widget=forms.HiddenInput, initial=token)
            self.fields[INVITATION_FIELD] = hidden

    def validate_unique_email(self, value: str) -> str:
        """Return the address without a look whether it is known: the answer would tell, or the time that it takes."""
        return value

    def clean(self) -> dict[str, Any]:
        """Count the sign-up if nothing else is wrong with it. Raises ValidationError."""
        cleaned: dict[str, Any] = super().clean()
        first, second = (self.data.get(self.add_prefix(name)) for name in ("password1", "password2"))
        if "password1" in self.errors and first and second and first != second:
            self.add_error("password2", _("You must type the same password each time."))
        if not self.errors:
            try:
                count_sign_up(address=find_client_network(context.request))
            except TooManyActions as error:
                raise ValidationError(render_message(error.message)) from None
        return cleaned

    def save(self, request: HttpRequest) -> User:
        """Store the account; who waits for approval may confirm an address meanwhile, to be told by mail."""
        user: User = super().save(request)
        if user.awaits_approval:
            for address in list_addresses(user):
                address.send_confirmation(request, signup=True)
        return user


# What this site does otherwise than django-allauth, which brings the pages of accounts.


def render_closed_sign_up(request: HttpRequest, status: int, *, invitation: str | None = None) -> HttpResponse:
    """Return the page that says why somebody can't sign up; `invitation` comes from who has a school account."""
    token = read_invitation(request) if invitation is None else invitation
    words = {"mode": settings.SIGN_UP, "was_invited": bool(token), "is_of_school": invitation is not None}
    return render(request, "account/signup_closed.html", words, status=status)


class AccountAdapter(DefaultAccountAdapter):
    """Sign up as the setting SIGN_UP says, and count wrong passwords in the database.

    Signing in, in the admin too, and typing a password again come here.
    """

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the client's address, found as everywhere."""
        return find_client_address(request)

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Return a new username as it is to be stored. Raises ValidationError."""
        try:
            name = str(super().clean_username(check_name(username), shallow))
            check_unlike(name, list_usernames())
        except BadName as error:
            raise ValidationError(render_message(error.message)) from None
        return name

    def save_user(self, request: HttpRequest, user: User, form: BaseForm, commit: bool = True) -> User:
        """Store a new user as the setting SIGN_UP says, and tell staff what there is to tell."""
        super().save_user(request, user, form, commit=False)
        try:
            store_new_account(user=user, invitation=read_invitation(request))
        except ArenaError as error:  # the link was used by another request at the same time
            raise ImmediateHttpResponse(render_closed_sign_up(request, error.status)) from None
        report_new_account(user=user)
        return user

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return True where the person may sign up. Raises ImmediateHttpResponse with a page that says why not."""
        mode = SignUpMode(settings.SIGN_UP)
        is_invited = mode == SignUpMode.INVITATION and find_open_invitation(read_invitation(request)) is not None
        if mode in (SignUpMode.OPEN, SignUpMode.APPROVAL) or is_invited:
            return True
        status = HTTPStatus.OK if request.method in ("GET", "HEAD") else HTTPStatus.FORBIDDEN
        raise ImmediateHttpResponse(render_closed_sign_up(request, status))

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        """Tell a person whose account waits for approval or was banned so: the password was right."""
        if user.awaits_approval:
            return redirect("account_waiting")
        if user.is_banned:
            return render(request, "account/suspended.html", status=HTTPStatus.FORBIDDEN)
        response: HttpResponse = super().respond_user_inactive(request, user)
        return response

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count the password as wrong until it is found right. Raises ValidationError."""
        name = str(credentials.get("username") or credentials.get("email") or "")
        try:
            self._counted = count_password_attempt(address=find_client_network(request), name=name)
        except TooManyActions as error:
            raise ValidationError(render_message(error.message)) from None

    def authenticate(self, request: HttpRequest, **credentials: Any) -> AbstractBaseUser | None:
        """Return the user whose password it is, or None. Raises ValidationError after too many wrong ones."""
        user: AbstractBaseUser | None = super().authenticate(request, **credentials)
        if user is not None:
            forgive_attempt(self._counted)
        return user


# Tell a person whose account waits for approval that it does.


@never_cache
def show_waiting(request: HttpRequest) -> HttpResponse:
    """Say that staff was told and has to approve the account. It is the same page for everybody."""
    return render(request, "account/waiting.html")


# How this site uses allauth's second factors: users by their names, secrets encrypted.

SECRET_BYTES = 20


class SecondFactorAdapter(DefaultMFAAdapter):
    """Encrypt secrets by the site's secret key, so that a copy of the database alone signs nobody in."""

    def encrypt(self, text: str) -> str:
        """Return a secret as it is stored."""
        return build_cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Return a stored secret; where the site's secret key has been replaced, one for which no code is right."""
        try:
            return build_cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            logger.error("A second factor can't be read: SECRET_KEY has changed. See manage.py reset_two_factor.")
            return base64.b32encode(secrets.token_bytes(SECRET_BYTES)).decode()

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:
        """Return the name that a new key has unless its owner gives it another."""
        number = count_second_factors(user, type) + 1
        return _("Key %(number)s") % {"number": number}

    def _get_user_identifier(self, user: User) -> str:
        return user.username


def build_cipher() -> MultiFernet:
    """Return the cipher for secrets, which reads those under earlier keys of the site, too."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    digests = [hashlib.sha256(b"second factor:" + force_bytes(key)).digest() for key in keys]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])
