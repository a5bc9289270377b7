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
    """Games from outside this tree, separated by commas: packages, or their folders. docs/adding-a-game.md says how to
    make one."""
    PENNANT_DATA = Setting(optional(FOLDER), example="/var/lib/pennant", begins_group=True)
    """Folder of a site started by `up`: database, messages, logs, collected static files and the secret key. Nobody but
    its owner may read it: at the start it is closed to others, or where it belongs to somebody else a warning is
    logged."""
    PENNANT_BOT_PACKAGES = Setting(optional(FOLDER), example="/var/lib/pennant-packages")
    """Folder of the packages that bots in Python can import, which manage.py install_bot_packages fills. Workers read
    it (default: packages in the data folder)."""
    DEBUG = Setting(SWITCH, "off", begins_group=True)
    """Show errors with all details in the browser. Never use this on a public site."""
    SECRET_KEY = Setting(TEXT, is_secret=True)
    """Signs sessions. If unset, a key is created and stored in the data folder."""
    SECRET_KEY_FALLBACKS = Setting(TEXTS, is_secret=True)
    """Earlier keys, separated by commas: sessions and second factors from their time stay valid."""
    ALLOWED_HOSTS = Setting(HOSTS, "localhost,.localhost,127.0.0.1,[::1]")
    """Host names of the site."""
    CSRF_TRUSTED_ORIGINS = Setting(ORIGINS)
    """Origins, with scheme, from which forms are accepted behind a proxy: https://arena.example.org"""
    PENNANT_HTTPS = Setting(SWITCH, "off")
    """Set this behind a proxy that terminates HTTPS and sets X-Forwarded-Proto: secure cookies, redirects, HSTS."""
    PENNANT_STAFF_TWO_FACTOR = Setting(SWITCH, "off")
    """Require two-factor sign-in (an app or a key beside the password) of staff before the admin, the organisers' pages
    and the page of tokens open, and before their tokens do more than read. Recommended on a public site. Who has lost
    the device: manage.py reset_two_factor NAME"""
    TIME_ZONE = Setting(TIME_ZONE_NAME, "UTC")
    """Time zone in which the site shows times."""
    PENNANT_SOURCE = Setting(TEXT, example="https://git.example/pennant")
    """Address of the source for `git clone`, shown on the page First steps."""
    PENNANT_SECURITY_CONTACT = Setting(CONTACT, example="security@example.org")
    """Whom to tell of a weakness of the site, for /.well-known/security.txt: an e-mail address, or that of a page. If
    unset, there is no such file."""
    LOG_LEVEL = Setting(optional(choice(LOG_LEVELS)), example="INFO")
    """Least level of the messages in the log (default: INFO of the arena itself, WARNING of its libraries)."""
    PENNANT_LOG_FORMAT = Setting(choice(LOG_FORMATS), "text")
    """Form of each line of the log: text, or json (an object with time, level, logger, message, and where known the ids
    of request, match and attempt)."""
    PENNANT_METRICS_TOKEN = Setting(TEXT, is_secret=True)
    """Token with which Prometheus reads /metrics (Authorization: Bearer). If unset, private addresses alone may read
    it."""
    SENTRY_DSN = Setting(PROJECT_DSN, example="https://key@sentry.example.org/1")
    """Where web and workers report failures: the DSN of a project on a server of Sentry's protocol (Sentry, GlitchTip).
    Nothing of users is sent, and of a request its method and route alone; texts of errors are. If unset, nothing is
    sent."""
    DATABASE_URL = Setting(
        optional(url(DATABASE_SCHEMES, "postgres://name:password@host:5432/database")),
        example="postgres://pennant:secret@localhost:5432/pennant",
        begins_group=True,
    )
    """If unset: SQLite in the data folder."""
    PENNANT_WORKER_ROLE = Setting(TEXT, example="pennant-worker")
    """Role of PostgreSQL by which the workers' DATABASE_URL signs in. At each start the site gives it what workers
    need: they can't alter tables, read sessions, tokens or second factors, or change accounts. If unset, workers are
    expected to use the site's own role."""
    REDIS_URL = Setting(url(REDIS_SCHEMES, "redis://host:6379/0"), example="redis://localhost:6379/0")
    """If unset: messages go through files in the data folder."""
    EMAIL_URL = Setting(
        url(MAIL_SCHEMES, "smtp://name:password@host:587"),
        "consolemail://",
        example="smtp://name:password@mail.example.org:587",
        begins_group=True,
    )
    """Mail server. By default mail is written to the log. With a password or port 587, smtp:// uses STARTTLS, and sends
    nothing if the server doesn't offer it; smtp+ssl:// is encrypted from the start (port 465), and smtp+plain:// never.
    Try it with manage.py sendtestemail you@example.org"""
    DEFAULT_FROM_EMAIL = Setting(MAIL_ADDRESS, "pennant@localhost")
    """Address from which mail is sent."""
    PENNANT_LADDER_WAITING = Setting(COUNT, "2", begins_group=True)
    """Maximum number of matches of each ladder that wait or run at a time."""
    PENNANT_LADDER_NEWCOMER_MATCHES = Setting(COUNT, "60")
    """While a bot without a rank has played fewer matches than this, the ladder's matches follow each other without
    pause."""
    PENNANT_LADDER_MATCHES_PER_HOUR = Setting(COUNT, "20")
    """Otherwise the number of matches per hour on each ladder (a stored match takes about 6 KB; 0: none)."""
    PENNANT_LADDER_RUSH_UNTIL = Setting(COUNT, "0")
    """Until this number of matches was played on all ladders together, their matches follow each other without
    pause."""
    PENNANT_REFIT_SECONDS = Setting(number(0, 86_400), "60")
    """Interval in seconds at which all ratings of a ladder are computed from all its results, if there are new ones."""
    PENNANT_LADDER_BOTS_PER_OWNER = Setting(COUNT, "3")
    """Maximum number of bots of one owner on each ladder at a time."""
    PENNANT_UNRATED_RECORD_DAYS = Setting(number(0, 36_500), "180")
    """Number of days for which the records of trials, comparisons and challenges are stored; their results stay. Those
    of ladders and tournaments are stored for good."""
    PENNANT_LOG_DAYS = Setting(number(0, 36_500), "30")
    """Number of days for which the logs of bots (stderr, up to 64 KiB per seat and leg) and what was sent to webhooks
    are stored."""
    PENNANT_NOTICE_DAYS = Setting(number(0, 36_500), "180")
    """Number of days for which notices are stored."""
    PENNANT_WORKER_PROCESSES = Setting(number(0, 1024), "0")
    """Number of processes of each worker, which play one match each (0: one for each core, as far as the memory of the
    machine or container suffices: 1 GB and 1.25 GB more for each process)."""
    PENNANT_PIN_CORES = Setting(SWITCH, "on")
    """Keep each worker process and its bots on one core: this plays two to three times as many matches."""
    PENNANT_ALLOW_OPEN_CHANNELS = Setting(SWITCH, "off")
    """Play rated matches between bots of different authors even where a bot might tell its next leg what it saw of the
    same deal: at level C, and at level A where no memory is free for the files that bots see. The page /queue/ says so
    there."""
    PENNANT_BOTS_PER_OWNER = Setting(COUNT, "20", begins_group=True)
    """Maximum number of bots of one owner."""
    PENNANT_VERSIONS_PER_DAY = Setting(COUNT, "50")
    """Maximum number of versions that one owner uploads in 24 hours, over all bots (0: uploads are closed)."""
    PENNANT_MEGABYTES_PER_OWNER = Setting(COUNT, "200")
    """Maximum size of all versions of one owner: sources and builds, compressed."""
    PENNANT_COMPARISONS_PER_DAY = Setting(COUNT, "5")
    """Maximum number of comparisons that one author starts in 24 hours; each has up to 10,000 legs at the lowest
    priority."""
    PENNANT_COMPARISON_WAITING = Setting(COUNT, "4")
    """Maximum number of pairs of matches of each comparison that wait or run at a time."""
    PENNANT_CHALLENGES_PER_DAY = Setting(COUNT, "20")
    """Maximum number of challenges (unrated matches against other bots) of one author in 24 hours."""
    PENNANT_LIVE_WORKER = Setting(SWITCH, "on")
    """Whether `up` starts a worker for what people wait for: live games, hints, uploads, tournaments. Without it, which
    saves some 90 MB of memory, all of it may have to wait for the end of a match."""
    PENNANT_GUESTS_PLAY = Setting(SWITCH, "on")
    """Whether people without an account may play live games against bots."""
    PENNANT_LIVE_GAMES_PER_PERSON = Setting(COUNT, "10")
    """Maximum number of live games of one person that are not over."""
    PENNANT_LIVE_GAMES_PER_ADDRESS = Setting(COUNT, "100")
    """Maximum number of live games from one network address that are not over; a class shares one."""
    PENNANT_LIVE_CPU_S_PER_ADDRESS = Setting(COUNT, "7200")
    """Processor seconds that bots may use in 24 hours in live games started from one network address."""
    PENNANT_ANALYSIS_SHARE = Setting(number(0, 100), "25")
    """Percent of the time of all worker processes that analyses of matches may take while matches wait; a leg takes
    some seconds (0: no analyses are made)."""
    PENNANT_ANALYSES_PER_DAY = Setting(COUNT, "20")
    """Maximum number of legs whose analysis one user requests in 24 hours."""
    PENNANT_ANALYSED_TOP_MATCHES = Setting(COUNT, "2")
    """Number of matches of each ladder that are analysed in 24 hours without a request: those of the best bots."""
    PENNANT_MARSHAL_ON_LADDERS = Setting(SWITCH, "on")
    """Whether the strongest sample bot enters new ladders. A match of it takes more than a second of a processor."""
    PENNANT_RECORDED_GAMES = Setting(SWITCH, "on")
    """Whether the front page and /watch/ show recorded games between sample bots until the arena's own matches are
    better."""
    PENNANT_SHOWN_TOURNAMENTS = Setting(SWITCH, "on")
    """Whether a new site started by `up` plays two demo tournaments with its sample bots."""
    PENNANT_WEBHOOK_NETWORKS = Setting(NETWORKS, begins_group=True)
    """Private networks that webhooks may reach, besides the internet: 192.168.7.0/24,fd00::/8"""
    PENNANT_SIGNUP = Setting(choice(tuple(SignUpMode)), "open", begins_group=True)
    """Who may make an account: open (everybody), invitation (who has a link by `manage.py invite` or the admin),
    approval (everybody, but staff lets each one in: action Approve of the users in the admin), closed (only staff, in
    the admin), school (who signs in with the school's account; nobody by a password)."""
    PENNANT_SIGNUPS_PER_HOUR = Setting(COUNT, "10")
    """Maximum number of accounts made from one address in an hour (an IPv6 address counts as its /64)."""
    PENNANT_OIDC_SERVER = Setting(LOGIN_SERVER, example="https://login.school.example.org/realms/school")
    """OpenID Connect server by which people sign in with their school's account: its issuer, or the address of its
    configuration. Empty: nobody can."""
    PENNANT_OIDC_CLIENT = Setting(CLIENT, example="arena:secret", is_secret=True)
    """How that server knows the arena: client ID and secret with a colon between them. The redirect address to register
    there is /accounts/school/callback/ of the site."""
    PENNANT_WRONG_PASSWORDS = Setting(COUNT, "5")
    """Maximum number of wrong passwords in 15 minutes for one name from one address; from elsewhere its owner can sign
    in."""
    PENNANT_WRONG_PASSWORDS_PER_ADDRESS = Setting(COUNT, "100")
    """Maximum number of wrong passwords in an hour from one address, for all names."""
    PENNANT_API_READS = Setting(COUNT, "600", begins_group=True)
    """Maximum number of reading API requests per minute of one token or user."""
    PENNANT_API_WRITES = Setting(COUNT, "60")
    """Maximum number of writing API requests per minute of one token or user."""
    PENNANT_API_NOBODY = Setting(COUNT, "120")
    """Maximum number of API requests per minute of one IP address (IPv6: of one /64) without a token. Without REDIS_URL
    each web process counts separately."""
    PENNANT_EXPORTS_PER_HOUR = Setting(COUNT, "60")
    """Maximum number of downloads of many records per hour of one token, user or IP address; each has up to 5,000
    records."""
    PENNANT_ANONYMOUS_PAGE_CACHE_S = Setting(number(0, 86_400), "5")
    """Seconds for which pages are cached for readers who aren't signed in (0: not at all)."""
    PENNANT_PROXIES = Setting(optional(number(0, 100)), example="0")
    """Number of proxies in front of the site, each adding to X-Forwarded-For (default: 1 with PENNANT_HTTPS, else
    0)."""


SETTINGS = [each for each in vars(Environment).values() if isinstance(each, Setting)]
HEADER = """\
# All settings of Pennant. Each has a default: `uv run manage.py up` needs none of them.
# Copy this file to .env, or set the variables in the environment (which takes precedence).
# Written by `uv run python -m arena.core.environment_table`: see that file.
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
