"""Forms of groups."""

from typing import Any

from allauth.account.adapter import get_adapter
from django import forms
from django.contrib.auth.password_validation import validate_password
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.accounts.models import User

CODE_LIFETIMES = (
    (2, gettext_lazy("2 hours: for a lesson")),
    (24, gettext_lazy("a day")),
    (24 * 7, gettext_lazy("a week")),
    (24 * 30, gettext_lazy("30 days")),
)
"""Hours for which a code can be used, and their labels."""
DEFAULT_CODE_HOURS = 24 * 7
MAX_NAME_LENGTH = 80


class GroupForm(forms.Form):
    """Name and description of a group."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=60,
        help_text=gettext_lazy(
            "What its members call it, such as “Class 10.b” or “Robotics club”. The address is made from the first "
            "name and doesn't change later. Only members see either."
        ),
    )
    description = forms.CharField(
        label=gettext_lazy("Description"),
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("Plain text for members: when you meet, what the task is, whom to ask."),
    )


class NewGroupForm(GroupForm):
    """A new group, with its owner's name."""

    real_name = forms.CharField(
        label=gettext_lazy("Your name in this group"),
        max_length=MAX_NAME_LENGTH,
        required=False,
        help_text=gettext_lazy(
            "As the members know you. Only they see it; everybody else sees your user name. May stay empty."
        ),
    )


class NewCodeForm(forms.Form):
    """How long a new code can be used."""

    hours = forms.TypedChoiceField(
        label=gettext_lazy("It can be used for"), choices=CODE_LIFETIMES, coerce=int, initial=DEFAULT_CODE_HOURS
    )


class TypedCodeForm(forms.Form):
    """The code of a group."""

    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}),
        help_text=gettext_lazy("12 letters and digits, such as 7KQ2-M9XD-4TRW. Hyphens and capitals don't matter."),
    )


class JoinForm(forms.Form):
    """The name under which somebody joins."""

    code = forms.CharField(widget=forms.HiddenInput)
    real_name = forms.CharField(
        label=gettext_lazy("Your name in this group"),
        max_length=MAX_NAME_LENGTH,
        required=False,
        help_text=gettext_lazy(
            "Your real name, so that the organisers know who you are. Only members of the group see it; everybody else "
            "sees your user name. You can change it later."
        ),
    )


class RealNameForm(forms.Form):
    """A member's name."""

    real_name = forms.CharField(
        label=gettext_lazy("Name in this group"),
        max_length=MAX_NAME_LENGTH,
        required=False,
        help_text=gettext_lazy("Only members of the group see it. Empty: they see the user name."),
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
        label=gettext_lazy("The links can be used for"), choices=LINK_LIFETIMES, coerce=int, initial=DEFAULT_LINK_DAYS
    )


class NameListForm(LinkDaysForm):
    """A list of names."""

    names = forms.CharField(
        label=gettext_lazy("Names"),
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false", "autocomplete": "off"}),
        help_text=gettext_lazy(
            "One person a line, at most 100: a name, and if you like a mail address after it, such as “Anna Kovács, "
            "anna@example.org”. Columns pasted from a spreadsheet work, too."
        ),
    )
    field_order = ("names", "days")


class FirstSignInForm(forms.Form):
    """The user name and the password that a person chooses at the first sign-in."""

    username = forms.CharField(
        label=gettext_lazy("User name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
        help_text=gettext_lazy(
            "Everybody sees it beside your bots, so choose one that isn't your real name. You sign in with it later."
        ),
    )
    password = forms.CharField(
        label=gettext_lazy("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=gettext_lazy("At least 8 characters, and not a common word."),
    )
    password_again = forms.CharField(
        label=gettext_lazy("Password, once more"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, user: User, data: Any = None) -> None:
        super().__init__(data)
        self.user = user

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
                self.add_error("password_again", _("The two passwords are not the same."))
            try:
                validate_password(password, User(username=data.get("username", "")))
            except forms.ValidationError as error:
                self.add_error("password", error)
        return data
