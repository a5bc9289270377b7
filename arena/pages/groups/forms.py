"""Forms of groups."""

from django import forms
from django.utils.translation import gettext_lazy

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


class CodeForm(forms.Form):
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
