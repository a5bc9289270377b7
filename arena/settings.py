"""Site settings. Settings that differ between installations come from the environment: see `.env.example`."""

import ssl
from pathlib import Path

import environ

from arena.core.data_folder import load_or_create_secret, restrict_new_files
from arena.core.environment import (
    MIB,
    SignUpMode,
    count_worker_processes,
    read_mail_url,
    read_school_client,
    refuse_path_prefix,
)
from arena.core.environment_table import Environment
from arena.runner.compiled_engine import use_compiled_engine
from arena.runner.data_files import TEMPLATES_FOLDER, find_packages_folder

# Web, workers, scheduler, courier and all commands read the settings before they create a file.
restrict_new_files()

BASE_DIR = Path(__file__).resolve().parent.parent
environ.Env.read_env(BASE_DIR / ".env")  # variables that are set already stay
env = Environment()
refuse_path_prefix()

DATA_DIR = env.PENNANT_DATA or BASE_DIR / ".pennant"
BOT_PACKAGES_DIR = env.PENNANT_BOT_PACKAGES or find_packages_folder()
use_compiled_engine(DATA_DIR)
GAME_PACKAGES = env.PENNANT_GAMES  # each with its own templates and translations

# Hosts and origins
DEBUG = env.DEBUG
try:
    SECRET_KEY = env.SECRET_KEY or load_or_create_secret(DATA_DIR / "secret")
except OSError as unusable:
    raise SystemExit(f"The secret key can't be stored in the folder that PENNANT_DATA names: {unusable}.") from None
# Earlier keys: what they signed or encrypted stays valid.
SECRET_KEY_FALLBACKS = env.SECRET_KEY_FALLBACKS
ALLOWED_HOSTS = env.ALLOWED_HOSTS
CSRF_TRUSTED_ORIGINS = env.CSRF_TRUSTED_ORIGINS
HTTPS = env.PENNANT_HTTPS
# Only the proxies' own entries of X-Forwarded-For are trusted: see arena/core/http.py.
PROXIES = int(HTTPS) if env.PENNANT_PROXIES is None else env.PENNANT_PROXIES
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^health/$", r"^ready/$", r"^metrics$"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
# HSTS is for this host alone: whether all hosts below it have HTTPS, only their owner knows.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
        "form-action": ["'self'"],
    }
}

# Address of the source for `git clone`, shown on the page First steps if it isn't empty.
SOURCE_URL = env.PENNANT_SOURCE

# Whom to tell of a weakness, in /.well-known/security.txt
SECURITY_CONTACT = env.PENNANT_SECURITY_CONTACT

# Apps, middleware and templates
INSTALLED_APPS = [
    "arena.operations.apps.ArenaConfig",
    "arena.people.accounts",
    "arena.people.groups",
    "arena.bots",
    "arena.matches",
    "arena.contests.ladders",
    "arena.contests.comparisons",
    "arena.contests.challenges",
    "arena.matches.livegames",
    "arena.matches.remote",
    "arena.contests.formations",
    "arena.contests.tournaments",
    "arena.operations.apps.AnalysisConfig",
    "arena.contests.stories",
    "arena.contests.puzzles",
    "arena.contests.atlas",
    "arena.contests.following",
    "arena.people.notices",
    "arena.people.audit",
    "arena.pages",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.usersessions",
    "csp",
    "django_filters",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "django.contrib.staticfiles",
    "django.contrib.sitemaps",
]
MIDDLEWARE = [
    "arena.core.logs.identify_requests",
    "django.middleware.security.SecurityMiddleware",
    "arena.core.http.refuse_path_prefix",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "arena.api.requests.share_public_reads",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "arena.pages.serving.cache_anonymous_pages",
    "arena.core.http.keep_private",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "arena.pages.account.settings.use_own_time_zone",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "arena.pages.account.security.note_use_of_sessions",
    "arena.pages.account.security.RequireSecondFactorOfStaff",
    "arena.pages.serving.MissingGameMiddleware",
]
ROOT_URLCONF = "arena.pages.urls"
WSGI_APPLICATION = "arena.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [TEMPLATES_FOLDER, *(package.folder / "templates" for package in GAME_PACKAGES)],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("hu", "Magyar")]
LOCALE_PATHS = [
    BASE_DIR / "arena" / "core" / folder
    # The second folder replaces some translations of Django and allauth. The third keeps texts that earlier releases
    # stored with rows: a stored message keeps its English template, so a reworded one stays translated there.
    for folder in ("locale", "locale_of_libraries", "locale_of_former_messages")
]
LOCALE_PATHS += [package.folder / "locale" for package in GAME_PACKAGES]
FORMAT_MODULE_PATH = "arena.core.formats"
TIME_ZONE = env.TIME_ZONE
USE_TZ = True

# Accounts need a name and a password, but no mail server
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
ACCOUNT_ADAPTER = "arena.pages.account.security.AccountAdapter"
ACCOUNT_FORMS = {
    "login": "arena.pages.account.security.SignInForm",
    "signup": "arena.pages.account.security.SignUpForm",
    "reset_password": "arena.pages.account.security.ResetPasswordForm",
}
# Whether an address is known here is told to nobody: several accounts may name it, and who confirms it has it.
ACCOUNT_PREVENT_ENUMERATION = "strict"
# Wrong passwords are counted in the database: see arena/people/accounts/limits.py.
ACCOUNT_RATE_LIMITS = {"login_failed": None}
SIGN_UP = env.PENNANT_SIGNUP
MAX_SIGN_UPS_PER_HOUR = env.PENNANT_SIGNUPS_PER_HOUR
MAX_WRONG_PASSWORDS = env.PENNANT_WRONG_PASSWORDS
MAX_WRONG_PASSWORDS_PER_ADDRESS = env.PENNANT_WRONG_PASSWORDS_PER_ADDRESS
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Pennant] "
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/bots/"
ACCOUNT_SIGNUP_REDIRECT_URL = "/welcome/"
LOGOUT_REDIRECT_URL = "/"
vars().update(read_mail_url(env.EMAIL_URL))
EMAIL_TIMEOUT = 20  # seconds; without it a mail server that says nothing holds a process for ever
DEFAULT_FROM_EMAIL = env.DEFAULT_FROM_EMAIL

# Sign-in with the school's account. Without a server neither its pages nor what they import are there.
SCHOOL_SERVER = env.PENNANT_OIDC_SERVER
SCHOOL_CLIENT, SCHOOL_SECRET = read_school_client(SCHOOL_SERVER, env.PENNANT_OIDC_CLIENT)
if SIGN_UP == SignUpMode.SCHOOL and not SCHOOL_SERVER:
    SIGN_UP = str(SignUpMode.CLOSED)
SOCIALACCOUNT_ADAPTER = "arena.pages.account.school.SchoolAdapter"
SOCIALACCOUNT_FORMS = {"signup": "arena.pages.account.school.SchoolSignUpForm"}

# A second factor beside the password, for who wants it, and the list of sessions
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Pennant"
MFA_ADAPTER = "arena.pages.account.security.SecondFactorAdapter"
MFA_FORMS = {
    "authenticate": "arena.pages.account.security.CodeForm",
    "reauthenticate": "arena.pages.account.security.CodeAgainForm",
    "add_webauthn": "arena.pages.account.security.AddKeyForm",
    "edit_webauthn": "arena.pages.account.security.RenameKeyForm",
}
# Addresses are not verified on this site, so an unverified one is no reason against a second factor.
MFA_ALLOW_UNVERIFIED_EMAIL = True
STAFF_TWO_FACTOR = env.PENNANT_STAFF_TWO_FACTOR
# A clock may be half a minute off.
MFA_TOTP_TOLERANCE = 1

# The database
DATABASE_URL = env.DATABASE_URL or f"sqlite:///{DATA_DIR / 'db.sqlite3'}"
DATABASES = {"default": environ.Env.db_url_config(DATABASE_URL)}
WORKER_ROLE = env.PENNANT_WORKER_ROLE
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        # In WAL mode a transaction that has read can't wait for the lock to write, so each takes it at its start.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # Each thread of each process has a connection, and 2 MB of pages by default; the kernel keeps them anyway.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-512;",
    }
else:
    DATABASES["default"] |= {"CONN_MAX_AGE": 600, "CONN_HEALTH_CHECKS": True}

# The API: everybody may read; JSON, and forms for files
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["arena.api.requests.ByToken", "arena.api.requests.ByCookie"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly"],
    "DEFAULT_THROTTLE_CLASSES": ["arena.api.requests.PerMinute"],
    "DEFAULT_PAGINATION_CLASS": "arena.api.requests.CursorPaging",
    "DEFAULT_PARSER_CLASSES": ["arena.api.requests.SmallJSON"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_SCHEMA_CLASS": "arena.api.schema.SchemaWithErrors",
    "EXCEPTION_HANDLER": "arena.api.requests.handle_exception",
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Pennant",
    "VERSION": "1",
    "DESCRIPTION": "With the API, you can do everything with bots that you can do on the site. Reading public data "
    "needs no account. Writing requires a token, which you create on the site under Tokens and send as "
    "`Authorization: Bearer pnt_…`. Ratings are in Elo; a margin is half the width of the 95% interval. Times are in "
    "ISO 8601 format, with the UTC offset of the arena's time zone; times sent without an offset are interpreted in "
    "that zone. Requests with `If-None-Match` get a 304 response if nothing has changed.\n\n"
    "Pages on other sites can read public data: every GET response has `Access-Control-Allow-Origin: *`. Requests from "
    "these pages are treated as anonymous, with or without cookies, and browsers don't send tokens for them: tokens "
    "are for programs. The schema is at `/api/v1/schema/`; to get it as `application/json`, add `?format=json`.\n\n"
    "Lists are paginated: follow `next` until it's null. Errors have the form "
    '`{"error": {"code", "message"}}`, with `fields` if individual fields are invalid. If you send too many requests, '
    "you get a 429 response, whose `Retry-After` header contains the number of seconds to wait.",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "VersionState": "arena.bots.models.BotVersion.State",
        "LiveGameState": "arena.matches.livegames.models.LiveGame.State",
        "LiveHintState": "arena.matches.livegames.models.LiveHint.State",
        "MatchState": "arena.matches.models.Match.State",
        "AnalysisState": "arena.contests.analysis.models.LegAnalysis.State",
        "ComparisonState": "arena.contests.comparisons.models.Comparison.State",
        "DeliveryState": "arena.people.notices.models.Delivery.State",
        "EntryState": "arena.api.bots.ENTRY_STATES_IN_PLAY",
    },
}
API_PER_MINUTE = {
    "read": env.PENNANT_API_READS,
    "write": env.PENNANT_API_WRITES,
    "nobody": env.PENNANT_API_NOBODY,
}
# What remote bots may ask of the server for them.
REMOTE_MESSAGES_PER_MINUTE = env.PENNANT_REMOTE_MESSAGES
REMOTE_CONNECTIONS_PER_ADDRESS = env.PENNANT_REMOTE_CONNECTIONS
EXPORTS_PER_HOUR = env.PENNANT_EXPORTS_PER_HOUR

# Static files
STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
WHEEL_DIR = DATA_DIR / "install"
STATICFILES_DIRS = [folder for folder in (BASE_DIR / "static",) if folder.is_dir()]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage" if DEBUG else "arena.pages.serving.Storage"
    },
}

# Tasks. A message only wakes a worker; the database holds the work to be done.
REDIS_URL = env.REDIS_URL
BROKER_DIR = DATA_DIR / "broker"
if REDIS_URL:
    CELERY_BROKER_URL = REDIS_URL
    CELERY_BROKER_TRANSPORT = "arena.core.brokers:RedisTransport"
    if REDIS_URL.startswith("rediss:"):
        # As the cache asks for by itself; parameters of the URL go before.
        CELERY_BROKER_USE_SSL = {"ssl_cert_reqs": ssl.CERT_REQUIRED}
    # Longer than the time limit of a task. A message that comes back early is a second delivery, which changes nothing.
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, str | float] = {
        "visibility_timeout": 3600,
        "queue_order_strategy": "priority",
        "unacked_restore_interval": 5,
        "socket_connect_timeout": 2,
        # A Redis that is there and says nothing, as behind a cut network, counts as lost.
        "socket_timeout": 3,
    }
    # A request sends its messages after all else, and needn't wait for a lost Redis.
    CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0.1}
else:
    CELERY_BROKER_URL = "filesystem://"
    CELERY_BROKER_TRANSPORT = "arena.core.brokers:FileTransport"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(BROKER_DIR),
        "data_folder_out": str(BROKER_DIR),
        "control_folder": str(BROKER_DIR / "control"),
        "polling_interval": 0.05,
    }
if REDIS_URL:
    CACHES = {
        "default": {
            "BACKEND": "arena.core.brokers.RedisOrMemoryCache",
            "LOCATION": REDIS_URL,
            "KEY_PREFIX": "pennant",
            "OPTIONS": {"socket_timeout": 1, "socket_connect_timeout": 1},
        }
    }
    CACHES["pages"] = CACHES["default"] | {"KEY_PREFIX": "pennant-pages"}
else:
    LOCAL_MEMORY = "django.core.cache.backends.locmem.LocMemCache"
    CACHES = {"default": {"BACKEND": LOCAL_MEMORY}, "pages": {"BACKEND": LOCAL_MEMORY, "LOCATION": "pages"}}
# Seconds for which a page is kept for readers without a session.
ANONYMOUS_PAGE_CACHE_S = env.PENNANT_ANONYMOUS_PAGE_CACHE_S
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# `arena/core/brokers.py` says what each queue is for, and in which order they are read.
CELERY_TASK_ROUTES = {
    "arena.tasks.play_next": {"queue": "celery"},
    "arena.tasks.answer_live_game": {"queue": "live"},
    "arena.tasks.make_live_hint": {"queue": "live"},
    "arena.tasks.analyse_next": {"queue": "analysis"},
    "arena.tasks.measure_luck": {"queue": "analysis"},
    "arena.tasks.clean_up": {"queue": "analysis"},  # it removes sessions, which workers that run bots can't read
    "arena.tasks.send_delivery": {"queue": "deliveries"},
    "arena.periodic_tasks.send_digests": {"queue": "deliveries"},
    "arena.periodic_tasks.remind": {"queue": "deliveries"},
    "arena.periodic_tasks.send_mails": {"queue": "deliveries"},
    "arena.*": {"queue": "control"},
}
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
# Four legs of four bots, each of which may take some 60 s of a leg: 1.5 times the start limit of 5 s and the bank of
# 30 s, a second, and 20 ms for each answer. The rest is for delays by a busy machine.
CELERY_TASK_TIME_LIMIT = 3000
CELERY_WORKER_CONCURRENCY = env.PENNANT_WORKER_PROCESSES or count_worker_processes()
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

# Pace of each ladder
MAX_WAITING_MATCHES_PER_LADDER = env.PENNANT_LADDER_WAITING
LADDER_NEWCOMER_MATCHES = env.PENNANT_LADDER_NEWCOMER_MATCHES
LADDER_MATCHES_PER_HOUR = env.PENNANT_LADDER_MATCHES_PER_HOUR
LADDER_RUSH_UNTIL = env.PENNANT_LADDER_RUSH_UNTIL
LADDER_REFIT_INTERVAL_S = env.PENNANT_REFIT_SECONDS
MAX_LADDER_BOTS_PER_OWNER = env.PENNANT_LADDER_BOTS_PER_OWNER
PIN_CORES = env.PENNANT_PIN_CORES
ALLOW_OPEN_CHANNELS = env.PENNANT_ALLOW_OPEN_CHANNELS

# How long what isn't kept for good is stored
UNRATED_RECORD_RETENTION_DAYS = env.PENNANT_UNRATED_RECORD_DAYS
LOG_RETENTION_DAYS = env.PENNANT_LOG_DAYS
NOTICE_RETENTION_DAYS = env.PENNANT_NOTICE_DAYS

# Limits of one owner
MAX_BOTS_PER_OWNER = env.PENNANT_BOTS_PER_OWNER
MAX_VERSIONS_PER_DAY = env.PENNANT_VERSIONS_PER_DAY
MAX_MEGABYTES_PER_OWNER = env.PENNANT_MEGABYTES_PER_OWNER
MAX_COMPARISONS_PER_DAY = env.PENNANT_COMPARISONS_PER_DAY
MAX_WAITING_MATCHES_PER_COMPARISON = env.PENNANT_COMPARISON_WAITING
MAX_CHALLENGES_PER_DAY = env.PENNANT_CHALLENGES_PER_DAY
LIVE_WORKER = env.PENNANT_LIVE_WORKER
GUESTS_PLAY = env.PENNANT_GUESTS_PLAY
MAX_LIVE_GAMES_PER_PERSON = env.PENNANT_LIVE_GAMES_PER_PERSON
MAX_LIVE_GAMES_PER_ADDRESS = env.PENNANT_LIVE_GAMES_PER_ADDRESS
MAX_LIVE_CPU_S_PER_ADDRESS = env.PENNANT_LIVE_CPU_S_PER_ADDRESS
MAX_LIVE_CPU_S_PER_GAME = 900
MAX_LIVE_DECISIONS_PER_MINUTE = 240
# Analyses of legs
ANALYSIS_SHARE_PERCENT = env.PENNANT_ANALYSIS_SHARE
MAX_ANALYSES_PER_DAY = env.PENNANT_ANALYSES_PER_DAY
ANALYSED_TOP_MATCHES = env.PENNANT_ANALYSED_TOP_MATCHES
MARSHAL_ON_LADDERS = env.PENNANT_MARSHAL_ON_LADDERS
RECORDED_GAMES = env.PENNANT_RECORDED_GAMES
SHOWN_TOURNAMENTS = env.PENNANT_SHOWN_TOURNAMENTS
MAX_UPLOAD_BYTES = env.PENNANT_UPLOAD_MIB * MIB
MAX_UNPACKED_BYTES = env.PENNANT_UNPACKED_MIB * MIB
DATA_UPLOAD_MAX_NUMBER_FILES = 1
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_HANDLERS = ["arena.pages.bots.versions.FirstBytes"]

# Who can read /metrics; without a token, only private addresses
METRICS_TOKEN = env.PENNANT_METRICS_TOKEN

# Where failures are reported, if anywhere
SENTRY_DSN = env.SENTRY_DSN

# Private networks that webhooks may reach
WEBHOOK_NETWORKS = env.PENNANT_WEBHOOK_NETWORKS

LOG_LEVEL = env.LOG_LEVEL or ""
LOG_FORMAT = env.PENNANT_LOG_FORMAT
LOGGERS: dict[str, dict[str, object]] = {"arena": {"level": LOG_LEVEL or "INFO"}}
if LOG_FORMAT == "json":  # Gunicorn has a form of its own until it has loaded the site.
    LOGGERS["gunicorn.error"] = {"handlers": ["stderr"], "propagate": False}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"},
        "json": {"()": "arena.core.logs.JsonFormatter"},
    },
    "filters": {"forbidden": {"()": "arena.core.logs.ForbiddenInOneLine"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["forbidden"]}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL or "WARNING"},
    "loggers": LOGGERS,
}
