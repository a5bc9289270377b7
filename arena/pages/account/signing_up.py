"""Signing up: the form of django-allauth, within the limits of this site."""

from typing import Any

from allauth.account.forms import SignupForm
from allauth.core import context
from django.core.exceptions import ValidationError

from arena.accounts.limits import TooManyActions, count_sign_up
from arena.client_address import find_client_network
from arena.messages import render_message


class SignUpForm(SignupForm):
    """A new account, counted for the address that it is made from."""

    def clean(self) -> dict[str, Any]:
        """Count the sign-up if nothing else is wrong with it. Raises ValidationError."""
        cleaned: dict[str, Any] = super().clean()
        if not self.errors:
            try:
                count_sign_up(address=find_client_network(context.request))
            except TooManyActions as error:
                raise ValidationError(render_message(error.message)) from None
        return cleaned
