"""Sign in with the school's account: OpenID Connect by django-allauth, and the link between that account and one here.

It is imported only where the settings name a server. An address of the mail is never a reason to link accounts: who has
one here already links it on a page of the settings.
"""

import hashlib
import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from allauth.account.decorators import reauthentication_required
from allauth.account.utils import get_next_redirect_url
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, get_adapter
from allauth.socialaccount.forms import SignupForm
from allauth.socialaccount.models import EmailAddress, SocialApp, SocialLogin
from allauth.socialaccount.providers.base import AuthError, AuthProcess
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from allauth.socialaccount.views import SignupView
from cachetools import TTLCache
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import DisallowedRedirect
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST
from requests import RequestException

from arena.core.environment import SignUpMode
from arena.core.errors import ArenaError
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, render_message
from arena.operations.staff_acts import report_new_account
from arena.pages.account.security import INVITATION_FIELD, read_invitation, render_closed_sign_up
from arena.pages.serving import signed_in_reader
from arena.people.accounts.models import User
from arena.people.accounts.names import is_confirmed_address, list_addresses, suggest_username
from arena.people.accounts.services import (
    find_open_invitation,
    find_school_account,
    may_sign_in_by_school,
    store_new_account,
    unlink_school_account,
)

logger = logging.getLogger(__name__)

# The school's server, and what is taken from its answers.

PROVIDER = "school"
CONFIGURATION_KEPT_S = 600
FAILURES = (OAuth2Error, RequestException, DisallowedRedirect, LookupError, TypeError, ValueError)
"""A server that doesn't answer, or answers what can't be used."""

# Each process asks by itself: what is in Redis can be changed by others, and this says where passwords are typed.
_configurations: TTLCache[str, dict[str, Any]] = TTLCache(1, CONFIGURATION_KEPT_S)


class SchoolConnection(OpenIDConnectOAuth2Adapter):
    """The addresses of the school's server."""

    @property
    def openid_config(self) -> dict[str, Any]:
        """Return the server's configuration. Raises RequestException."""
        found = _configurations.get(settings.SCHOOL_SERVER)
        if found is None:
            found = _configurations[settings.SCHOOL_SERVER] = super().openid_config
        return found

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        """Return the address to which the server leads back."""
        return request.build_absolute_uri(reverse("school_callback"))


class School(OpenIDConnectProvider):
    """A person as the school describes them: identity, email address and suggested username."""

    oauth2_adapter_class = SchoolConnection

    def extract_uid(self, data: dict[str, Any]) -> str:
        """Return what no other person has, at this server or another. Raises OAuth2Error."""
        token, more = data.get("id_token") or {}, data.get("userinfo") or {}
        issuer, subject = token.get("iss"), token.get("sub")
        if not issuer or not subject or (more and more.get("sub") != subject):
            raise OAuth2Error("The ID token is missing, or it is about somebody else")
        return hashlib.sha256(f"{issuer}\n{subject}".encode()).hexdigest()

    def extract_extra_data(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return what is stored: enough to tell which account of the school it is."""
        token = data["id_token"]
        return {"issuer": token["iss"], "subject": token["sub"], "email": self._find_address(data)[0]}

    def extract_common_fields(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return what a new account begins with; names of people are none of the arena's business."""
        wanted = [claims.get("preferred_username") for claims in self._list_claims(data)]
        email = self._find_address(data)[0]
        return {"email": email, "username": next((name for name in wanted if isinstance(name, str)), email)}

    def extract_email_addresses(self, data: dict[str, Any]) -> list[EmailAddress]:
        """Return the address; it counts as confirmed only where the server says that it is."""
        email, is_verified = self._find_address(data)
        return [EmailAddress(email=email, verified=is_verified, primary=True)] if email else []

    def _list_claims(self, data: dict[str, Any]) -> list[dict[str, Any]]:
        return [claims for claims in (data.get("userinfo"), data.get("id_token")) if claims]

    def _find_address(self, data: dict[str, Any]) -> tuple[str, bool]:
        """Return an address, or "", and whether the same claims say that it is confirmed."""
        for claims in self._list_claims(data):
            if isinstance(email := claims.get("email"), str) and email:
                return email, claims.get("email_verified") in (True, "true")
        return "", False


class SchoolAdapter(DefaultSocialAccountAdapter):
    """Let people in as the settings say."""

    def get_provider(self, request: HttpRequest, provider: str, client_id: str | None = None) -> School:
        """Return the school, the only one that there is."""
        app = SocialApp(
            provider=School.id,
            provider_id=PROVIDER,
            name=PROVIDER,
            client_id=settings.SCHOOL_CLIENT,
            secret=settings.SCHOOL_SECRET,
            settings={"server_url": settings.SCHOOL_SERVER, "oauth_pkce_enabled": True},
        )
        return School(request, app=app)

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Refuse staff without a second factor. Raises ImmediateHttpResponse."""
        is_link = sociallogin.state.get("process") == AuthProcess.CONNECT
        if sociallogin.is_existing and not is_link and not may_sign_in_by_school(sociallogin.user):
            logger.warning("Sign-in with the school's account was refused: %s has no second factor", sociallogin.user)
            raise ImmediateHttpResponse(_render_failure(request, "staff", HTTPStatus.FORBIDDEN))

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: School,
        error: str | None = None,
        exception: Exception | None = None,
        extra_context: dict[str, Any] | None = None,
    ) -> None:
        """Say that it didn't work, or lead back who gave up. Raises ImmediateHttpResponse."""
        if error == AuthError.CANCELLED:
            messages.info(request, _("You cancelled school account sign-in."))
            raise ImmediateHttpResponse(redirect("account_login"))
        raise ImmediateHttpResponse(_describe_failure(request, exception or "it was begun too long ago, or elsewhere"))

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: object) -> str:
        """Return the page that shows the link."""
        return reverse("school_account")

    def is_auto_signup_allowed(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Return False: usernames are public, so nobody gets one unasked."""
        return False

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Return True where the person may make an account. Raises ImmediateHttpResponse with why not."""
        mode, token = SignUpMode(settings.SIGN_UP), _read_kept_invitation(sociallogin)
        is_invited = mode == SignUpMode.INVITATION and find_open_invitation(token) is not None
        if mode in (SignUpMode.OPEN, SignUpMode.APPROVAL, SignUpMode.SCHOOL) or is_invited:
            return True
        raise ImmediateHttpResponse(render_closed_sign_up(request, HTTPStatus.FORBIDDEN, invitation=token))

    def get_signup_form_initial_data(self, sociallogin: SocialLogin) -> dict[str, str]:
        """Return what the form is filled in with."""
        return {"username": suggest_username(sociallogin.user.username)}

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: "SchoolSignUpForm | None" = None) -> User:
        """Store a new account with its link, and tell staff what there is to tell."""
        assert form is not None
        user: User = sociallogin.user
        user.username = form.cleaned_data["username"]
        user.set_unusable_password()
        token = _read_kept_invitation(sociallogin)
        try:
            with transaction.atomic():
                store_new_account(user=user, invitation=token, is_of_school=True)
                sociallogin.save(request)
        except ArenaError as error:  # the link was used by another request at the same time
            raise ImmediateHttpResponse(render_closed_sign_up(request, error.status, invitation=token)) from None
        except IntegrityError:  # the form was sent twice, or somebody else took the name
            raise ImmediateHttpResponse(_describe_failure(request, "another request was faster")) from None
        report_new_account(user=user)
        if user.awaits_approval:
            for address in list_addresses(user).filter(verified=False):
                address.send_confirmation(request, signup=True)
        return user


def _read_kept_invitation(sociallogin: SocialLogin) -> str:
    return str((sociallogin.state.get("data") or {}).get(INVITATION_FIELD, ""))


def _describe_failure(request: HttpRequest, cause: object) -> HttpResponse:
    logger.warning("Sign-in with the school's account failed: %s", cause)
    is_out_of_reach = isinstance(cause, RequestException)
    return _render_failure(
        request,
        "reach" if is_out_of_reach else "",
        HTTPStatus.BAD_GATEWAY if is_out_of_reach else HTTPStatus.BAD_REQUEST,
    )


def _render_failure(request: HttpRequest, reason: str, status: int) -> HttpResponse:
    return render(request, "account/school_failed.html", {"reason": reason}, status=status)


# Its pages.

View = Callable[[HttpRequest], HttpResponse]
confirmed: Callable[[View], View] = reauthentication_required
"""Ask for the password, or the second factor, where that was long ago."""


class SchoolSignUpForm(SignupForm):
    """The username of a new account; the rest comes from the school."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["email"]
        self.fields["username"].help_text = gettext_lazy("Public. It doesn't have to be your real name.")


class SignUp(SignupView):
    """Make an account for a person whom the school has sent."""

    template_name = "account/school_signup.html"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Return the response."""
        try:
            response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        except ImmediateHttpResponse as immediate:
            response = immediate.response
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Return what the page shows of the mail address."""
        address = next(iter(self.sociallogin.email_addresses), None)
        is_taken = address is not None and address.verified and is_confirmed_address(address.email)
        words: dict[str, Any] = super().get_context_data(**kwargs)
        return {**words, "address": address, "is_taken": is_taken}

    def get_authenticated_redirect_url(self) -> str:
        """Return where somebody belongs who is signed in already."""
        return reverse("school_account")


def _leave(request: HttpRequest, process: str) -> HttpResponse:
    """Return a page that leads to the school's server by itself.

    A redirect won't do: browsers check the policy for forms at every address that a form's answer leads to, and only
    the school knows through which of its servers that goes.
    """
    data = {INVITATION_FIELD: read_invitation(request)}
    try:
        school = get_adapter(request).get_provider(request, PROVIDER)
        response = school.redirect(request, process, next_url=get_next_redirect_url(request), data=data)
    except FAILURES as error:
        return _describe_failure(request, error)
    return render(request, "account/school_leaving.html", {"address": response.url})


@require_POST
@never_cache
def sign_in(request: HttpRequest) -> HttpResponse:
    """Lead to the school's server, and from there to an account."""
    return redirect("school_account") if request.user.is_authenticated else _leave(request, AuthProcess.LOGIN)


@never_cache
def come_back(request: HttpRequest) -> HttpResponse:
    """Receive who comes from the school's server."""
    try:
        view: View = OAuth2CallbackView.adapter_view(SchoolConnection(request, PROVIDER))
        return view(request)
    except FAILURES as error:
        return _describe_failure(request, error)


@login_required
@confirmed
@never_cache
def show_school_account(request: HttpRequest) -> HttpResponse:
    """Show whether an account of the school signs the reader in."""
    reader = signed_in_reader(request)
    words = {"linked": find_school_account(reader), "may_sign_in": may_sign_in_by_school(reader)}
    return render(request, "account/school.html", words)


@require_POST
@login_required
@confirmed
def link(request: HttpRequest) -> HttpResponse:
    """Lead to the school's server, and from there to the link with the reader's account."""
    is_linked = find_school_account(signed_in_reader(request)) is not None
    return redirect("school_account") if is_linked else _leave(request, AuthProcess.CONNECT)


@require_POST
@login_required
@confirmed
def unlink(request: HttpRequest) -> HttpResponse:
    """End the link."""
    try:
        unlink_school_account(user=signed_in_reader(request))
    except ArenaError as error:
        messages.error(request, render_message(error.message))
    else:
        messages.success(request, _("Your school account no longer signs you in."))
    return redirect("school_account")


urlpatterns = [
    path("", show_school_account, name="school_account"),
    path("sign-in/", sign_in, name="school_sign_in"),
    path("link/", link, name="school_link"),
    path("unlink/", unlink, name="school_unlink"),
    path("callback/", come_back, name="school_callback"),
    path("sign-up/", SignUp.as_view(), name="socialaccount_signup"),
]
