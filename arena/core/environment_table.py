"""All settings that come from the environment, as data: `.env.example` is written from it."""

import sys
import textwrap

import environ

from arena.core.environment import (
    COUNT,
    LIMIT_SETTINGS,
    Choice,
    Folder,
    Games,
    Hosts,
    MailAddress,
    Networks,
    Number,
    Origins,
    SentryDsn,
    Setting,
    SignUpMode,
    Switch,
    Text,
    Texts,
    TimeZone,
    Url,
)

LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
LOG_FORMATS = ("text", "json")
DATABASE_SCHEMES = ("sqlite", "postgres", "postgresql", "psql", "pgsql")
REDIS_SCHEMES = ("redis", "rediss")

SETTINGS = (
    Setting(
        "PENNANT_GAMES",
        Games(),
        "Games from outside this tree, separated by commas: packages, or their folders. docs/adding-a-game.md says "
        "how to make one.",
        example="docs/example-game/goofspiel",
        begins_group=True,
    ),
    Setting(
        "PENNANT_DATA",
        Folder(),
        "Folder of a site started by `up`: database, messages, logs, collected static files and the secret key. "
        "Nobody but its owner may read it: at the start it is closed to others, or where it belongs to somebody else "
        "a warning is logged.",
        default=None,
        example="/var/lib/pennant",
        begins_group=True,
    ),
    Setting(
        "DEBUG",
        Switch(),
        "Show errors with all details in the browser. Never use this on a public site.",
        default="off",
        begins_group=True,
    ),
    Setting(
        "SECRET_KEY",
        Text(),
        "Signs sessions. If unset, a key is created and stored in the data folder.",
        is_secret=True,
    ),
    Setting(
        "SECRET_KEY_FALLBACKS",
        Texts(),
        "Earlier keys, separated by commas: sessions and second factors from their time stay valid.",
        is_secret=True,
    ),
    Setting("ALLOWED_HOSTS", Hosts(), "Host names of the site.", default="localhost,.localhost,127.0.0.1,[::1]"),
    Setting(
        "CSRF_TRUSTED_ORIGINS",
        Origins(),
        "Origins, with scheme, from which forms are accepted behind a proxy: https://arena.example.org",
    ),
    Setting(
        "PENNANT_HTTPS",
        Switch(),
        "Set this behind a proxy that terminates HTTPS and sets X-Forwarded-Proto: secure cookies, redirects, HSTS.",
        default="off",
    ),
    Setting(
        "PENNANT_STAFF_TWO_FACTOR",
        Switch(),
        "Require two-factor sign-in (an app or a key beside the password) of staff before the admin, the organisers' "
        "pages and the page of tokens open, and before their tokens do more than read. Recommended on a public site. "
        "Who has lost the device: manage.py reset_two_factor NAME",
        default="off",
    ),
    Setting("TIME_ZONE", TimeZone(), "Time zone in which the site shows times.", default="UTC"),
    Setting(
        "PENNANT_SOURCE",
        Text(),
        "Address of the source for `git clone`, shown on the page First steps.",
        example="https://git.example/pennant",
    ),
    Setting(
        "LOG_LEVEL",
        Choice(LOG_LEVELS),
        "Least level of the messages in the log (default: INFO of the arena itself, WARNING of its libraries).",
        default=None,
        example="INFO",
    ),
    Setting(
        "PENNANT_LOG_FORMAT",
        Choice(LOG_FORMATS),
        "Form of each line of the log: text, or json (an object with time, level, logger, message, and where known the "
        "ids of request, match and attempt).",
        default="text",
    ),
    Setting(
        "PENNANT_METRICS_TOKEN",
        Text(),
        "Token with which Prometheus reads /metrics (Authorization: Bearer). If unset, private addresses alone may "
        "read it.",
        is_secret=True,
    ),
    Setting(
        "SENTRY_DSN",
        SentryDsn(),
        "Where web and workers report failures: the DSN of a project on a server of Sentry's protocol (Sentry, "
        "GlitchTip). Nothing of users is sent, and of a request its method and route alone; texts of errors are. If "
        "unset, nothing is sent.",
        example="https://key@sentry.example.org/1",
    ),
    Setting(
        "DATABASE_URL",
        Url(DATABASE_SCHEMES, "postgres://name:password@host:5432/database"),
        "If unset: SQLite in the data folder.",
        default=None,
        example="postgres://pennant:secret@localhost:5432/pennant",
        begins_group=True,
    ),
    Setting(
        "PENNANT_WORKER_ROLE",
        Text(),
        "Role of PostgreSQL by which the workers' DATABASE_URL signs in. At each start the site gives it what workers "
        "need: they can't alter tables, read sessions, tokens or second factors, or change accounts. If unset, "
        "workers are expected to use the site's own role.",
        example="pennant-worker",
    ),
    Setting(
        "REDIS_URL",
        Url(REDIS_SCHEMES, "redis://host:6379/0"),
        "If unset: messages go through files in the data folder.",
        example="redis://localhost:6379/0",
    ),
    Setting(
        "EMAIL_URL",
        Url(environ.Env.EMAIL_SCHEMES, "smtp://name:password@host:587"),
        "Mail is optional: without a server it is written to the log. smtp://user:password@host:587",
        default="consolemail://",
        begins_group=True,
    ),
    Setting("DEFAULT_FROM_EMAIL", MailAddress(), "Address from which mail is sent.", default="pennant@localhost"),
    Setting(
        "PENNANT_LADDER_WAITING",
        COUNT,
        "Maximum number of matches of each ladder that wait or run at a time.",
        default="2",
        begins_group=True,
    ),
    Setting(
        "PENNANT_LADDER_NEWCOMER_MATCHES",
        COUNT,
        "While a bot without a rank has played fewer matches than this, the ladder's matches follow each other "
        "without pause.",
        default="60",
    ),
    Setting(
        "PENNANT_LADDER_MATCHES_PER_HOUR",
        COUNT,
        "Otherwise the number of matches per hour on each ladder (a stored match takes about 6 KB; 0: none).",
        default="20",
    ),
    Setting(
        "PENNANT_LADDER_RUSH_UNTIL",
        COUNT,
        "Until this number of matches was played on all ladders together, their matches follow each other without "
        "pause.",
        default="0",
    ),
    Setting(
        "PENNANT_REFIT_SECONDS",
        Number(0, 86_400),
        "Interval in seconds at which all ratings of a ladder are computed from all its results, if there are new "
        "ones.",
        default="60",
    ),
    Setting(
        "PENNANT_LADDER_BOTS_PER_OWNER",
        COUNT,
        "Maximum number of bots of one owner on each ladder at a time.",
        default="3",
    ),
    Setting(
        "PENNANT_UNRATED_RECORD_DAYS",
        Number(0, 36_500),
        "Number of days for which the records of trials, comparisons and challenges are stored; their results stay. "
        "Those of ladders and tournaments are stored for good.",
        default="180",
    ),
    Setting(
        "PENNANT_LOG_DAYS",
        Number(0, 36_500),
        "Number of days for which the logs of bots (stderr, up to 64 KiB per seat and leg) and what was sent to "
        "webhooks are stored.",
        default="30",
    ),
    Setting("PENNANT_NOTICE_DAYS", Number(0, 36_500), "Number of days for which notices are stored.", default="180"),
    Setting(
        "PENNANT_WORKER_PROCESSES",
        Number(0, 1024),
        "Number of processes of each worker, which play one match each (0: one for each core, as far as the memory of "
        "the machine or container suffices: 1 GB and 1.25 GB more for each process).",
        default="0",
    ),
    Setting(
        "PENNANT_PIN_CORES",
        Switch(),
        "Keep each worker process and its bots on one core: this plays two to three times as many matches.",
        default="on",
    ),
    Setting(
        "PENNANT_ALLOW_OPEN_CHANNELS",
        Switch(),
        "Play rated matches between bots of different authors even where a bot might tell its next leg what it saw of "
        "the same deal: at level C, and at level A where no memory is free for the files that bots see. The page "
        "/queue/ says so there.",
        default="off",
    ),
    *LIMIT_SETTINGS,
    Setting(
        "PENNANT_WEBHOOK_NETWORKS",
        Networks(),
        "Private networks that webhooks may reach, besides the internet: 192.168.7.0/24,fd00::/8",
        begins_group=True,
    ),
    Setting(
        "PENNANT_SIGNUP",
        Choice([mode.value for mode in SignUpMode]),
        "Who may make an account: open (everybody), invitation (who has a link by `manage.py invite` or the admin), "
        "approval (everybody, but staff lets each one in: action Approve of the users in the admin), closed (only "
        "staff, in the admin).",
        default="open",
        begins_group=True,
    ),
    Setting(
        "PENNANT_SIGNUPS_PER_HOUR",
        COUNT,
        "Maximum number of accounts made from one address in an hour (an IPv6 address counts as its /64).",
        default="10",
    ),
    Setting(
        "PENNANT_WRONG_PASSWORDS",
        COUNT,
        "Maximum number of wrong passwords in 15 minutes for one name from one address; from elsewhere its owner can "
        "sign in.",
        default="5",
    ),
    Setting(
        "PENNANT_WRONG_PASSWORDS_PER_ADDRESS",
        COUNT,
        "Maximum number of wrong passwords in an hour from one address, for all names.",
        default="100",
    ),
    Setting(
        "PENNANT_API_READS",
        COUNT,
        "Maximum number of reading API requests per minute of one token or user.",
        default="600",
        begins_group=True,
    ),
    Setting(
        "PENNANT_API_WRITES",
        COUNT,
        "Maximum number of writing API requests per minute of one token or user.",
        default="60",
    ),
    Setting(
        "PENNANT_API_NOBODY",
        COUNT,
        "Maximum number of API requests per minute of one IP address (IPv6: of one /64) without a token. Without "
        "REDIS_URL each web process counts separately.",
        default="120",
    ),
    Setting(
        "PENNANT_EXPORTS_PER_HOUR",
        COUNT,
        "Maximum number of downloads of many records per hour of one token, user or IP address; each has up to 5,000 "
        "records.",
        default="60",
    ),
    Setting(
        "PENNANT_ANONYMOUS_PAGE_CACHE_S",
        Number(0, 86_400),
        "Seconds for which pages are cached for readers who aren't signed in (0: not at all).",
        default="5",
    ),
    Setting(
        "PENNANT_PROXIES",
        Number(0, 100),
        "Number of proxies in front of the site, each adding to X-Forwarded-For (default: 1 with PENNANT_HTTPS, else "
        "0).",
        default=None,
        example="0",
    ),
)


HEADER = """\
# All settings of Pennant. Each has a default: `uv run manage.py up` needs none of them.
# Copy this file to .env, or set the variables in the environment (which takes precedence).
# Written by `uv run python -m arena.core.environment_table`: see that file.
"""
LINE_WIDTH = 120


def write_example() -> str:
    """Return the text of `.env.example`: each setting with its help, and with its default as a comment."""
    lines = [HEADER.rstrip()]
    for setting in SETTINGS:
        if setting.begins_group:
            lines.append("")
        lines += textwrap.wrap(
            setting.help,
            LINE_WIDTH,
            initial_indent="# ",
            subsequent_indent="# ",
            break_on_hyphens=False,
            break_long_words=False,
        )
        lines.append(f"#{setting.name}={setting.example or setting.default or ''}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(write_example())
