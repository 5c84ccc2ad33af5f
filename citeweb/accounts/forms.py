"""Forms of people and organisations."""

from collections.abc import Callable

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from citeweb.accounts.models import Role, Tenant


class OrganisationForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs only
    """What an administrator sets for all answers in the organisation."""

    class Meta:
        model = Tenant
        fields = ("answer_rules", "shows_citations", "asks_audit_reason")
        help_texts = {  # Django reads it from the class
            "answer_rules": _(
                "Tone, wording, stricter rules: they are added to the rules that each model gets. They can't "
                "weaken the rules on citing."
            ),
            "asks_audit_reason": _(
                "Whoever opens other people's questions and answers says why first; the record keeps it."
            ),
        }
        widgets = {"answer_rules": forms.Textarea(attrs={"rows": 8, "dir": "auto"})}


class RolesForm(forms.Form):
    """What a member may do; roles add up."""

    roles = forms.MultipleChoiceField(
        label=_("Roles"),
        choices=[
            (Role.MEMBER, _("Member: asks, and reads what they are granted")),
            (Role.CURATOR, _("Curator: also uploads and keeps the collections that they read")),
            (Role.AUDITOR, _("Auditor: also reads everybody's questions and answers")),
            (Role.ADMIN, _("Administrator: keeps members, groups and who reads which collection")),
        ],
        initial=[Role.MEMBER],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one role.")},
    )


class MemberForm(RolesForm):
    """Somebody who is to become a member."""

    email = forms.EmailField(
        label=_("E-mail address"), widget=forms.EmailInput(attrs={"class": "input", "autocomplete": "off"})
    )
    field_order = ("email", "roles")


class GroupForm(forms.Form):
    """A group's name."""

    name = forms.CharField(
        label=_("Name"),
        max_length=200,
        widget=forms.TextInput(attrs={"class": "input", "dir": "auto", "autocomplete": "off"}),
    )


class JoinForm(forms.Form):
    """Who is to be in a group."""

    email = forms.EmailField(
        label=_("E-mail address"),
        widget=forms.EmailInput(attrs={"class": "input", "autocomplete": "off", "list": "members"}),
    )


def carried_out(form: forms.Form, field: str, change: Callable[[], object]) -> bool:
    """Make a change if the form was sent and is right; if it is refused, the form says why at `field`."""
    if not form.is_bound or not form.is_valid():
        return False
    try:
        change()
    except ValidationError as exc:
        form.add_error(field, exc.messages)
        return False
    return True
