"""Signing up: the form of django-allauth, within the limits of this site."""

from typing import Any

from allauth.account.forms import SignupForm
from allauth.core import context
from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from arena.accounts.limits import TooManyActions, count_sign_up
from arena.accounts.models import User
from arena.accounts.queries import list_addresses
from arena.client_address import find_client_network
from arena.messages import render_message

INVITATION_FIELD = "invitation"


def read_invitation(request: HttpRequest) -> str:
    """Return the token of an invitation's link, or of the form that was opened by it."""
    return request.POST.get(INVITATION_FIELD) or request.GET.get(INVITATION_FIELD) or ""


class SignUpForm(SignupForm):
    """A new account, counted for the address that it is made from."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if token := read_invitation(context.request):
            hidden = forms.CharField(required=False, widget=forms.HiddenInput, initial=token)
            self.fields[INVITATION_FIELD] = hidden

    def clean(self) -> dict[str, Any]:
        """Count the sign-up if nothing else is wrong with it. Raises ValidationError."""
        cleaned: dict[str, Any] = super().clean()
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
