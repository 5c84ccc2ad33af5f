"""The mail to somebody who has become a member; the same whether their account is new or not."""

import logging
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.urls import reverse
from django.utils.translation import gettext as _

from citeweb.accounts.models import Tenant, User

logger = logging.getLogger(__name__)


def invite(user: User, tenant: Tenant) -> bool:
    """Tell a new member where to sign in and how to set a password; False when the mail could not be sent."""
    named = {"organisation": " ".join(tenant.name.split())}
    sign_in, reset = (
        settings.PUBLIC_URL + reverse(name) for name in ("account_login", "account_reset_password")
    )
    subject = _("You are now a member of %(organisation)s") % named
    body = "\n\n".join(
        (
            _("You are now a member of %(organisation)s in Citeweb.") % named,
            _("Sign in with this e-mail address: %(address)s") % {"address": sign_in},
            _("If you have no password yet, set one here: %(address)s") % {"address": reset},
        )
    )
    try:
        send_mail(subject, body, None, [user.email])
    except (OSError, SMTPException):
        logger.exception("The invitation to user %s could not be sent", user.pk)
        return False
    return True
