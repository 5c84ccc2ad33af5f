"""The page of one's API keys."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from citeweb.accounts import api_keys
from citeweb.accounts.key_forms import KeyForm
from citeweb.accounts.tenancy import Place, in_tenant


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@in_tenant
def keys(request: HttpRequest, place: Place) -> HttpResponse:
    """List the keys that the reader may see, and make one; its text is on the answer's page and nowhere else."""
    # Bound also when nothing was sent, so that an empty form is told what it lacks.
    form = KeyForm(place, request.POST if request.method == "POST" else None)
    made = ""
    if request.method == "POST" and form.is_valid():
        _key, made = api_keys.issue(
            tenant=place.tenant,
            user=place.user,
            name=form.cleaned_data["name"],
            scopes=form.cleaned_data["scopes"],
            expires_at=form.expires_at,
            requests_per_minute=form.cleaned_data["requests_per_minute"],
            by=place.user,
        )
        form = KeyForm(place)
    context = {
        "section": "keys",
        "form": form,
        "made": made,
        "keys": api_keys.keys_seen_by(place),
        "now": timezone.now(),
        "base_url": request.build_absolute_uri("/v1"),
    }
    status = 422 if form.errors else 200
    return render(request, "account/keys.html", context, status=status)


@require_POST
@in_tenant
def revoke(request: HttpRequest, place: Place, key_id: int) -> HttpResponse:
    """Revoke one of the keys that the reader may see; a foreign one and a made-up one are the same 404."""
    key = api_keys.keys_seen_by(place).filter(pk=key_id).first()
    if key is None:
        raise Http404
    api_keys.revoke(key, by=place.user)
    messages.success(request, _("The key was revoked. It is worthless from now on."))
    return redirect("api_keys")
