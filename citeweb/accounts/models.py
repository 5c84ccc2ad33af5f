"""People, organisations, and who belongs to what."""

import uuid
from typing import ClassVar

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _


class UserManager(BaseUserManager["User"]):
    """Makes users that sign in with their e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: object) -> "User":
        """Create a user; without a password they can only come in through a reset."""
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: object) -> "User":
        """Create a user who may open the admin site."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractUser):
    """A person, known by e-mail address (stored in lower case)."""

    username = None  # type: ignore[assignment]  # Django's own way to drop the field
    email = models.EmailField(_("e-mail address"), unique=True)
    # Whether answers show their citations to this person; the record keeps them either way.
    shows_citations = models.BooleanField(_("show citations in answers"), default=True)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects = UserManager()  # type: ignore[assignment,misc]  # replaces the username-based manager

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_once_in_any_case")]

    @property
    def display_name(self) -> str:
        """The full name, or the e-mail address when there is none."""
        return self.get_full_name() or self.email


class Tenant(models.Model):
    """An organisation; nothing crosses its border."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    # Added to the rules that every model gets; see templates/prompts/citations.txt.
    answer_rules = models.TextField(_("rules for answers"), blank=True, default="", max_length=4_000)
    shows_citations = models.BooleanField(_("show citations in answers"), default=True)
    asks_audit_reason = models.BooleanField(_("ask why before the audit is opened"), default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    """What a member may do in a tenant; roles add up."""

    MEMBER = "member", _("member")
    CURATOR = "curator", _("curator")
    AUDITOR = "auditor", _("auditor")
    ADMIN = "admin", _("administrator")


class Membership(models.Model):
    """One role of one user in one tenant."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "user", "role"], name="membership_role_once"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="membership_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user.email}: {self.role}"


class Group(models.Model):
    """Users of a tenant that are granted collections together."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="groups")
    name = models.CharField(max_length=200)
    users = models.ManyToManyField(User, related_name="tenant_groups", blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "name"], name="group_name_once_a_tenant")]

    def __str__(self) -> str:
        return self.name


class Scope(models.TextChoices):
    """What a program may do with a key, within what its user may do."""

    CHAT = "chat", _("ask questions and read the answers")
    SEARCH = "search", _("search passages and look up citations")
    FILES = "files", _("manage documents and collections")
    AUDIT = "audit", _("read the audit record")


def all_scopes() -> list[str]:
    """Return every scope, for a key that was made without naming any."""
    return list(Scope.values)


class ApiKey(models.Model):
    """A key with which a program acts as one user in one tenant; only its SHA-256 is kept.

    `busy_until` is the state of its rate limit: a request moves it on by a minute divided by
    `requests_per_minute`, and is refused when it stands more than a minute ahead (citeweb.accounts.api_keys).
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="api_keys")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_keys")
    name = models.CharField(_("name"), max_length=100, blank=True, default="")
    prefix = models.CharField(max_length=12)
    digest = models.CharField(max_length=64, unique=True)
    scopes = ArrayField(models.CharField(max_length=10, choices=Scope.choices), default=all_scopes)
    requests_per_minute = models.PositiveIntegerField(default=600)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    busy_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(requests_per_minute__gte=1), name="api_key_allows_some_requests"
            )
        ]
        # The page of a person's keys.
        indexes = [models.Index(fields=["tenant", "user"], name="api_key_of_person")]

    def __str__(self) -> str:
        return self.name or self.prefix
