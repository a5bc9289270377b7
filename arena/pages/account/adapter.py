"""What this site does otherwise than django-allauth, which brings the pages of accounts."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.forms import BaseForm
from django.http import HttpRequest

from arena.accounts.limits import TooManyActions, count_password_attempt, forgive_attempt
from arena.accounts.models import User
from arena.accounts.names import BadName, check_name
from arena.client_address import find_client_address, find_client_network
from arena.messages import render_message
from arena.staff_reports import report_new_account


class AccountAdapter(DefaultAccountAdapter):
    """Count wrong passwords in the database. Signing in, in the admin too, and typing a password again come here."""

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
        """Store a new user, and tell staff what there is to tell."""
        super().save_user(request, user, form, commit)
        report_new_account(user=user)
        return user

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
