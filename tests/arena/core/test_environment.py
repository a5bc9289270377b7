"""Settings from the environment: what is wrong ends the start with one line, and what there is stands in one table."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from django.test import Client

from arena.core.environment import list_warnings
from arena.core.environment_table import SETTINGS, Environment, read_help, write_example

ROOT = Path(__file__).resolve().parents[3]
READ = set(re.findall(r"\benv\.([A-Z]\w+)", (ROOT / "arena" / "settings.py").read_text()))
"""The variables that the settings read."""
BY_COMPOSE = {"PENNANT_DATA", "PENNANT_BOT_PACKAGES", "DATABASE_URL", "REDIS_URL", "PENNANT_WORKER_ROLE"}
FOR_WEB_ALONE = {
    *("SECRET_KEY", "SECRET_KEY_FALLBACKS", "PENNANT_METRICS_TOKEN", "PENNANT_OIDC_SERVER", "PENNANT_OIDC_CLIENT")
}
NO_TOTAL = "a whole number from 0 to 1000000000"


def read(name: str) -> object:
    return getattr(Environment(), name)


def start(*command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Start a process of the site, which should end by itself."""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "arena.settings", **variables}
    environment.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)  # for tests alone: no deployment has it
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("PENNANT_API_READS", "many", f"'many', but must be {NO_TOTAL}."),
        ("PENNANT_API_READS", "", f"'', but must be {NO_TOTAL}."),
        ("PENNANT_LADDER_WAITING", "-1", f"'-1', but must be {NO_TOTAL}."),
        ("PENNANT_PROXIES", "1.5", "'1.5', but must be a whole number from 0 to 100."),
        ("PENNANT_LOG_DAYS", "40000", "'40000', but must be a whole number from 0 to 36500."),
        ("PENNANT_HTTPS", "onn", "'onn', but must be on or off."),
        ("LOG_LEVEL", "info", "'info', but must be one of: DEBUG, INFO, WARNING, ERROR, CRITICAL."),
        ("ALLOWED_HOSTS", "https://arena.example", "'https://arena.example', but must be host names"),
        ("ALLOWED_HOSTS", "arena.example:8000", "'arena.example:8000', but must be host names without"),
        ("ALLOWED_HOSTS", "[::1", "'[::1', but must be host names"),
        ("CSRF_TRUSTED_ORIGINS", "arena.example", "'arena.example', but must be origins with their scheme"),
        ("CSRF_TRUSTED_ORIGINS", "https://arena.example/", "'https://arena.example/', but must be origins"),
        ("PENNANT_WEBHOOK_NETWORKS", "192.168.7.1/24", "'192.168.7.1/24', but must be networks"),
        ("TIME_ZONE", "Budapest", "'Budapest', but must be a time zone's name"),
        ("TIME_ZONE", "../etc", "'../etc', but must be a time zone's name"),
        (
            "DATABASE_URL",
            "mysql://a:b@host/c",
            "'mysql://a:***@host/c', but must be an address such as postgres",
        ),
        ("DATABASE_URL", "postgres://host:port/c", "'postgres://host:port/c', but must be an address"),
        ("REDIS_URL", "localhost:6379", "'localhost:6379', but must be an address such as redis://host:6379/0"),
        ("EMAIL_URL", "http://host", "'http://host', but must be an address such as smtp://"),
        ("DEFAULT_FROM_EMAIL", "pennant", "'pennant', but must be an email address"),
        ("SENTRY_DSN", "sentry.example.org/1", "'sentry.example.org/1', but must be a project's DSN"),
        ("SENTRY_DSN", "https://sentry.example.org/1", "'https://sentry.example.org/1', but must be a project's DSN"),
        ("SENTRY_DSN", "https://key@sentry.example.org/", "'https://key@sentry.example.org/', but must be"),
        (
            "PENNANT_OIDC_SERVER",
            "http://login.example.org",
            "'http://login.example.org', but must be an address",
        ),
        ("PENNANT_OIDC_SERVER", "login.example.org", "'login.example.org', but must be an address with https"),
        ("PENNANT_OIDC_CLIENT", "arena", "secret, but must be a client's name and secret separated by a colon"),
        ("PENNANT_DATA", "/dev/null/data", "'/dev/null/data', but must be a folder"),
        ("PENNANT_GAMES", "no_such_package", "PENNANT_GAMES: no_such_package can't be imported"),
    ],
)
def test_a_wrong_value_is_refused_with_what_it_is_and_may_be(
    name: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as refused:
        read(name)
    line = str(refused.value)
    assert line.startswith(said if name == "PENNANT_GAMES" else f"{name} is {said}")
    assert "\n" not in line


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("PENNANT_API_READS", "7", 7),
        ("PENNANT_HTTPS", "True", True),
        ("PENNANT_PIN_CORES", "off", False),
        ("PENNANT_PIN_CORES", "", False),
        ("ALLOWED_HOSTS", "*", ["*"]),
        ("ALLOWED_HOSTS", ".arena.example, 10.0.0.1,[::1],web_1", [".arena.example", "10.0.0.1", "[::1]", "web_1"]),
        ("CSRF_TRUSTED_ORIGINS", "https://*.arena.example,http://a:81", ["https://*.arena.example", "http://a:81"]),
        ("CSRF_TRUSTED_ORIGINS", "", []),
        ("PENNANT_WEBHOOK_NETWORKS", "192.168.7.0/24,fd00::/8", ["192.168.7.0/24", "fd00::/8"]),
        ("TIME_ZONE", "Europe/Budapest", "Europe/Budapest"),
        ("DATABASE_URL", "postgres://a:b@[::1]:5432/c", "postgres://a:b@[::1]:5432/c"),
        ("REDIS_URL", "rediss://:secret@host:6380/1", "rediss://:secret@host:6380/1"),
        ("REDIS_URL", "", ""),
        ("EMAIL_URL", "smtp+tls://user:password@host:587", "smtp+tls://user:password@host:587"),
        ("DEFAULT_FROM_EMAIL", "Pennant <pennant@arena.example>", "Pennant <pennant@arena.example>"),
        ("SECRET_KEY_FALLBACKS", "one, two", ["one", " two"]),
        ("PENNANT_DATA", "/nowhere/data", Path("/nowhere/data")),
    ],
)
def test_a_right_value_is_read(name: str, value: str, expected: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    assert read(name) == expected


def test_a_site_below_a_path_is_refused() -> None:
    refused = start("manage.py", "check", SCRIPT_NAME="/pennant")
    assert refused.returncode == 1
    assert (
        refused.stderr == "SCRIPT_NAME is '/pennant', but Pennant needs its own host name, such as arena.example.org.\n"
    )


@pytest.mark.parametrize("header", ["SCRIPT_NAME", "HTTP_X_FORWARDED_PREFIX", "HTTP_X_SCRIPT_NAME"])
@pytest.mark.parametrize("path", ["/", "/arena/ladders/", "/api/v1/bots/"])
def test_a_proxy_that_serves_the_site_below_a_path_is_told(header: str, path: str) -> None:
    answer = Client().get(path, **{header: "/arena"})
    assert answer.status_code == 400 and answer["Cache-Control"] == "no-store"
    assert answer.text == (
        "A proxy serves this site below the path /arena/, but Pennant needs its own host name, such as "
        "arena.example.org.\n"
    )


@pytest.mark.django_db
@pytest.mark.parametrize("prefix", ["", "/"])
def test_a_proxy_at_the_root_is_served(prefix: str) -> None:
    assert Client().get("/health/", HTTP_X_FORWARDED_PREFIX=prefix, HTTP_X_SCRIPT_NAME=prefix).status_code == 200


@pytest.mark.parametrize(
    ("server", "client"), [("https://login.example.org", ""), ("", "arena:secret")], ids=["server", "client"]
)
def test_a_school_needs_both_settings(server: str, client: str) -> None:
    refused = start("manage.py", "check", PENNANT_OIDC_SERVER=server, PENNANT_OIDC_CLIENT=client)
    said = "PENNANT_OIDC_SERVER and PENNANT_OIDC_CLIENT belong together: set both or neither.\n"
    assert refused.returncode == 1 and refused.stderr == said


def test_no_value_of_a_secret_is_shown() -> None:
    line = Environment.SECRET_KEY.describe_refusal("s3cret")
    assert line == "SECRET_KEY is secret, but must be a text."


def test_defaults_and_examples_are_allowed() -> None:
    for setting in (getattr(Environment, name) for name in READ):
        for text in filter(None, (setting.default, setting.example)):
            setting.kind.parse(text)


def test_the_table_has_every_setting_that_is_read_and_no_other() -> None:
    assert READ == {setting.name for setting in SETTINGS} and len(SETTINGS) == len(READ) > 40
    assert all(read_help()[setting.name] for setting in SETTINGS)
    used = subprocess.run(["git", "grep", "-lE", r"environ\.(get|\[)|getenv"], cwd=ROOT, capture_output=True, text=True)
    assert not {"arena/settings.py", "arena/operations/apps.py"} & set(used.stdout.split())


def test_the_example_is_written_from_the_table() -> None:
    assert (ROOT / ".env.example").read_text() == write_example()


def test_compose_passes_every_setting_on_and_keys_to_the_web_alone() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    passed = compose["services"]["web"]["environment"]
    assert passed.keys() == {setting.name for setting in SETTINGS}
    for setting in SETTINGS:
        if setting.name not in BY_COMPOSE:
            assert passed[setting.name] == f"${{{setting.name}:-{setting.default or ''}}}"
    assert compose["services"]["setup"]["environment"] == passed
    owner, role = passed["DATABASE_URL"], passed["PENNANT_WORKER_ROLE"]
    assert owner.startswith("postgres://arena:${POSTGRES_PASSWORD:?") and role == "worker"
    shared = {key: value for key, value in passed.items() if key not in {*FOR_WEB_ALONE, "PENNANT_WORKER_ROLE"}}
    assert compose["services"]["analysis"]["environment"] == shared
    for name in ("worker", "live", "courier", "scheduler"):
        given = compose["services"][name]["environment"]
        assert given["DATABASE_URL"].startswith("postgres://worker:${POSTGRES_WORKER_PASSWORD:?")
        assert given == shared | {"DATABASE_URL": given["DATABASE_URL"]}


@pytest.mark.parametrize(
    "command",
    [
        ("manage.py", "migrate"),
        ("-m", "celery", "--app", "arena.celery", "worker"),
        ("-m", "celery", "--app", "arena.celery", "beat"),
        ("-m", "gunicorn", "arena.wsgi", "--bind", "127.0.0.1:0", "--preload", "--no-control-socket"),
    ],
    ids=["manage.py", "worker", "beat", "gunicorn"],
)
def test_every_program_ends_with_that_line_alone(command: tuple[str, ...]) -> None:
    done = start(*command, PENNANT_API_READS="many")
    assert done.returncode != 0
    assert done.stderr == f"PENNANT_API_READS is 'many', but must be {NO_TOTAL}.\n"


def test_gunicorn_does_not_try_again_where_its_workers_load_the_site() -> None:
    done = start(
        *("-m", "gunicorn", "arena.wsgi", "--bind", "127.0.0.1:0", "--no-control-socket"), PENNANT_API_READS="many"
    )
    assert done.returncode == 3
    assert done.stderr.count("PENNANT_API_READS is 'many'") == 1
    assert "Traceback" not in done.stderr


def test_a_folder_that_can_not_be_made_ends_the_start_with_one_line() -> None:
    done = start("manage.py", "check", PENNANT_DATA="/proc/pennant")
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert done.stderr.startswith("The secret key can't be stored in the folder that PENNANT_DATA names: ")


def test_variables_of_the_command_line_give_no_warning() -> None:
    names = [setting.name for setting in SETTINGS]
    assert list_warnings(names, [*names, "PENNANT_URL", "PENNANT_TOKEN", "HOME"]) == []


def test_a_public_site_passes_the_checks_of_a_deployment_and_an_unknown_setting_is_named(tmp_path: Path) -> None:
    """Logs are text by default, and without a DSN the library for reports of failures is not even loaded."""
    public = {
        "PENNANT_HTTPS": "on",
        "ALLOWED_HOSTS": "arena.example.org",
        "CSRF_TRUSTED_ORIGINS": "https://arena.example.org",
        "PENNANT_STAFF_TWO_FACTOR": "on",
        "PENNANT_DATA": str(tmp_path / "data"),
        "PENNANT_SIGNUPS_PER_HOURS": "3",
        "SENTRY_DSN": "",
    }
    program = (
        "import sys; from arena.operations.site_command import main; main(); assert 'sentry_sdk' not in sys.modules"
    )
    done = start("-c", program, "check", "--deploy", "--fail-level", "WARNING", **public)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("System check identified no issues")
    (line,) = done.stderr.splitlines()
    assert " WARNING arena.operations.apps: The variable PENNANT_SIGNUPS_PER_HOURS is set, but isn't a setting." in line
    assert line.endswith("Did you mean PENNANT_SIGNUPS_PER_HOUR?")
