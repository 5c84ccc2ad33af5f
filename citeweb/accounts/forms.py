"""Forms of people and organisations."""

from django import forms
from django.utils.translation import gettext_lazy as _

from citeweb.accounts.models import Tenant


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
