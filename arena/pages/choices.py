"""The choices of a form that are known only when it is made."""

from django import forms


def get_choice_field(form: forms.BaseForm, name: str) -> forms.ChoiceField:
    """Return a field of a form that offers choices."""
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    return field
