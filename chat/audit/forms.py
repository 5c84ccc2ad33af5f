"""The filters of the audit's list, and the reason for a look."""

import uuid
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from chat.audit.access import Seat
from chat.audit.columns import TURN
from chat.audit.search import Wanted, any_of
from chat.audit.wording import KINDS, REASONS, STATES, VERDICTS
from citeweb.accounts.models import User
from sources.permissions import audited_collections, audited_documents, audited_versions

# Beside these a list needs the others more rarely; they stand folded away while nothing is asked of them.
FIRST = ("q", "kind", "user", "since", "until")
# A title that more documents have names nothing.
MOST_DOCUMENTS = 50
_NOTHING = "nothing"
# Filters that hold words, names or numbers of one tenant.
_TELLING = frozenset({"q", "user", "model", "collection", "document", "version", "review"})


# Beyond these the arithmetic of times ends.
_DAYS = (MinValueValidator(date(1900, 1, 1)), MaxValueValidator(date(9000, 1, 1)))


class FilterForm(forms.Form):
    """What a list is limited to. What can't be read limits to nothing and says so beside its field."""

    q = forms.CharField(label=_("Words"), required=False, max_length=500)
    kind = forms.ChoiceField(label=_("Kind"), required=False)
    since = forms.DateField(
        label=_("From"), required=False, validators=_DAYS, widget=forms.DateInput({"type": "date"})
    )
    until = forms.DateField(
        label=_("To"), required=False, validators=_DAYS, widget=forms.DateInput({"type": "date"})
    )
    user = forms.CharField(label=_("Person (e-mail)"), required=False, max_length=254)
    model = forms.CharField(label=_("Model"), required=False, max_length=200)
    state = forms.ChoiceField(label=_("Ended as"), required=False)
    verdict = forms.ChoiceField(label=_("Support"), required=False)
    rejected = forms.ChoiceField(label=_("Rejected markers"), required=False)
    claims = forms.ChoiceField(label=_("Claims"), required=False)
    collection = forms.ChoiceField(label=_("Collection"), required=False)
    document = forms.CharField(label=_("Document (title or number)"), required=False, max_length=500)

    version = forms.UUIDField(required=False, widget=forms.HiddenInput())
    # The document whose answers are to be reviewed: those that cite an earlier version.
    review = forms.UUIDField(required=False, widget=forms.HiddenInput())

    def __init__(self, seat: Seat, data: Any) -> None:
        super().__init__(data)
        self._seat = seat
        for name, first, choices in (
            ("kind", None, [(TURN, _("Questions")), ("any", _("Everything")), *KINDS.items()]),
            ("state", _("Any"), STATES.items()),
            ("verdict", _("Any"), [*VERDICTS.items(), ("none", _("No citation"))]),
            ("rejected", _("Any"), [("any", _("At least one")), *REASONS.items()]),
            ("claims", _("Any"), [("uncited", _("Some without a citation"))]),
            ("collection", _("Any"), _collections(seat)),
        ):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [*([] if first is None else [("", first)]), *choices]
        if not _collections(seat):
            del self.fields["collection"]
        for field in self.fields.values():
            field.widget.attrs.setdefault("class", "input input--small")
        self.fields["model"].widget.attrs["list"] = "audit-models"
        for name in ("q", "document"):
            self.fields[name].widget.attrs["dir"] = "auto"

    @property
    def first_fields(self) -> list[forms.BoundField]:
        """The fields that are always shown."""
        return [field for field in self.visible_fields() if field.name in FIRST]

    @property
    def more_fields(self) -> list[forms.BoundField]:
        """The fields that are folded away."""
        return [field for field in self.visible_fields() if field.name not in FIRST]

    @property
    def is_open(self) -> bool:
        """Whether something is asked of the fields that are folded away."""
        return any(self.data.get(field.name) for field in self.more_fields)

    @property
    def is_narrowed(self) -> bool:
        """Whether more is wanted than the questions of everybody at any time."""
        return self.is_valid() and any(value for name, value in self.cleaned_data.items() if name != "kind")

    def wanted(self) -> Wanted:
        """Return what is wanted."""
        if not self.is_valid():
            return Wanted(marks=((_NOTHING,),))
        given = self.cleaned_data
        return Wanted(
            marks=tuple(self._marks(given)),
            words=given["q"],
            since=_begin(given["since"]),
            until=_begin(given["until"] + timedelta(days=1)) if given["until"] else None,
        )

    def as_record(self, *, tenants: int = 1) -> dict[str, object]:
        """Return what was asked for, as the records of the look in the chains of so many tenants keep it.

        What staff ask of several tenants may name people and things of one: that much is not told to the others.
        """
        given: dict[str, object] = {
            name: str(value) for name, value in self.data.items() if value and name in self.fields
        }
        return given if tenants == 1 else {name: "…" if name in _TELLING else v for name, v in given.items()}

    def _marks(self, given: dict[str, Any]) -> Iterable[tuple[str, ...]]:
        kind = given["kind"] or TURN
        plain = (("m", "model"), ("s", "state"), ("y", "verdict"), ("r", "rejected"), ("q", "claims"))
        found = [any_of(letter, [given[name]]) for letter, name in plain if given.get(name)]
        if given["user"]:
            found.append(self._person(given["user"]))
        if given.get("collection"):
            found.append(any_of("f", [given["collection"]]))
        if given["version"]:
            found.append(any_of("cv", [given["version"]]))
        if given["review"]:
            found.append(any_of("cv", self._earlier(given["review"])) or (_NOTHING,))
        if given["document"]:
            found.append(any_of("d", self._documents(given["document"])) or (_NOTHING,))
        # What only turns have says already that it is a turn.
        names = (*(name for _letter, name in plain), "version", "review")
        of_turns = any(given.get(name) for name in names)
        return found if kind == "any" or of_turns else [any_of("k", [kind]), *found]

    def _person(self, email: str) -> tuple[str, ...]:
        known = User.objects.filter(email__iexact=email).first()
        return (*any_of("e", [email.lower()]), *(any_of("u", [known.pk]) if known else ()))

    def _earlier(self, document_id: uuid.UUID) -> list[uuid.UUID]:
        """Return the versions of a document that are not its current one."""
        versions = audited_versions(user=self._seat.user, tenant=self._seat.tenant)
        earlier = versions.filter(document=document_id).exclude(pk=F("document__current_version"))
        return list(earlier.values_list("pk", flat=True))

    def _documents(self, given: str) -> list[uuid.UUID]:
        try:
            return [uuid.UUID(given)]
        except ValueError:
            known = audited_documents(user=self._seat.user, tenant=self._seat.tenant)
            titled = known.filter(title__icontains=given).order_by("-created_at")
            return list(titled.values_list("pk", flat=True)[:MOST_DOCUMENTS])


class ReasonForm(forms.Form):
    """Why somebody looks into the audit."""

    reason = forms.CharField(
        label=_("Why do you open other people's questions and answers?"),
        min_length=5,
        max_length=500,
        widget=forms.Textarea({"rows": 3, "dir": "auto", "class": "input"}),
        help_text=_(
            "The reason stands in the record of each thing that you look at in the next eight hours."
        ),
    )


def _collections(seat: Seat) -> list[tuple[str, str]]:
    if seat.tenant is None:
        return []
    shelves = audited_collections(user=seat.user, tenant=seat.tenant).order_by("name")
    return [(str(pk), name) for pk, name in shelves.values_list("pk", "name")]


def _begin(day: Any) -> datetime | None:
    return timezone.make_aware(datetime.combine(day, time.min)) if day else None
