"""The admin site, where staff keep all tenants: the one place on the web that is bound to none."""

from functools import update_wrapper
from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import SimpleTemplateResponse

from citeweb.accounts.row_security import acting_as_system


class OperatorsSite(AdminSite):
    """Django's site, whose pages see the rows of all tenants once it has let somebody in."""

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:  # as Django's
        """Wrap a page; Django's own wrapper around this one asks who it is first."""

        def as_system(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
            with acting_as_system("the admin site"):
                response: HttpResponseBase = view(request, *args, **kwargs)
                # A template reads rows too; Django would render it after this scope.
                return response.render() if isinstance(response, SimpleTemplateResponse) else response

        return super().admin_view(update_wrapper(as_system, view), cacheable)


class OperatorsAdmin(AdminConfig):
    """Registers the site."""

    default_site = "citeweb.admin_site.OperatorsSite"
