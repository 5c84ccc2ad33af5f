"""Every setting of Citeweb. What an operator may set comes from the environment; docs/settings.md lists it."""

import secrets
from pathlib import Path

from csp.constants import NONE, SELF
from dotenv import load_dotenv

from citeweb import environment as env

BASE_DIR = Path(__file__).resolve().parent.parent
load_dotenv(BASE_DIR / ".env")

# Everything that Citeweb writes on one machine: database, uploads, page images, generated secret.
DATA_DIR = Path(env.text("CITEWEB_DATA_DIR", str(BASE_DIR / "var"))).resolve()


def _secret_key() -> str:
    """Return SECRET_KEY, or one that is made once and kept in the data folder, readable by its owner only."""
    if key := env.text("SECRET_KEY"):
        return key
    path = DATA_DIR / "secret_key"
    if not path.exists():
        DATA_DIR.mkdir(parents=True, exist_ok=True)
        # O_EXCL: of two processes that start at once, one writes and both read the same key.
        try:
            with path.open("x") as file:
                path.chmod(0o600)
                file.write(secrets.token_urlsafe(48))
        except FileExistsError:
            pass
    return path.read_text()


SECRET_KEY = _secret_key()
DEBUG = env.flag("DEBUG", default=False)
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", ("localhost", "127.0.0.1", "[::1]"))
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")
# The address under which people reach us, for links in API objects.
PUBLIC_URL = env.text("CITEWEB_PUBLIC_URL", "http://127.0.0.1:8000").rstrip("/")
# Behind a proxy that ends TLS: trust its X-Forwarded-Proto and send cookies over HTTPS only.
BEHIND_TLS_PROXY = env.flag("CITEWEB_BEHIND_TLS_PROXY", default=False)
if BEHIND_TLS_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BEHIND_TLS_PROXY

INSTALLED_APPS = [
    "citeweb.accounts",
    "sources",
    "chat",
    "citeweb.admin_site.OperatorsAdmin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "allauth",
    "allauth.account",
    "csp",
    "procrastinate.contrib.django",
]

MIDDLEWARE = [
    "citeweb.requests.RequestLog",
    # First: /v1/ meets no cookie, no session and no page.
    "chat.api.door.ApiDoor",
    "citeweb.streaming.AsyncStreaming",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "citeweb.accounts.middleware.ActingUser",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "chat.audit.openings.Openings",
]

ROOT_URLCONF = "citeweb.urls"
ASGI_APPLICATION = "citeweb.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "citeweb.accounts.context.tenant",
                "chat.context.conversations",
            ],
        },
    },
]

# manage.py sets DATABASE_URL for the embedded server; without one (type checks) nothing connects.
DATABASE_URL = env.text("DATABASE_URL", "postgresql:///citeweb")
# With it, DATABASE_URL is the application's role and this one the tables' owner, who migrates (docs/permissions.md).
DATABASE_OWNER_URL = env.text("DATABASE_OWNER_URL")
DATABASES = {"default": env.database(DATABASE_URL)}
DATABASES["default"]["OWNER"] = env.database(DATABASE_OWNER_URL) if DATABASE_OWNER_URL else None
DATABASES["default"]["TEST"] = {"NAME": env.text("TEST_DATABASE_NAME", "test_citeweb")}
# One psycopg pool a process. A pooler in transaction mode in front of PostgreSQL wants this off.
DATABASE_POOL = env.flag("CITEWEB_DATABASE_POOL", default=True)
# Such a pooler also can't keep server-side cursors or prepared statements (psycopg makes none by itself here), and
# a cursor that outlives its statement would outlive the scope in which row policies read (citeweb.database).
DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = True
_OPTIONS = DATABASES["default"]["OPTIONS"]
assert isinstance(_OPTIONS, dict)
if DATABASE_POOL:
    _OPTIONS["pool"] = {
        "min_size": 1,
        "max_size": env.whole_number("CITEWEB_DATABASE_POOL_SIZE", 16),
        "timeout": 20,
    }
else:
    _OPTIONS["prepare_threshold"] = None
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.text("REDIS_URL")
CHANNEL_LAYERS = {
    "default": (
        {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": [REDIS_URL]}}
        if REDIS_URL
        else {"BACKEND": "channels.layers.InMemoryChannelLayer"}
    )
}

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_REDIRECT_URL = "/"
LOGIN_URL = "account_login"
ACCOUNT_ADAPTER = "citeweb.accounts.adapter.ClosedSignup"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_PREVENT_ENUMERATION = True
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
DEFAULT_FROM_EMAIL = env.text("DEFAULT_FROM_EMAIL", "citeweb@localhost")

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("fa", "فارسی")]
LOCALE_PATHS = [BASE_DIR / "citeweb" / "locale"]
TIME_ZONE = env.text("TIME_ZONE", "UTC")
USE_TZ = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = DATA_DIR / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
# Serve straight from the apps' folders: no collectstatic step between `git pull` and a working page.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
MEDIA_ROOT = DATA_DIR / "media"
STORAGES = {
    "default": env.storage(env.text("CITEWEB_STORAGE_URL")),
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# On disk, one open file at a time: a thousand files at once must not need a thousand descriptors.
FILE_UPLOAD_HANDLERS = ["sources.upload_handler.DiskUploadHandler"]
FILE_UPLOAD_TEMP_DIR = env.text("CITEWEB_UPLOAD_TEMP_DIR") or None
DATA_UPLOAD_MAX_NUMBER_FILES = 1000

CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "object-src": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"

# --- Ingestion -------------------------------------------------------------------------------------
# The largest upload that is read, in bytes; a larger one ends as failed with that reason.
MAX_FILE_BYTES = env.whole_number("CITEWEB_MAX_FILE_MB", 100) * 1024 * 1024
# Limits of the child process that parses one file.
EXTRACT_SECONDS = env.whole_number("CITEWEB_EXTRACT_SECONDS", 120)
EXTRACT_MEMORY_MB = env.whole_number("CITEWEB_EXTRACT_MEMORY_MB", 1024)

# Pictures of pages are kept here, up to so many bytes; those not used for longest go first. Each machine has a cache
# of its own and removes what was purged elsewhere within minutes (sources/page_upkeep.py).
PAGE_CACHE_DIR = env.text("CITEWEB_PAGE_CACHE_DIR", str(DATA_DIR / "cache" / "pages"))
PAGE_CACHE_BYTES = env.whole_number("CITEWEB_PAGE_CACHE_MB", 512) * 1024 * 1024

# How many files the worker reads at the same time; it shares the machine with the chat.
WORKER_CONCURRENCY = env.whole_number("CITEWEB_WORKER_CONCURRENCY", 1)
PROCRASTINATE_IMPORT_PATHS = ["sources.jobs", "chat.jobs"]
PROCRASTINATE_WORKER_DEFAULTS = {
    "concurrency": WORKER_CONCURRENCY,
    # A pooler in transaction mode passes no notice on: then the worker looks each second.
    "listen_notify": DATABASE_POOL,
    "fetch_job_polling_interval": 5 if DATABASE_POOL else 1,
    # Finished jobs leave no row; failed ones stay for a look.
    "delete_jobs": "successful",
    "update_heartbeat_interval": 5,
    "stalled_worker_timeout": 20,
    # Seconds that a running job gets to end by itself when the worker is stopped.
    "shutdown_graceful_timeout": 5,
}

# --- Embeddings ------------------------------------------------------------------------------------
EMBEDDINGS = env.choice("CITEWEB_EMBEDDINGS", ("local", "openai", "none"), "local")
EMBEDDING_MODEL = env.text(
    "CITEWEB_EMBEDDING_MODEL", "text-embedding-3-small" if EMBEDDINGS == "openai" else ""
)
EMBEDDING_DIM = env.whole_number("CITEWEB_EMBEDDING_DIM", 384)

# --- Answers ---------------------------------------------------------------------------------------
MODELS_FILE = env.text("CITEWEB_MODELS_FILE")
DEFAULT_MODEL = env.text("CITEWEB_MODEL", "citeweb-quote")
# How many passages one question may offer to the model.
OFFERED_PASSAGES = env.whole_number("CITEWEB_OFFERED_PASSAGES", 8)
# A turn whose process has given no sign for this many seconds is marked interrupted.
TURN_SILENCE_SECONDS = env.whole_number("CITEWEB_TURN_SILENCE_SECONDS", 15)

# Called with each change that people make to documents, collections, members and groups (citeweb.accounts.changes).
CHANGE_RECORDER = "chat.change_records.record"

# --- Audit -----------------------------------------------------------------------------------------
# Signs audit records and heads; kept outside the database, it makes a rewritten chain recognisable. Earlier keys
# still verify what they signed.
AUDIT_KEYS = env.words("CITEWEB_AUDIT_KEY") + env.words("CITEWEB_AUDIT_OLD_KEYS")

# --- The API ---------------------------------------------------------------------------------------
# Seconds without a word after which a stream sends a comment, so that no proxy takes it for dead.
API_HEARTBEAT_SECONDS = env.whole_number("CITEWEB_API_HEARTBEAT_SECONDS", 10)
# The largest JSON body, in bytes; a whole history in Persian, escaped, needs some megabytes.
DATA_UPLOAD_MAX_MEMORY_SIZE = 8 * 1024 * 1024

# --- Observing -------------------------------------------------------------------------------------
# Who brings it as a bearer token may read /metrics; without it only this machine itself may.
METRICS_TOKEN = env.text("CITEWEB_METRICS_TOKEN")
# One line a record, as words or as JSON. Without content no log quotes a question, a document or a row.
LOG_FORMAT = env.choice("CITEWEB_LOG_FORMAT", ("text", "json"), "text")
LOG_CONTENT = env.flag("CITEWEB_LOG_CONTENT", default=False)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"ours": {"()": "citeweb.logs.Formatter", "form": LOG_FORMAT, "content": LOG_CONTENT}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "ours"}},
    "root": {"handlers": ["console"], "level": env.text("LOG_LEVEL", "WARNING")},
}
