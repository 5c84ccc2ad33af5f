"""Sentences of Django and allauth that our own catalogue says better, and wins because it is asked first.

Their Persian addresses the reader as a child would, calls e-mail by two names, or is missing. Nobody imports this:
makemessages reads it.
"""

from django.utils.translation import gettext_noop, ngettext_lazy

BORROWED = (
    # django.template.defaultfilters.filesizeformat
    gettext_noop("%s KB"),
    gettext_noop("%s MB"),
    gettext_noop("%s GB"),
    # allauth.account: forms and their errors
    gettext_noop("Please type your current password."),
    gettext_noop("Forgot your password?"),
    gettext_noop("Current Password"),
    gettext_noop("New Password"),
    gettext_noop("New Password (again)"),
    gettext_noop("You must type the same password each time."),
    gettext_noop("You cannot remove your primary email address."),
    gettext_noop("This email address is already associated with this account."),
    gettext_noop("Too many failed login attempts. Try again later."),
    gettext_noop("Incorrect password."),
    # allauth.account: pages
    gettext_noop("Are you sure you want to sign out?"),
    gettext_noop(
        "Forgotten your password? Enter your email address below, and we'll send you an email allowing you to "
        "reset it."
    ),
    gettext_noop("Please contact us if you have any trouble resetting your password."),
    gettext_noop(
        "We have sent you an email. If you have not received it please check your spam folder. Otherwise contact "
        "us if you do not receive it in a few minutes."
    ),
    gettext_noop("Your password is now changed."),
    gettext_noop("Set Password"),
    gettext_noop("Email Addresses"),
    gettext_noop("The following email addresses are associated with your account:"),
    gettext_noop("Verified"),
    gettext_noop("Unverified"),
    gettext_noop("Re-send Verification"),
    gettext_noop("Add Email Address"),
    gettext_noop("Add Email"),
    gettext_noop("Do you really want to remove the selected email address?"),
    gettext_noop("Confirm Email Address"),
    gettext_noop("Sign Up Closed"),
    gettext_noop("We are sorry, but the sign up is currently closed."),
    gettext_noop("Verify Your Email Address"),
    # allauth.account: messages
    gettext_noop("You cannot remove your primary email address (%(email)s)."),
    gettext_noop("Confirmation email sent to %(email)s."),
    gettext_noop("You have confirmed %(email)s."),
    gettext_noop("Removed email address %(email)s."),
    gettext_noop("Password successfully changed."),
    gettext_noop("Password successfully set."),
    gettext_noop("Primary email address set."),
    gettext_noop("Password Reset Email"),
    # django.contrib.auth.password_validation
    gettext_noop("Your password can’t be too similar to your other personal information."),
    gettext_noop("Your password can’t be a commonly used password."),
    ngettext_lazy(
        "Your password must contain at least %(min_length)d character.",
        "Your password must contain at least %(min_length)d characters.",
        "min_length",
    ),
)
