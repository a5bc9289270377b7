"""What this site does otherwise than django-allauth, which brings the pages of accounts."""

from http import HTTPStatus
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from arena.accounts.invitations import find_open_invitation
from arena.accounts.limits import TooManyActions, count_password_attempt, forgive_attempt
from arena.accounts.models import User
from arena.accounts.names import BadName, check_name
from arena.accounts.sign_up_modes import SignUpMode
from arena.accounts.signing_up import store_new_account
from arena.client_address import find_client_address, find_client_network
from arena.errors import ArenaError
from arena.messages import render_message
from arena.pages.account.signing_up import read_invitation
from arena.staff_reports import report_new_account


def render_closed_sign_up(request: HttpRequest, status: int) -> HttpResponse:
    """Return the page that says why somebody can't sign up."""
    words = {"mode": settings.SIGN_UP, "was_invited": bool(read_invitation(request))}
    return render(request, "account/signup_closed.html", words, status=status)


class AccountAdapter(DefaultAccountAdapter):
    """Sign up as the setting SIGN_UP says, and count wrong passwords in the database.

    Signing in, in the admin too, and typing a password again come here.
    """

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the client's address, found as everywhere."""
        return find_client_address(request)

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Return a new user name as it is to be stored. Raises ValidationError."""
        try:
            name = check_name(username)
        except BadName as error:
            raise ValidationError(render_message(error.message)) from None
        return str(super().clean_username(name, shallow))

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
