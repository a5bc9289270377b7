"""The part of the tournament's form that says who sees it and whose bots may enter."""

import re
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from arena.accounts.models import User
from arena.groups.models import Group
from arena.groups.queries.groups import find_organised_group, list_organised_groups
from arena.tournaments.services.access import Access, EntryRule, Visibility
from arena.tournaments.services.organisers import ORGANISE_PERMISSION

VISIBILITY_LABELS = {
    Visibility.PUBLIC: gettext_lazy("Everybody: it stands in the list of tournaments."),
    Visibility.LINK: gettext_lazy(
        "Whoever has the link: it is in no list, and its address can't be guessed. Pass it on yourself."
    ),
    Visibility.GROUP: gettext_lazy("The group alone: for others it isn't there. You can publish it later."),
}
ENTRY_RULE_LABELS = {
    EntryRule.ANYONE: gettext_lazy("Anyone who sees it"),
    EntryRule.GROUP: gettext_lazy("Members of the group"),
    EntryRule.CODE: gettext_lazy("Whoever has a code: you find it on the organiser's page and tell it to them."),
    EntryRule.LIST: gettext_lazy("Authors on a list"),
}
ACCESS_FIELDS = ("group", "visibility", "entry_rule", "permitted_authors", "are_entries_moderated")
NAME_SEPARATORS = re.compile(r"[\s,;]+")


def add_access_fields(form: forms.Form, organiser: User, kept: Access) -> None:
    """Add the fields to a form; what needs a group is left out for who organises none."""
    groups = {group.slug: group for group in list_organised_groups(organiser)}
    if kept.group is not None:
        groups[kept.group.slug] = kept.group
    none = [("", gettext_lazy("no group"))] if organiser.has_perm(ORGANISE_PERMISSION) else []
    if groups:
        form.fields["group"] = forms.ChoiceField(
            label=gettext_lazy("Group"),
            required=not none,
            choices=[*none, *((slug, group.name) for slug, group in groups.items())],
            help_text=gettext_lazy("Its owners and co-organisers organise the tournament with you."),
        )
    form.fields["visibility"] = forms.ChoiceField(
        label=gettext_lazy("Who sees it"),
        choices=[pair for pair in VISIBILITY_LABELS.items() if groups or pair[0] != Visibility.GROUP],
        widget=forms.RadioSelect,
        help_text=gettext_lazy("Once entries are open it can only be published, not hidden again."),
    )
    form.fields["entry_rule"] = forms.ChoiceField(
        label=gettext_lazy("Who may enter bots"),
        choices=[pair for pair in ENTRY_RULE_LABELS.items() if groups or pair[0] != EntryRule.GROUP],
        widget=forms.RadioSelect,
        help_text=gettext_lazy("You yourself can enter any bot."),
    )
    form.fields["permitted_authors"] = forms.CharField(
        label=gettext_lazy("Authors on the list"),
        max_length=20_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false", "autocapitalize": "none"}),
        help_text=gettext_lazy("Their user names, one a line or with commas between them. For a list only."),
    )
    form.fields["are_entries_moderated"] = forms.BooleanField(
        label=gettext_lazy("Each entry waits until an organiser approves it"), label_suffix="", required=False
    )
    form.initial = {**form.initial, **write_access(kept)}


def write_access(access: Access) -> dict[str, Any]:
    """Return the initial values of the fields."""
    return {
        "group": access.group.slug if access.group else "",
        "visibility": access.visibility,
        "entry_rule": access.entry_rule,
        "permitted_authors": "\n".join(access.permitted_authors),
        "are_entries_moderated": access.are_entries_moderated,
    }


def read_access(form: forms.Form, organiser: User, kept: Access) -> Access:
    """Return the access in the form's data."""
    data = form.cleaned_data
    has_list = data["entry_rule"] == EntryRule.LIST
    names = dict.fromkeys(filter(None, NAME_SEPARATORS.split(data["permitted_authors"]))) if has_list else {}
    return Access(
        group=_find_group(data.get("group", ""), organiser, kept),
        visibility=data["visibility"],
        entry_rule=data["entry_rule"],
        permitted_authors=tuple(names),
        are_entries_moderated=data["are_entries_moderated"],
    )


def _find_group(slug: str, organiser: User, kept: Access) -> Group | None:
    if kept.group is not None and kept.group.slug == slug:
        return kept.group
    return find_organised_group(organiser, slug)
