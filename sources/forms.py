"""Forms of the sources pages."""

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from citeweb.accounts.tenancy import Place
from sources.models import Collection
from sources.permissions import curated_collections


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


class UploadForm(forms.Form):
    """Files for one of the collections that the reader may add to."""

    collection = forms.ModelChoiceField(Collection.objects.none(), label=_("Collection"), empty_label=None)
    documents = ManyFilesField(label=_("Files"), error_messages={"required": _("Choose one or more files.")})

    def __init__(self, place: Place, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]  # passed on as the view gives them
        field = self.fields["collection"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = curated_collections(user=place.user, tenant=place.tenant).order_by("name")
        field.widget.attrs["class"] = "input input--small"


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
