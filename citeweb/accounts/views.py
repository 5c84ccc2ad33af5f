"""Choosing the tenant to work in."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from citeweb.accounts.models import User
from citeweb.accounts.tenancy import SESSION_KEY, tenants_of


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
