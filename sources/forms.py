"""Forms of the sources pages."""

import uuid

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Model
from django.utils.translation import gettext_lazy as _

from citeweb.accounts.tenancy import Place
from sources.core.names import plain_name
from sources.metadata import EDITED, is_web_address
from sources.models import Collection, Document
from sources.permissions import curated_collections
from sources.uploads import SameName


class ManyFilesInput(forms.FileInput):
    """A file input for several files."""

    allow_multiple_selected = True


class ManyFilesField(forms.Field):
    """Cleans to a list of uploaded files; empty ones pass, so that each can end with its own reason."""

    widget = ManyFilesInput

    def clean(self, value: object) -> "list[UploadedFile[bytes]]":
        """Return the files. Raises ValidationError when there is none."""
        files = value if isinstance(value, list) else []
        if not files:
            raise ValidationError(self.error_messages["required"], code="required")
        return files


class CuratedShelf(forms.ModelChoiceField):  # type: ignore[type-arg]  # generic in the stubs only
    """One of the collections that the reader may add to."""

    def __init__(self, place: Place, **kwargs: object) -> None:
        mine = curated_collections(user=place.user, tenant=place.tenant).order_by("name")
        super().__init__(mine, empty_label=None, **kwargs)  # type: ignore[arg-type]  # passed on as given
        self.widget.attrs["class"] = "input input--small"

    def label_from_instance(self, obj: Model) -> str:
        """Return the name without what could hide or turn it."""
        return plain_name(str(obj))


class UploadForm(forms.Form):
    """Files for one of the collections that the reader may add to.

    `batch` gathers what is sent from one page, which the browser may send in several requests.
    """

    same_name = forms.ChoiceField(
        label=_("A file whose name is here already"),
        choices=[
            (SameName.ASK, _("Ask me")),
            (SameName.REPLACE, _("Is a new version")),
            (SameName.KEEP_BOTH, _("Is another document")),
        ],
        initial=SameName.ASK,
        required=False,
        widget=forms.Select(attrs={"class": "input input--small"}),
    )
    batch = forms.UUIDField(widget=forms.HiddenInput, required=False)
    documents = ManyFilesField(label=_("Files"), error_messages={"required": _("Choose one or more files.")})

    def __init__(self, place: Place, *args: object, shelf: Collection | None = None) -> None:
        super().__init__(*args)  # type: ignore[arg-type]  # passed on as the view gives them
        self.fields["collection"] = CuratedShelf(place, label=_("Collection"), initial=shelf)
        self.initial["batch"] = uuid.uuid4()

    def clean_same_name(self) -> SameName:
        """Ask where nothing was said."""
        return SameName(self.cleaned_data["same_name"] or SameName.ASK)


class NewVersionForm(forms.Form):
    """The file that is to replace a document's."""

    file = forms.FileField(
        label=_("New file"), allow_empty_file=True, error_messages={"required": _("Choose a file.")}
    )


class CollectionForm(forms.Form):
    """A new collection."""

    name = forms.CharField(
        label=_("Name"),
        max_length=200,
        widget=forms.TextInput(attrs={"class": "input", "dir": "auto", "autocomplete": "off"}),
    )
    restricted = forms.BooleanField(
        label=_("Restricted: only people and groups that are granted it can read it"), required=False
    )


class MetadataForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs only
    """What is said about a document; a curator's word stays when a new file says otherwise."""

    url = forms.URLField(
        label=_("Web address"),
        help_text=_("Where everybody finds the original; answers given to programs name it."),
        required=False,
        max_length=2000,
        assume_scheme="https",
        widget=forms.URLInput(attrs={"autocomplete": "off"}),
    )

    class Meta:
        model = Document
        fields = EDITED
        labels = {
            "title": _("Title"),
            "author": _("Author"),
            "year": _("Year"),
            "reference": _("Reference"),
            "language": _("Language"),
            "provider_file_id": _("File id at the model's provider"),
        }
        help_texts = {
            "year": _("As it is to be cited, for example 1998 or 1265–1274."),
            "reference": _("How your organisation names it, for example a case or contract number."),
            "language": _("A code such as en, fa or la."),
            "provider_file_id": _(
                "If the provider's file search holds a copy: its id there. Answers from it then name this document."
            ),
        }
        widgets = {name: forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"}) for name in EDITED}

    def clean_url(self) -> str:
        """Take web addresses only."""
        url = str(self.cleaned_data["url"])
        if url and not is_web_address(url):
            raise ValidationError(_("Give an address that begins with http:// or https://."))
        return url

    def clean(self) -> dict[str, object]:
        """Take out line ends and characters that hide or turn what is written."""
        given = super().clean() or {}
        cleaned: dict[str, object] = {name: plain_name(str(value)) for name, value in given.items()}
        if "title" in cleaned and not cleaned["title"]:
            self.add_error("title", _("Give a title."))
        return cleaned


class MoveForm(forms.Form):
    """Where documents are to go."""

    def __init__(self, place: Place, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]  # passed on as the view gives them
        self.fields["to"] = CuratedShelf(place, label=_("Collection"))


class ReaderForm(forms.Form):
    """Whom a collection is to be granted to."""

    name = forms.CharField(
        label=_("E-mail address or group"),
        max_length=254,
        widget=forms.TextInput(
            attrs={"class": "input", "dir": "auto", "autocomplete": "off", "list": "readers"}
        ),
    )
