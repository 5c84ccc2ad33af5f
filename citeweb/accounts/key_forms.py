"""The form for a new API key."""

from datetime import datetime, timedelta

from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from citeweb.accounts.models import Scope
from citeweb.accounts.tenancy import Place

_LIFETIMES = [
    ("30", _("30 days")),
    ("90", _("90 days")),
    ("365", _("a year")),
    ("", _("until it is revoked")),
]


class KeyForm(forms.Form):
    """What a key is for, what it may do, how long and how often."""

    name = forms.CharField(
        label=_("What the key is for"), max_length=100, widget=forms.TextInput(attrs={"dir": "auto"})
    )
    scopes = forms.MultipleChoiceField(
        label=_("What it may do"),
        choices=Scope.choices,
        initial=[Scope.CHAT, Scope.SEARCH],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Within what you may do yourself."),
    )
    days = forms.ChoiceField(label=_("How long it is good"), choices=_LIFETIMES, initial="90", required=False)
    requests_per_minute = forms.IntegerField(
        label=_("Requests a minute"), min_value=1, max_value=100_000, initial=600
    )

    def __init__(self, place: Place, data: QueryDict | None = None) -> None:
        super().__init__(data)
        if not (place.may_audit or place.user.is_staff):
            # A box that does nothing misleads.
            scopes = self.fields["scopes"]
            assert isinstance(scopes, forms.MultipleChoiceField)
            scopes.choices = [choice for choice in Scope.choices if choice[0] != Scope.AUDIT]

    @property
    def expires_at(self) -> datetime | None:
        """When the key ends, or None for never; only for a valid form."""
        days = self.cleaned_data["days"]
        return timezone.now() + timedelta(days=int(days)) if days else None
