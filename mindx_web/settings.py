"""Django settings. Every value an operator may change comes from the environment (README, "Configuration").

Without DATABASE_URL and REDIS_URL the addresses of the embedded servers are read from
`$MINDX_DATA/run/servers.json`, which the supervisor writes, so that `manage.py` talks to the running server.
"""

import ipaddress
import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from library.language.prices import parse_prices
from people.oidc.configuration import configuration as oidc_configuration
from sandbox.store.store_address import BadAddress
from sandbox.store.store_address import parse as parse_store_address

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(os.environ.get("MINDX_DATA", BASE_DIR / ".mindx")).resolve()


def _servers() -> dict[str, str]:
    """Addresses of the embedded servers, or nothing when they have never been started."""
    try:
        return dict(json.loads((DATA_DIR / "run" / "servers.json").read_text()))
    except FileNotFoundError:
        return {}


def _secret(name: str, variable: str) -> str:
    """A secret from the environment, else from its 600 file below the data folder; empty when neither exists."""
    if value := os.environ.get(variable):
        return value
    try:
        return (DATA_DIR / "secrets" / name).read_text().strip()
    except FileNotFoundError:
        return ""


def _networks(variable: str) -> list[str]:
    """Addresses and networks from the environment, comma separated."""
    found = [word.strip() for word in os.environ.get(variable, "").split(",") if word.strip()]
    try:
        for network in found:
            ipaddress.ip_network(network)
    except ValueError as error:
        raise ImproperlyConfigured(f"{variable} holds addresses or networks such as 10.0.0.0/8: {error}") from error
    return found


def _flag(name: str, default: bool) -> bool:
    return os.environ.get(name, "1" if default else "0").lower() in {"1", "true", "yes", "on"}


SERVERS = _servers()
DEBUG = _flag("MINDX_DEBUG", default=False)

# --- who may speak to us -------------------------------------------------------------------------------------
BIND = os.environ.get("MINDX_BIND", "127.0.0.1")
PORT = int(os.environ.get("MINDX_PORT", "8000"))
PUBLIC_URL = os.environ.get("MINDX_PUBLIC_URL", f"http://127.0.0.1:{PORT}").rstrip("/")
_public = urlsplit(PUBLIC_URL)
if not _public.hostname:
    raise ImproperlyConfigured("MINDX_PUBLIC_URL must be a whole address such as https://mindx.example.org")
HTTPS = _public.scheme == "https"
# Further names under which machines of the house reach us (a scraper that asks `web:8000`), comma separated.
_further = {word.strip() for word in os.environ.get("MINDX_ALLOWED_HOSTS", "").split(",") if word.strip()}
ALLOWED_HOSTS = sorted({_public.hostname, "127.0.0.1", "localhost", "[::1]", *_further})
if "*" in ALLOWED_HOSTS:
    raise ImproperlyConfigured("MINDX_ALLOWED_HOSTS names hosts; “*” would let anybody choose the address in our links")
CSRF_TRUSTED_ORIGINS = [f"{_public.scheme}://{_public.netloc}"]
# The proxies whose X-Forwarded-For says who asks; anybody else's is not looked at.
TRUSTED_PROXIES = _networks("MINDX_TRUSTED_PROXIES")

# A start without a key would invalidate every session at the next one, so there is no random default.
SECRET_KEY = _secret("secret_key", "MINDX_SECRET_KEY")
if not SECRET_KEY:
    raise ImproperlyConfigured("No secret key: start mindX once with `make up`, or set MINDX_SECRET_KEY.")
# Signs approvals and the audit chain; kept outside the database on purpose.
APPROVAL_KEY = _secret("approval_key", "MINDX_APPROVAL_KEY") or SECRET_KEY

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = False  # HTMX reads the token from the page, not from the cookie; other tools may
CSRF_FAILURE_VIEW = "mindx_web.views.errors.csrf_failure"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
CONTENT_SECURITY_POLICY: dict[str, Any] = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}

# --- parts ---------------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django.contrib.humanize",
    "channels",
    "django_htmx",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "people",
    "library",
    "agents",
    "review",
    "mindx_web",
]
MIDDLEWARE = [
    "mindx_web.metrics.requests.Durations",
    "mindx_web.api.protocol.edge.Edge",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "mindx_web.web.refusals.Refusals",
    "people.login_required.LoginRequired",
    "mindx_web.web.known_tools.KnownTools",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "mindx_web.web.fragments.Fragments",
    "mindx_web.views.post_only.PostOnly",
]
ROOT_URLCONF = "mindx_web.urls"
ASGI_APPLICATION = "mindx_web.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "mindx_web.web.context.shell",
            ],
            "builtins": ["mindx_web.templatetags.mindx"],
        },
    }
]


def _silence(*, over_network: bool) -> dict[str, object]:
    """What both ends of a connection to Postgres are told about silence."""
    told = {"idle_in_transaction_session_timeout": DB_SILENCE_S * 1000}
    options: dict[str, object] = {}
    if over_network:
        third = max(DB_SILENCE_S // 3, 1)
        alive = {"keepalives_idle": third, "keepalives_interval": third, "keepalives_count": 2}
        options = {"connect_timeout": max(third, 2), **alive, "tcp_user_timeout": DB_SILENCE_S * 1000}
        told |= {f"tcp_{name}": value for name, value in alive.items()} | {"tcp_user_timeout": DB_SILENCE_S * 1000}
    return {**options, "options": " ".join(f"-c {name}={value}" for name, value in told.items())}


# --- Postgres, Redis -----------------------------------------------------------------------------------------
DATABASE_URL = os.environ.get("DATABASE_URL") or SERVERS.get("database_url", "")
REDIS_URL = os.environ.get("REDIS_URL") or SERVERS.get("redis_url", "")
# `check`, `collectstatic` and `makemigrations` run without a server; anything that asks the database says so itself.
DATABASES = {"default": dj_database_url.parse(DATABASE_URL or "postgres:///mindx", conn_max_age=None)}
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# Over a network a link may be cut without a word. Within so many seconds each side then gives the other up: else a
# worker waits a quarter of an hour for an answer, and the server keeps the locks of one that is gone for two hours.
# A process that is stopped keeps its link alive, and everybody waiting for its locks: in a transaction, where nothing
# ever waits, its silence counts as well.
DB_SILENCE_S = int(os.environ.get("MINDX_DB_SILENCE_S", "15"))
if DB_SILENCE_S:
    DATABASES["default"]["OPTIONS"] = {
        **_silence(over_network=DATABASES["default"].get("HOST", "").strip()[:1] not in {"", "/"}),
        **DATABASES["default"].get("OPTIONS", {}),
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "people.User"

CHANNEL_LAYERS = (
    {
        "default": {
            "BACKEND": "channels_redis.core.RedisChannelLayer",
            "CONFIG": {"hosts": [REDIS_URL], "capacity": 1000, "expiry": 20},
        }
    }
    if REDIS_URL
    else {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
)

# kombu spells a Redis on a unix socket differently from the Redis client.
# Another broker (amqp://…) carries wake-ups only; live pages and signs of life stay with Redis.
BROKER_URL = os.environ.get("MINDX_BROKER_URL", "")
if BROKER_URL and urlsplit(BROKER_URL).scheme not in {"amqp", "amqps", "redis", "rediss", "unix"}:
    raise ImproperlyConfigured("MINDX_BROKER_URL must begin with amqp://, amqps://, redis://, rediss:// or unix://")
BROKER_IS_SEPARATE = bool(BROKER_URL) and BROKER_URL != REDIS_URL
CELERY_BROKER_URL = (BROKER_URL or REDIS_URL or "memory://").replace("unix://", "redis+socket://", 1)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = False  # a wake-up is a hint: losing one delays by a sweep, doubling one does nothing
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# With Redis a worker whose processes are busy takes no message that another, idle one could act on at once.
CELERY_WORKER_DISABLE_PREFETCH = CELERY_BROKER_URL.startswith("redis")
CELERY_BROKER_HEARTBEAT = 20  # RabbitMQ: who is silent for so many seconds is gone, on both sides
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # the broker may be away for hours; the worker waits for it
# RabbitMQ keeps what is exclusive locked for the connection of a cut link until that misses its heartbeats; a worker
# that came back earlier ended by it. This queue carries pings only, and goes when its worker has been away for a while.
CELERY_CONTROL_QUEUE_EXCLUSIVE = False
CELERY_CONTROL_QUEUE_DURABLE = True  # other queues that outlive their connection are on their way out of RabbitMQ
# A wake-up is never tried twice: with the broker away each further try would keep a person waiting for seconds.
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"connect_timeout": 1.0, "read_timeout": 5.0, "write_timeout": 5.0, "max_retries": 0}
    if CELERY_BROKER_URL.startswith("amqp")
    else {"socket_connect_timeout": 1.0, "socket_timeout": 5.0, "max_retries": 0}
)
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_CONSUMER = "mindx_web.web.messages:Consumer"
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_DB_REUSE_MAX = 5000  # Celery closes the connection after every task otherwise
CELERY_TIMEZONE = "UTC"

# --- people --------------------------------------------------------------------------------------------------
AUTHENTICATION_BACKENDS = ["people.login_limit.LoginLimit", "people.backends.SealedPeople"]
SESSION_ENGINE = "people.sessions"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/login/"

# Sign-in with OpenID Connect beside the built-in login (docs/sign-in.md); without an issuer there is none of it.
OIDC_ISSUER = os.environ.get("MINDX_OIDC_ISSUER", "").strip()
try:
    OIDC = (
        oidc_configuration(
            issuer=OIDC_ISSUER,
            client_id=os.environ.get("MINDX_OIDC_CLIENT_ID", "").strip(),
            client_secret=_secret("oidc_client_secret", "MINDX_OIDC_CLIENT_SECRET"),
            name=os.environ.get("MINDX_OIDC_NAME", "").strip() or "single sign-on",
            scopes=os.environ.get("MINDX_OIDC_SCOPES", "openid profile email"),
            groups_claim=os.environ.get("MINDX_OIDC_GROUPS_CLAIM", "").strip() or "groups",
            roles=os.environ.get("MINDX_OIDC_ROLES", ""),
        )
        if OIDC_ISSUER
        else None
    )
except ValueError as error:
    raise ImproperlyConfigured(str(error)) from None
# allauth's own accounts, forms and pages are not used: it walks the protocol for people.oidc.
SOCIALACCOUNT_ADAPTER = "people.oidc.provider.Adapter"

# --- mindX ---------------------------------------------------------------------------------------------------
FOUR_EYES = _flag("MINDX_FOUR_EYES", default=False)
# After how many minutes an approval of high or unknown risk asks for the password again; 0: never.
FRESH_LOGIN_MIN = float(os.environ.get("MINDX_FRESH_LOGIN_MIN", "0"))
# How long a decision of the browser can be taken back; 0: it takes effect at once.
HOLD_S = float(os.environ.get("MINDX_HOLD_S", "10"))
SANDBOX_MIN = os.environ.get("MINDX_SANDBOX_MIN", "L3")
LEASE_S = float(os.environ.get("MINDX_LEASE_S", "15"))
SWEEP_S = 1.0
# How long a worker that is told to stop lets a step run before it ends it; the step then starts again elsewhere.
DRAIN_S = float(os.environ.get("MINDX_DRAIN_S", "5"))
# How long the steps of a plan may run in all, waiting not counted.
PLAN_S = float(os.environ.get("MINDX_PLAN_S", "14400"))
# What one try of a step may write into its goal's log; how much was left out stands in the log.
STEP_LOG_LINES = int(os.environ.get("MINDX_STEP_LOG_LINES", "20000"))
STEP_LOG_BYTES = int(os.environ.get("MINDX_STEP_LOG_BYTES", str(16 * 1024 * 1024)))
# Where snapshots live when several machines work: a folder that all have mounted, or a bucket; empty: the data folder.
STORE_URL = os.environ.get("MINDX_STORE_URL", "")
try:
    STORE_PLACE = parse_store_address(STORE_URL) if STORE_URL else None
except BadAddress as error:
    raise ImproperlyConfigured(str(error)) from None
# How many days the states of ended goals are kept that no workspace stands on any more.
SNAPSHOT_KEEP_DAYS = float(os.environ.get("MINDX_SNAPSHOT_KEEP_DAYS", "90"))
# How much of a bucket a machine keeps copies of, and for how long unused.
STORE_CACHE_BYTES = int(float(os.environ.get("MINDX_STORE_CACHE_MB", "10240")) * 1024 * 1024)
STORE_CACHE_DAYS = float(os.environ.get("MINDX_STORE_CACHE_DAYS", "7"))
# How many days after a goal's end its log is kept; 0: for ever. Everything else about a goal stays.
LOG_KEEP_DAYS = int(os.environ.get("MINDX_LOG_KEEP_DAYS", "0"))
if LOG_KEEP_DAYS < 0:
    raise ImproperlyConfigured("MINDX_LOG_KEEP_DAYS is a number of days, or 0 for ever")
# How many days after its goal's end an experience is kept; 0: for ever.
MEMORY_KEEP_DAYS = int(os.environ.get("MINDX_MEMORY_KEEP_DAYS", "0"))
if MEMORY_KEEP_DAYS < 0:
    raise ImproperlyConfigured("MINDX_MEMORY_KEEP_DAYS is a number of days, or 0 for ever")
# Whether the language model summarises long results of goals for memory; the result's own sentences do otherwise.
MEMORY_SUMMARIES = os.environ.get("MINDX_MEMORY_SUMMARIES", "1") == "1"
# How many days the bus keeps its log, and requests after their end; 0: for ever.
BUS_KEEP_DAYS = int(os.environ.get("MINDX_BUS_KEEP_DAYS", "90"))
if BUS_KEEP_DAYS < 0:
    raise ImproperlyConfigured("MINDX_BUS_KEEP_DAYS is a number of days, or 0 for ever")
# How many plans are tried in copies at one time, over all workers; the others are free for what was approved.
SHADOW_RUNS_MAX = int(os.environ.get("MINDX_SHADOW_RUNS", "1"))
GOAL_TEXT_MAX = 4_000
# How many goals a person may submit at once, and in each minute after that; 0: as many as they like.
GOALS_PER_MINUTE = int(os.environ.get("MINDX_GOALS_PER_MINUTE", "60"))
UPLOAD_MAX_BYTES = 64 * 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000

# --- language models -----------------------------------------------------------------------------------------
# As LiteLLM spells it, such as anthropic/… or openai/…; keys and addresses in the variables that it reads. Empty: none.
MODEL = os.environ.get("MINDX_MODEL", "").strip()
# Asked in this order where MODEL gives no answer; comma separated.
MODEL_FALLBACKS = [word.strip() for word in os.environ.get("MINDX_MODEL_FALLBACKS", "").split(",") if word.strip()]
# One request may take so long, and is made so often.
MODEL_TIMEOUT_S = float(os.environ.get("MINDX_MODEL_TIMEOUT_S", "120"))
MODEL_TRIES = int(os.environ.get("MINDX_MODEL_TRIES", "3"))
# How many tokens an answer may have, and a prompt may have about.
MODEL_ANSWER_TOKENS = int(os.environ.get("MINDX_MODEL_ANSWER_TOKENS", "8192"))
MODEL_PROMPT_TOKENS = int(os.environ.get("MINDX_MODEL_PROMPT_TOKENS", "16000"))
# What an agent of another framework may take for one goal: questions to its model, tokens, and seconds at work.
FRAMEWORK_STEPS = int(os.environ.get("MINDX_FRAMEWORK_STEPS", "40"))
FRAMEWORK_TOKENS = int(os.environ.get("MINDX_FRAMEWORK_TOKENS", "500000"))
FRAMEWORK_SECONDS = float(os.environ.get("MINDX_FRAMEWORK_SECONDS", "900"))
# The OpenAI Agents SDK has an environment of its own (`make extras-openai-agents`): the Python in it.
OPENAI_AGENTS_PYTHON = os.environ.get(
    "MINDX_OPENAI_AGENTS_PYTHON", str(BASE_DIR / ".venv-openai-agents" / "bin" / "python")
)
# For how many days the same request gets the same answer without being made; 0: never.
MODEL_CACHE_DAYS = float(os.environ.get("MINDX_MODEL_CACHE_DAYS", "7"))
# What models cost that LiteLLM's list does not know: NAME=IN/OUT in dollars for a million tokens, comma separated.
try:
    MODEL_PRICES = parse_prices(os.environ.get("MINDX_MODEL_PRICES", ""))
except ValueError as error:
    raise ImproperlyConfigured(f"MINDX_MODEL_PRICES: {error}") from None

# Which sentence model makes the vectors that searches compare, as LiteLLM spells it; empty: the one that comes with
# mindX, on this machine. With another one, everything that is remembered is sent to its provider.
EMBEDDING_MODEL = os.environ.get("MINDX_EMBEDDING_MODEL", "").strip()
if len(EMBEDDING_MODEL) > 200:
    raise ImproperlyConfigured("MINDX_EMBEDDING_MODEL: the name has more than 200 characters")

# The socket of the process that runs the models for all others of a machine; empty: each loads its own. The worker
# that starts that process says so to its children and to the web server, operators do not.
MODEL_SERVER = os.environ.get("MINDX_MODEL_SERVER", "")

# --- rules ---------------------------------------------------------------------------------------------------
# Who decides whether a context follows from a belief: the structured matcher alone; after it the entailment model; or
# after both a language model, to which beliefs are sent.
ENTAILMENT = os.environ.get("MINDX_ENTAILMENT", "structured").strip()
if ENTAILMENT not in {"structured", "model", "language_model"}:
    raise ImproperlyConfigured(f"MINDX_ENTAILMENT is structured, model or language_model, not {ENTAILMENT}.")

# --- agents of other systems (A2A) ---------------------------------------------------------------------------
# Whether their cards and addresses may lead to internal machines, and without TLS.
FOREIGN_AGENTS_INTERNAL = _flag("MINDX_AGENTS_INTERNAL", default=False)

# --- operations ----------------------------------------------------------------------------------------------
# `manage.py doctor` fails below this much free room on a disk of ours, and warns below four times as much.
DISK_FREE_MIN_MB = int(os.environ.get("MINDX_DISK_FREE_MIN_MB", "1024"))
# How long a migration waits for a table that others use before it steps back and tries again.
MIGRATE_LOCK_S = float(os.environ.get("MINDX_MIGRATE_LOCK_S", "3"))
# Who may read /metrics: a token (`Authorization: Bearer …`), or addresses and networks, comma separated; else nobody.
METRICS_TOKEN = _secret("metrics_token", "MINDX_METRICS_TOKEN")
METRICS_FROM = _networks("MINDX_METRICS_FROM")
# Spans go to a collector where OpenTelemetry's own variables name one; texts only with MINDX_TRACE_CONTENT.
TRACE_ENDPOINT_IS_SET = any(
    os.environ.get(name) for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
)
TRACE_SERVICE = os.environ.get("OTEL_SERVICE_NAME") or "mindx"
TRACE_CONTENT = _flag("MINDX_TRACE_CONTENT", default=False)

# --- notices -------------------------------------------------------------------------------------------------
# smtp://USER:PASSWORD@HOST:587 (STARTTLS), smtps://… (TLS from the start), smtp+plain://… (none); empty: no e-mail.
EMAIL_URL = os.environ.get("MINDX_EMAIL_URL", "")
_mail = urlsplit(EMAIL_URL)
if _mail.scheme not in {"", "smtp", "smtps", "smtp+plain"} or (_mail.scheme and not _mail.hostname):
    raise ImproperlyConfigured("MINDX_EMAIL_URL must look like smtp://user:password@mail.example.org:587")
NOTIFY_BY_EMAIL = bool(_mail.scheme)
EMAIL_HOST, EMAIL_PORT = _mail.hostname or "", _mail.port or (465 if _mail.scheme == "smtps" else 587)
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = unquote(_mail.username or ""), unquote(_mail.password or "")
EMAIL_USE_TLS, EMAIL_USE_SSL = _mail.scheme == "smtp", _mail.scheme == "smtps"
EMAIL_TIMEOUT = 15
DEFAULT_FROM_EMAIL = os.environ.get("MINDX_EMAIL_FROM", f"mindx@{_public.hostname}")
NOTIFY_INTERNAL = _flag("MINDX_NOTIFY_INTERNAL", default=False)
MCP_INTERNAL = _flag("MINDX_MCP_INTERNAL", default=False)

# --- pages ---------------------------------------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
if DEBUG or _flag("MINDX_TESTING", default=False):
    STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    # Files are looked up when they are asked for: listing all of them at every start would be most of a test's time.
    WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = True
LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

LOG_FORMAT = os.environ.get("MINDX_LOG_FORMAT") or "line"
if LOG_FORMAT not in {"line", "json"}:
    raise ImproperlyConfigured("MINDX_LOG_FORMAT is “line” or “json”")
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"()": "mindx_web.operations.logs.Lines"},
        "json": {"()": "mindx_web.operations.logs.Objects"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}},
    "root": {"handlers": ["console"], "level": os.environ.get("MINDX_LOG_LEVEL", "INFO")},
    "loggers": {
        "django.db.backends": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
        # It writes addresses that it cannot read, and they are secrets.
        "apprise": {"level": "CRITICAL"},
        "botocore": {"level": "WARNING"},
        # One line for every wake-up would bury the lines that somebody may need.
        "celery.app.trace": {"level": "WARNING"},
        "celery.worker.strategy": {"level": "WARNING"},
        "celery.worker.request": {"level": "WARNING"},
    },
}
if LOG_FORMAT == "json":
    # The web server's own lines too: everything on standard error is an object a line.
    LOGGING["loggers"] |= {name: {"handlers": [], "propagate": True} for name in ("uvicorn", "uvicorn.access")}
