"""All settings that come from the environment: `.env.example` and the manual's table are written from this class."""

import ast
import inspect
import sys
import textwrap
from itertools import pairwise

from arena.core.environment import (
    CLIENT,
    CONTACT,
    COUNT,
    FOLDER,
    GAMES,
    HOSTS,
    LOGIN_SERVER,
    MAIL_ADDRESS,
    MAIL_SCHEMES,
    NETWORKS,
    ORIGINS,
    PROJECT_DSN,
    SWITCH,
    TEXT,
    TEXTS,
    TIME_ZONE_NAME,
    Setting,
    SignUpMode,
    choice,
    number,
    optional,
    url,
)

LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
LOG_FORMATS = ("text", "json")
DATABASE_SCHEMES = ("sqlite", "postgres", "postgresql", "psql", "pgsql")
REDIS_SCHEMES = ("redis", "rediss")


class Environment:
    """The settings. An instance has the values as attributes; a wrong one ends the process with one line.

    The text below each setting is its help, whole sentences.
    """

    PENNANT_GAMES = Setting(GAMES, example="docs/example-game/goofspiel", begins_group=True)
    """External games, separated by commas: packages or their folders. See docs/adding-a-game.md."""
    PENNANT_DATA = Setting(optional(FOLDER), example="/var/lib/pennant", begins_group=True)
    """Data folder of a site started by `up`: database, messages, logs, static files and the secret key. At startup,
    it's made private to its owner; if another user owns it, a warning is logged."""
    PENNANT_BOT_PACKAGES = Setting(optional(FOLDER), example="/var/lib/pennant-packages")
    """Folder of the packages that Python bots can import, filled by manage.py install_bot_packages and read by workers
    (default: packages in the data folder)."""
    DEBUG = Setting(SWITCH, "off", begins_group=True)
    """Show full error details in the browser. Never enable this on a public site."""
    SECRET_KEY = Setting(TEXT, is_secret=True)
    """Signs sessions. If unset, a key is created and stored in the data folder."""
    SECRET_KEY_FALLBACKS = Setting(TEXTS, is_secret=True)
    """Earlier keys, separated by commas. Sessions and second factors created with them stay valid."""
    ALLOWED_HOSTS = Setting(HOSTS, "localhost,.localhost,127.0.0.1,[::1]")
    """The site's host names, separated by commas."""
    CSRF_TRUSTED_ORIGINS = Setting(ORIGINS)
    """Origins, with scheme, from which to accept forms behind a proxy, such as https://arena.example.org"""
    PENNANT_HTTPS = Setting(SWITCH, "off")
    """Enable this behind a proxy that terminates HTTPS and sets X-Forwarded-Proto. Turns on secure cookies, redirects
    and HSTS."""
    PENNANT_STAFF_TWO_FACTOR = Setting(SWITCH, "off")
    """Require staff to use two-factor sign-in (an app or security key) for the admin, the organisers' pages and the
    tokens page. Without it, their tokens can only read. Recommended on a public site. After a lost device: manage.py
    reset_two_factor NAME"""
    TIME_ZONE = Setting(TIME_ZONE_NAME, "UTC")
    """The site's time zone."""
    PENNANT_SOURCE = Setting(TEXT, example="https://git.example/pennant")
    """Address for `git clone` of the source code, shown on the First steps page."""
    PENNANT_SECURITY_CONTACT = Setting(CONTACT, example="security@example.org")
    """Contact for security reports, shown in /.well-known/security.txt: an email address or a page's address. If unset,
    the file doesn't exist."""
    LOG_LEVEL = Setting(optional(choice(LOG_LEVELS)), example="INFO")
    """Minimum level of log messages (default: INFO for the arena itself, WARNING for its libraries)."""
    PENNANT_LOG_FORMAT = Setting(choice(LOG_FORMATS), "text")
    """Log format: text, or json (one object per line with time, level, logger, message and, if known, the ids of
    request, match and attempt)."""
    PENNANT_METRICS_TOKEN = Setting(TEXT, is_secret=True)
    """Token with which Prometheus reads /metrics (Authorization: Bearer). If unset, only private addresses can read
    it."""
    SENTRY_DSN = Setting(PROJECT_DSN, example="https://key@sentry.example.org/1")
    """DSN of a Sentry-compatible project (Sentry, GlitchTip) to which web and workers report failures. Reports contain
    error messages and a request's method and route, but no user data. If unset, nothing is sent."""
    DATABASE_URL = Setting(
        optional(url(DATABASE_SCHEMES, "postgres://name:password@host:5432/database")),
        example="postgres://pennant:secret@localhost:5432/pennant",
        begins_group=True,
    )
    """Database. If unset, SQLite in the data folder is used."""
    PENNANT_WORKER_ROLE = Setting(TEXT, example="pennant-worker")
    """PostgreSQL role in the workers' DATABASE_URL. At each start, the site grants it only what workers need: they
    can't alter tables, read sessions, tokens or second factors, or change accounts. If unset, workers use the site's
    own role."""
    REDIS_URL = Setting(url(REDIS_SCHEMES, "redis://host:6379/0"), example="redis://localhost:6379/0")
    """Redis server for messages. If unset, messages go through files in the data folder."""
    EMAIL_URL = Setting(
        url(MAIL_SCHEMES, "smtp://name:password@host:587"),
        "consolemail://",
        example="smtp://name:password@mail.example.org:587",
        begins_group=True,
    )
    """Mail server. By default, mail is written to the log. With a password or port 587, smtp:// requires STARTTLS and
    sends nothing without it. smtp+ssl:// is encrypted from the start (port 465), smtp+plain:// never. To test it:
    manage.py sendtestemail you@example.org"""
    DEFAULT_FROM_EMAIL = Setting(MAIL_ADDRESS, "pennant@localhost")
    """Sender address for email."""
    PENNANT_LADDER_WAITING = Setting(COUNT, "2", begins_group=True)
    """Maximum number of queued and running matches per ladder."""
    PENNANT_LADDER_NEWCOMER_MATCHES = Setting(COUNT, "60")
    """While an unranked bot has played fewer matches than this, its ladder schedules matches without a pause."""
    PENNANT_LADDER_MATCHES_PER_HOUR = Setting(COUNT, "20")
    """Matches per hour on each ladder at other times (0: none). A stored match takes about 6 KB."""
    PENNANT_LADDER_RUSH_UNTIL = Setting(COUNT, "0")
    """Until all ladders together have played this many matches, they schedule matches without a pause."""
    PENNANT_REFIT_SECONDS = Setting(number(0, 86_400), "60")
    """Seconds between recomputations of a ladder's ratings from all its results, if it has new ones."""
    PENNANT_LADDER_BOTS_PER_OWNER = Setting(COUNT, "3")
    """Maximum number of bots per owner on each ladder."""
    PENNANT_UNRATED_RECORD_DAYS = Setting(number(0, 36_500), "180")
    """Days to keep the records of trials, comparisons and challenges; their results stay. Records of ladders and
    tournaments are kept permanently."""
    PENNANT_LOG_DAYS = Setting(number(0, 36_500), "30")
    """Days to keep bots' logs (stderr, up to 64 KiB per seat and leg) and webhook deliveries."""
    PENNANT_NOTICE_DAYS = Setting(number(0, 36_500), "180")
    """Days to keep notifications."""
    PENNANT_WORKER_PROCESSES = Setting(number(0, 1024), "0")
    """Processes per worker; each plays one match at a time (0: one per core, limited by the machine's or container's
    memory: 1 GB plus 1.25 GB per process)."""
    PENNANT_PIN_CORES = Setting(SWITCH, "on")
    """Pin each worker process and its bots to one core, which plays two to three times as many matches."""
    PENNANT_ALLOW_OPEN_CHANNELS = Setting(SWITCH, "off")
    """Play rated matches between different authors' bots even if a bot could pass on what it saw of a deal to its next
    leg. That's possible at level C, and at level A without free memory for bots' files. The /queue/ page shows when
    this is the case."""
    PENNANT_BOTS_PER_OWNER = Setting(COUNT, "20", begins_group=True)
    """Maximum number of bots per owner."""
    PENNANT_VERSIONS_PER_DAY = Setting(COUNT, "50")
    """Maximum number of versions per owner in 24 hours, across all bots (0: uploads are closed)."""
    PENNANT_UPLOAD_MIB = Setting(number(1, 64), "4")
    """Maximum size of an upload, one file or a zip, in MiB. A proxy in front of the site must allow it."""
    PENNANT_UNPACKED_MIB = Setting(number(1, 64), "16")
    """Maximum size of all files of a version, in MiB. Workers keep the files of a match in memory."""
    PENNANT_MEGABYTES_PER_OWNER = Setting(COUNT, "200")
    """Maximum size of all versions per owner, in MB: sources and builds, compressed."""
    PENNANT_COMPARISONS_PER_DAY = Setting(COUNT, "5")
    """Maximum number of comparisons per author in 24 hours. Each has up to 10,000 legs at the lowest priority."""
    PENNANT_COMPARISON_WAITING = Setting(COUNT, "4")
    """Maximum number of queued and running pairs of matches per comparison."""
    PENNANT_CHALLENGES_PER_DAY = Setting(COUNT, "20")
    """Maximum number of challenges (unrated matches against other bots) per author in 24 hours."""
    PENNANT_LIVE_WORKER = Setting(SWITCH, "on")
    """Whether `up` starts an extra worker for live games, hints, uploads and tournaments. Without one, they
    might have to wait for a match to end, but that saves about 90 MB of memory."""
    PENNANT_GUESTS_PLAY = Setting(SWITCH, "on")
    """Whether people without an account can play live games against bots."""
    PENNANT_LIVE_GAMES_PER_PERSON = Setting(COUNT, "10")
    """Maximum number of unfinished live games per person."""
    PENNANT_LIVE_GAMES_PER_ADDRESS = Setting(COUNT, "100")
    """Maximum number of unfinished live games per network address. A class shares one address."""
    PENNANT_LIVE_CPU_S_PER_ADDRESS = Setting(COUNT, "7200")
    """CPU seconds that bots can use in 24 hours in live games started from one network address."""
    PENNANT_ANALYSIS_SHARE = Setting(number(0, 100), "25")
    """Percentage of worker time for analyses while matches are queued (0: no analyses). A leg takes a few seconds."""
    PENNANT_ANALYSES_PER_DAY = Setting(COUNT, "20")
    """Maximum number of requested leg analyses per user in 24 hours."""
    PENNANT_ANALYSED_TOP_MATCHES = Setting(COUNT, "2")
    """Matches per ladder that are analysed without a request in 24 hours. The best bots' matches are chosen."""
    PENNANT_MARSHAL_ON_LADDERS = Setting(SWITCH, "on")
    """Whether the strongest sample bot enters new ladders. Each of its matches takes more than a second of CPU time."""
    PENNANT_RECORDED_GAMES = Setting(SWITCH, "on")
    """Whether the front page and /watch/ show recorded games between sample bots until the arena has better matches."""
    PENNANT_SHOWN_TOURNAMENTS = Setting(SWITCH, "on")
    """Whether a new site started by `up` plays two demo tournaments with its sample bots."""
    PENNANT_WEBHOOK_NETWORKS = Setting(NETWORKS, begins_group=True)
    """Private networks that webhooks can reach, in addition to the internet, such as 192.168.7.0/24,fd00::/8"""
    PENNANT_SIGNUP = Setting(choice(tuple(SignUpMode)), "open", begins_group=True)
    """Who can create an account: open (anyone), invitation (people with a link from `manage.py invite` or the admin),
    approval (anyone, once staff approve them with the Approve action in the admin), closed (only staff, in
    the admin), school (people who sign in with their school account, without a password)."""
    PENNANT_SIGNUPS_PER_HOUR = Setting(COUNT, "10")
    """Maximum number of accounts created per address and hour (an IPv6 address counts as its /64)."""
    PENNANT_OIDC_SERVER = Setting(LOGIN_SERVER, example="https://login.school.example.org/realms/school")
    """OpenID Connect server for sign-in with a school's account: its issuer, or its configuration's address. If unset,
    school sign-in is off."""
    PENNANT_OIDC_CLIENT = Setting(CLIENT, example="arena:secret", is_secret=True)
    """The arena's client ID and secret on that server, separated by a colon. Register the site's
    /accounts/school/callback/ there as the redirect address."""
    PENNANT_WRONG_PASSWORDS = Setting(COUNT, "5")
    """Maximum number of wrong passwords in 15 minutes per name and address. The owner can still sign in from
    elsewhere."""
    PENNANT_WRONG_PASSWORDS_PER_ADDRESS = Setting(COUNT, "100")
    """Maximum number of wrong passwords per address and hour, across all names."""
    PENNANT_API_READS = Setting(COUNT, "600", begins_group=True)
    """Maximum number of read requests to the API per minute, per token or user."""
    PENNANT_API_WRITES = Setting(COUNT, "60")
    """Maximum number of write requests to the API per minute, per token or user."""
    PENNANT_API_NOBODY = Setting(COUNT, "120")
    """Maximum number of API requests without a token per minute and IP address (IPv6: per /64). Without REDIS_URL, each
    web process counts separately."""
    PENNANT_REMOTE_MESSAGES = Setting(COUNT, "600")
    """Maximum number of polls and answers of a remote bot per minute."""
    PENNANT_REMOTE_CONNECTIONS = Setting(COUNT, "64")
    """Maximum number of open connections of remote bots per IP address (IPv6: per /64)."""
    PENNANT_EXPORTS_PER_HOUR = Setting(COUNT, "60")
    """Maximum number of bulk record downloads per hour, per token, user or IP address. Each has up to 5,000 records."""
    PENNANT_ANONYMOUS_PAGE_CACHE_S = Setting(number(0, 86_400), "5")
    """Seconds to cache pages for readers who aren't signed in (0: no caching)."""
    PENNANT_PROXIES = Setting(optional(number(0, 100)), example="0")
    """Number of proxies in front of the site, each adding to X-Forwarded-For (default: 1 with PENNANT_HTTPS, otherwise
    0)."""


SETTINGS = [each for each in vars(Environment).values() if isinstance(each, Setting)]
HEADER = """\
# All of Pennant's settings. Each has a default: `uv run manage.py up` needs none of them.
# Copy this file to .env, or set the variables in the environment, which takes precedence.
# Generated by `uv run python -m arena.core.environment_table`.
"""
LINE_WIDTH = 120


def read_help() -> dict[str, str]:
    """Return the help of each setting, by its name."""
    (table,) = ast.parse(inspect.getsource(Environment)).body
    assert isinstance(table, ast.ClassDef)
    found = {}
    for setting, text in pairwise(table.body):
        if isinstance(setting, ast.Assign) and isinstance(text, ast.Expr):
            found[ast.unparse(setting.targets[0])] = " ".join(str(ast.literal_eval(text.value)).split())
    return found


def write_example() -> str:
    """Return the text of `.env.example`: each setting with its help, and with its default as a comment."""
    wrapper = textwrap.TextWrapper(
        LINE_WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False, break_long_words=False
    )
    lines, help_texts = [HEADER.rstrip()], read_help()
    for setting in SETTINGS:
        lines += [""] * setting.begins_group + wrapper.wrap(help_texts[setting.name])
        lines.append(f"#{setting.name}={setting.example or setting.default}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(write_example())
