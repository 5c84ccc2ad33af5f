"""Choosing the tenant to work in, and what a person or an administrator sets once."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from citeweb.accounts.forms import OrganisationForm
from citeweb.accounts.models import User
from citeweb.accounts.tenancy import SESSION_KEY, Place, in_tenant, tenants_of


@login_required
@require_POST
def choose_tenant(request: HttpRequest) -> HttpResponse:
    """Remember the wished tenant; a foreign one and a made-up one are the same 404."""
    assert isinstance(request.user, User)
    wished = request.POST.get("tenant", "")
    if wished not in {str(tenant.pk) for tenant in tenants_of(request.user)}:
        raise Http404
    request.session[SESSION_KEY] = wished
    return redirect("chat:new")


@login_required
@require_POST
def choose_citations(request: HttpRequest) -> HttpResponse:
    """Remember whether answers show their citations to this person."""
    assert isinstance(request.user, User)
    request.user.shows_citations = request.POST.get("citations") != "hidden"
    request.user.save(update_fields=["shows_citations"])
    wished = request.POST.get("next", "")
    own = url_has_allowed_host_and_scheme(wished, allowed_hosts=None)
    return redirect(wished if own else "chat:new")


@require_http_methods(["GET", "HEAD", "POST"])
@in_tenant
def organisation(request: HttpRequest, place: Place) -> HttpResponse:
    """Let an administrator change the organisation's settings; to others the page doesn't exist."""
    if not place.may_administer:
        raise Http404
    form = OrganisationForm(request.POST or None, instance=place.tenant)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, _("The settings were saved."))
        return redirect("organisation")
    return render(request, "account/organisation.html", {"form": form})
