"""What the container of a worker allows: no more than it needs, and all of that."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
import yaml

from arena.celery import SCHEDULER_FILE, WORKER_FILE
from arena.core.environment import PROCESS_MB, WORKER_MB
from arena.runner.sandbox.own_process import CLONE_NEWNET, CLONE_NEWUSER
from arena.runner.sandbox.seccomp import ALLOWED, BUILD_CALLS, FILE_CHANGES, list_decisions, read_numbers
from arena.settings import CELERY_TASK_ROUTES
from tests.runner.landlock.ordinary_user import find_python, run_as_ordinary_user
from tests.servers import postgres

ROOT = Path(__file__).resolve().parents[1]
PROFILE = ROOT / ".docker" / "worker-seccomp.json"
COMPOSE = (ROOT / "docker-compose.yml").read_text()
SERVICES = yaml.safe_load(COMPOSE)["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
BEYOND = "Beyond Docker's default: "
BY_BUBBLEWRAP = {"clone", "mount", "umount2", "pivot_root", "sethostname"}
BY_RUNNER_PROCESSES = {"unshare"}
NEW_NAMESPACES = 0x7E020000
"""The flags of clone that Docker's default refuses."""
DEFAULT_CPU_SHARES = 1024
FORBIDDEN_IN_COMPOSE = ("privileged: true", "docker.sock", "cap_add", "pid: host", "network_mode", "seccomp=unconfined")
EXAMINE = "from arena.runner.sandbox.detection import examine; print(examine(('python',))[1].level)"
PLAY = "from arena.cli import main; main(['play', 'bots/samples/random', 'bots/samples/greedy'])"
BUILD = "from arena.runner.sandbox.detection import examine; print(*examine(('python', 'c'))[0].languages)"
PARK = """
from arena.runner.program import Limits
from arena.runner.program import Program
from arena.runner.sandbox.detection import find_sandbox
sandbox = find_sandbox(("python",))
sandbox.fill_warm_pool("python", Limits(), 1)
bot = sandbox.start(Program("echo", 1, {"bot.py": b"print(input())"}), Limits())
print(type(bot).__name__, bot.ask(b"hello\\n", 5))
bot.close()
sandbox.close()
"""
CALLS_OF_KERNELS_AND_MACHINES = {
    *("acct", "add_key", "bpf", "chroot", "clock_adjtime", "clock_settime", "delete_module", "fanotify_init"),
    *("finit_module", "fsconfig", "fsmount", "fsopen", "fspick", "init_module", "io_uring_enter", "io_uring_register"),
    *("io_uring_setup", "ioperm", "iopl", "kcmp", "kexec_file_load", "kexec_load", "keyctl", "lookup_dcookie"),
    *("mbind", "migrate_pages", "mount_setattr", "move_mount", "move_pages", "name_to_handle_at", "open_by_handle_at"),
    *("open_tree", "perf_event_open", "pidfd_getfd", "process_madvise", "process_vm_readv", "process_vm_writev"),
    *("ptrace", "quotactl", "reboot", "request_key", "setdomainname", "setns", "settimeofday", "shmget", "swapoff"),
    *("swapon", "syslog", "userfaultfd", "vhangup", "modify_ldt", "quotactl_fd"),
}


@pytest.fixture(scope="module")
def profile() -> dict[str, Any]:
    return json.loads(PROFILE.read_text())


def allowed(profile: dict[str, Any]) -> set[str]:
    return {name for rule in profile["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW" for name in rule["names"]}


def run(code: str, profile: Path) -> str:
    command = [sys.executable, "-m", "tests.confine", str(profile), sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_what_is_not_allowed_is_refused(profile: dict[str, Any]) -> None:
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    assert not allowed(profile) & CALLS_OF_KERNELS_AND_MACHINES


def test_every_line_has_its_reason(profile: dict[str, Any]) -> None:
    reasons = [rule["comment"] for rule in profile["syscalls"]]
    assert all(len(reason) > 20 and reason.endswith(".") for reason in reasons)
    assert len(set(reasons)) == len(reasons)


def test_every_name_is_a_call_and_is_there_once(profile: dict[str, Any]) -> None:
    plain = [name for rule in profile["syscalls"] if "args" not in rule for name in rule["names"]]
    assert len(set(plain)) == len(plain)
    assert allowed(profile) <= read_numbers("x86_64").keys() | read_numbers("aarch64").keys()


def test_what_goes_beyond_the_default_is_what_bubblewrap_and_runner_processes_need(profile: dict[str, Any]) -> None:
    beyond = [rule["names"] for rule in profile["syscalls"] if rule["comment"].startswith(BEYOND)]
    assert sorted(beyond) == sorted([name] for name in BY_BUBBLEWRAP | BY_RUNNER_PROCESSES)


def test_unshare_is_allowed_for_a_new_network_with_its_user_and_nothing_else(profile: dict[str, Any]) -> None:
    (rule,) = [rule for rule in profile["syscalls"] if "unshare" in rule["names"]]
    assert rule["names"] == ["unshare"]
    assert rule["args"] == [{"index": 0, "value": CLONE_NEWUSER | CLONE_NEWNET, "op": "SCMP_CMP_EQ"}]


def test_under_it_a_runner_process_of_an_ordinary_user_leaves_the_network(profile: dict[str, Any]) -> None:
    profiled = ("tests.confine", str(PROFILE), find_python(), "-m", "tests.runner.attack_separation")
    found = json.loads(run_as_ordinary_user(*profiled))
    assert found["port"] == "ConnectionRefusedError" and set(found["layers"].values()) == {True}


def test_bots_and_compilers_are_refused_nothing_by_it_that_their_own_filter_allows(profile: dict[str, Any]) -> None:
    wanted = {*ALLOWED, *FILE_CHANGES, *BUILD_CALLS}
    wanted |= {name for name, decision in list_decisions("build").items() if not isinstance(decision, int)}
    assert wanted <= allowed(profile)


def test_under_it_a_machine_has_the_best_level() -> None:
    assert run(EXAMINE, PROFILE) == "A"


def test_under_it_a_match_is_played() -> None:
    assert "greedy" in run(PLAY, PROFILE)


def test_under_it_a_bot_is_built() -> None:
    assert "c" in run(BUILD, PROFILE).split()


def test_under_it_a_sandbox_that_waits_becomes_a_bot() -> None:
    assert run(PARK, PROFILE) == "WarmProcess b'hello'"


@pytest.mark.parametrize("name", sorted(BY_BUBBLEWRAP))
def test_without_any_call_beyond_the_default_there_is_the_fence(
    profile: dict[str, Any], name: str, tmp_path: Path
) -> None:
    rules = [rule for rule in profile["syscalls"] if rule["names"] != [name]]
    assert len(rules) == len(profile["syscalls"]) - 1
    if name == "clone":
        no_namespaces = {"index": 0, "value": NEW_NAMESPACES, "op": "SCMP_CMP_MASKED_EQ"}
        rules.append({"names": ["clone"], "action": "SCMP_ACT_ALLOW", "args": [no_namespaces]})
    (tmp_path / "less.json").write_text(json.dumps({**profile, "syscalls": rules}))
    assert run(EXAMINE, tmp_path / "less.json") == ("C" if os.geteuid() == 0 else "D")


def test_nothing_in_compose_is_privileged() -> None:
    settings = "\n".join(line.partition("#")[0] for line in COMPOSE.splitlines())
    for word in FORBIDDEN_IN_COMPOSE:
        assert word not in settings
    assert "cap_drop: [ALL]" in settings and "read_only: true" in settings
    assert "seccomp=.docker/worker-seccomp.json" in settings and "no-new-privileges:true" in settings


def test_every_service_is_closed_and_limited() -> None:
    for name, service in SERVICES.items():
        assert service["read_only"] is True and service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert service["mem_limit"] == service["memswap_limit"] and service["pids_limit"] <= 4096, name
        assert service["ulimits"]["nofile"] <= 65536, name
        assert (service.get("user") in ("postgres", "redis")) == ("image" in service and "_IMAGE" in service["image"])
    assert "\nUSER pennant\n" in DOCKERFILE


def test_the_services_that_run_bots_alone_have_what_sandboxes_need() -> None:
    for name, service in SERVICES.items():
        has_more = any("seccomp=" in option or "apparmor=" in option for option in service["security_opt"])
        has_more |= any("exec" in mount for mount in service["tmpfs"])
        assert has_more == (name in ("worker", "live")), name
        assert "memlock" not in service["ulimits"], "engines that can't raise it start no container that asks"
    locked = yaml.safe_load((ROOT / ".docker" / "locked-memory.yml").read_text())["services"]
    assert locked == dict.fromkeys(("worker", "live"), {"ulimits": {"memlock": -1}})


def test_there_are_no_default_passwords_and_each_role_has_its_own() -> None:
    passwords = re.findall(r"\$\{(POSTGRES_\w*PASSWORD|\w+_PASSWORD\b)(:?.)", COMPOSE)
    assert set(passwords) == {("POSTGRES_PASSWORD", ":?"), ("POSTGRES_WORKER_PASSWORD", ":?")}
    given = {name: str(service.get("environment", "")) for name, service in SERVICES.items()}
    with_owner = {name for name, environment in given.items() if "${POSTGRES_PASSWORD" in environment}
    assert with_owner == {"setup", "web", "remote", "analysis", "database"}


def copy_script(name: str, folder: Path) -> Path:
    """A copy of a script of `.docker`, whose `.env` is in the folder given."""
    (folder / ".docker").mkdir()
    return Path(shutil.copy(ROOT / ".docker" / name, folder / ".docker"))


def test_passwords_are_made_once(tmp_path: Path) -> None:
    script = copy_script("make-passwords.sh", tmp_path)
    (tmp_path / ".env").write_text("#POSTGRES_PASSWORD=example\nPOSTGRES_WORKER_PASSWORD=kept\n")
    for _ in range(2):
        subprocess.run(["sh", script], check=True, capture_output=True)
    lines = (tmp_path / ".env").read_text().splitlines()
    assert re.fullmatch(r"POSTGRES_PASSWORD=[0-9a-f]{48}", lines[-1]) and len(lines) == 3
    assert lines[1] == "POSTGRES_WORKER_PASSWORD=kept" and (tmp_path / ".env").stat().st_mode & 0o777 == 0o600


def list_images() -> dict[str, str]:
    """The images of others by their variables, as Compose and the Dockerfile name them."""
    return dict(re.findall(r"\$\{(\w+_IMAGE):-([^}]+)\}", COMPOSE))


def test_images_of_others_are_named_once_and_can_be_fixed() -> None:
    in_dockerfile = dict(re.findall(r"^ARG (\w+_IMAGE)=(\S+)$", DOCKERFILE, re.MULTILINE))
    pinned = dict(re.findall(r"(\w+_IMAGE)=([a-z]\S+:[^\s']+)", (ROOT / ".docker" / "pin-images.sh").read_text()))
    assert pinned == list_images() and in_dockerfile.items() < pinned.items()
    stages = re.findall(r"^FROM (\S+) AS (\w+)", DOCKERFILE, re.MULTILINE)
    own = {name for _, name in stages}
    assert all(image in own or re.fullmatch(r"\$\{\w+_IMAGE\}", image) for image, _ in stages)


def test_digests_are_asked_for_and_written_where_compose_reads_them(tmp_path: Path) -> None:
    script = copy_script("pin-images.sh", tmp_path)
    docker, env = tmp_path / "docker", tmp_path / ".env"
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}

    def pin(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["sh", script, *arguments], env=environment, capture_output=True, text=True)

    env.write_text("PORT=9000\nBROKER_IMAGE=redis:6\n")
    docker.write_text("#!/bin/sh\necho no such host >&2; exit 1\n")
    docker.chmod(0o755)
    assert pin().returncode != 0 and env.read_text() == "PORT=9000\nBROKER_IMAGE=redis:6\n"
    missing = pin("--check")
    assert missing.returncode != 0 and all(name in missing.stderr for name in list_images())
    docker.write_text('#!/bin/sh\necho "sha256:$(printf "$4" | sha256sum | cut -d " " -f 1)"\n')
    assert pin().returncode == 0 and pin("--check").returncode == 0
    written = dict(line.split("=", 1) for line in env.read_text().splitlines())
    assert written.pop("PORT") == "9000" and written.keys() == list_images().keys()
    for name, image in list_images().items():
        assert re.fullmatch(re.escape(image) + r"@sha256:[0-9a-f]{64}", written[name])


def test_only_the_web_and_the_remote_bot_server_can_be_reached_and_by_this_machine_alone() -> None:
    ports = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert ports == {"web": ["127.0.0.1:${PORT:-8000}:8000"], "remote": ["127.0.0.1:${REMOTE_PORT:-8001}:8001"]}
    web, remote = SERVICES["web"], SERVICES["remote"]
    for name in ("mem_limit", "memswap_limit", "pids_limit", "ulimits", "networks", "security_opt", "read_only"):
        assert remote[name] == web[name], name
    assert yaml.safe_load(COMPOSE)["networks"] == {"front": None, "back": {"internal": True}}


def test_who_plays_matches_has_no_way_out_and_who_tells_webhooks_plays_none() -> None:
    worker, courier = SERVICES["worker"], SERVICES["courier"]
    assert worker["networks"] == ["back"] and "--queues" not in worker["command"]
    assert courier["networks"] == ["front", "back"] and "--queues deliveries" in " ".join(courier["command"])
    queues = {name: route["queue"] for name, route in CELERY_TASK_ROUTES.items()}
    assert queues == {
        "arena.tasks.play_next": "celery",
        "arena.tasks.send_delivery": "deliveries",
        "arena.periodic_tasks.send_digests": "deliveries",
        "arena.periodic_tasks.remind": "deliveries",
        "arena.periodic_tasks.send_mails": "deliveries",
        "arena.tasks.answer_live_game": "live",
        "arena.tasks.make_live_hint": "live",
        "arena.tasks.analyse_next": "analysis",
        "arena.tasks.measure_luck": "analysis",
        "arena.tasks.clean_up": "analysis",
        "arena.*": "control",
    }


def test_people_have_a_worker_of_their_own_that_is_as_closed_as_the_others() -> None:
    worker, live = SERVICES["worker"], SERVICES["live"]
    assert "--queues live,control --pool threads" in " ".join(live["command"])
    for name in ("networks", "security_opt", "tmpfs", "ulimits", "image"):
        assert live[name] == worker[name]


def test_analyses_have_a_worker_without_a_way_out() -> None:
    analysis = SERVICES["analysis"]
    assert "--queues analysis" in " ".join(analysis["command"])
    assert analysis["networks"] == ["back"] and "ports" not in analysis


def test_analyses_give_way_and_remote_bots_come_first_by_weights_beyond_their_own_container_or_unit() -> None:
    assert SERVICES["analysis"]["cpu_shares"] < DEFAULT_CPU_SHARES / 8
    assert SERVICES["remote"]["cpu_shares"] == 4 * DEFAULT_CPU_SHARES
    assert not any("nice" in service.get("command", ()) for service in SERVICES.values())
    units = {path.name: path.read_text().splitlines() for path in (ROOT / "docs" / "systemd").iterdir()}
    assert "CPUWeight=10" in units["pennant-analysis.service"]
    assert "CPUWeight=400" in units["pennant-remote.service"]
    assert not any(line.startswith("Nice=") for lines in units.values() for line in lines)


def test_the_folder_with_the_secret_key_is_for_the_web_alone() -> None:
    shared = {name for name, service in SERVICES.items() if "data:/data" in service.get("volumes", ())}
    assert shared == {"setup", "web"}
    for name in ("remote", "worker", "live", "analysis", "courier", "scheduler"):
        assert any(mount.startswith("/data:") and "mode=0700,uid=10001" in mount for mount in SERVICES[name]["tmpfs"])
    assert "useradd --uid 10001 " in DOCKERFILE


def test_the_image_has_every_folder_of_a_worker_in_memory_with_its_mode() -> None:
    """A container that is started again gives a tmpfs the mode of the folder: 0755 where the image has none."""
    modes = dict(re.findall(r"^(\S+?):size=\w+,mode=(\d+)", "\n".join(SERVICES["worker"]["tmpfs"]), re.MULTILINE))
    of_debian = {"/tmp": "1777", "/var/tmp": "1777"}
    made = {path: mode for mode, path in re.findall(r"install -d -m (\d+) .*?(/\S+)$", DOCKERFILE, re.MULTILINE)}
    assert modes.items() <= {**of_debian, **made}.items() and len(modes) == 4


def test_the_logs_of_every_service_are_rotated() -> None:
    for service in SERVICES.values():
        assert service["logging"] == {"driver": "json-file", "options": {"max-size": "10m", "max-file": "5"}}


def test_every_service_that_goes_on_has_a_health_check_and_starts_after_the_setup() -> None:
    assert [name for name, service in SERVICES.items() if "healthcheck" not in service] == ["setup"]
    assert SERVICES["setup"]["restart"] == "no"
    for name in ("web", "remote", "worker", "live", "courier", "scheduler"):
        assert SERVICES[name]["depends_on"]["setup"] == {"condition": "service_completed_successfully"}


def test_only_the_image_of_workers_has_compilers() -> None:
    stages = dict(re.findall(r"^FROM \S+ AS (\w+)\n((?:(?!FROM ).*\n)+)", DOCKERFILE, re.MULTILINE))
    assert [name for name, lines in stages.items() if "TOOLCHAINS" in lines] == ["worker"]
    assert [name for name, lines in stages.items() if "/uv" in lines] == ["application"]
    built = {service["image"]: service["build"]["target"] for service in SERVICES.values() if "build" in service}
    assert built == {"pennant": "site", "pennant-worker": "worker"}
    users = [name for name, service in SERVICES.items() if service["image"] == "pennant-worker"]
    assert users == ["worker", "live"] and {"site", "worker"} <= stages.keys()


def test_the_programs_for_backups_are_of_the_version_of_the_database() -> None:
    images = list_images()
    assert images["DATABASE_IMAGE"].partition("-")[0] == images["POSTGRES_CLIENT_IMAGE"].partition("-")[0]


def test_memory_for_a_worker_is_named_once_and_suffices_for_two_processes() -> None:
    worker = SERVICES["worker"]
    (size,) = re.findall(r"^\$\{WORKER_MEMORY:-(\d+)g\}$", worker["mem_limit"])
    assert worker["memswap_limit"] == worker["mem_limit"]
    assert int(size) * 1024 >= WORKER_MB + 2 * PROCESS_MB
    assert "1 GB, and 1.25 GB more for each" in COMPOSE and (WORKER_MB, PROCESS_MB) == (1024, 1280)


@pytest.mark.parametrize(
    ("name", "file"),
    [("worker", WORKER_FILE), ("live", WORKER_FILE), ("courier", WORKER_FILE), ("scheduler", SCHEDULER_FILE)],
)
def test_the_check_of_a_service_holds_while_its_file_is_new(name: str, file: str, tmp_path: Path) -> None:
    kind, command = SERVICES[name]["healthcheck"]["test"]
    assert kind == "CMD-SHELL" and f"/data/{file} " in command
    command = command.replace("$$", "$").replace("/data/", f"{tmp_path}/")

    def is_well() -> bool:
        return subprocess.run(["sh", "-c", command], stderr=subprocess.DEVNULL).returncode == 0

    assert not is_well()
    (tmp_path / file).touch()
    assert is_well()
    old = time.time() - 180
    os.utime(tmp_path / file, (old, old))
    assert not is_well()


@pytest.mark.parametrize(
    ("hosts", "host", "status", "is_well"),
    [
        ("arena.example.org,localhost", "arena.example.org", 200, True),
        (".example.org", "example.org", 200, True),
        ("*", "localhost", 200, True),
        ("localhost", "localhost", 503, False),
    ],
)
def test_the_check_of_the_web_asks_for_a_host_that_is_allowed(
    hosts: str, host: str, status: int, is_well: bool
) -> None:
    asked = []

    class Web(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append((self.path, self.headers["Host"]))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Web) as web:
        threading.Thread(target=web.handle_request).start()
        command = ["bash", ROOT / ".docker" / "probe-web.sh", str(web.server_port)]
        done = subprocess.run(command, env={**os.environ, "ALLOWED_HOSTS": hosts})
    assert (done.returncode == 0) == is_well and asked == [("/health/", host)]
    assert subprocess.run(command, stderr=subprocess.DEVNULL).returncode != 0
    assert "/app/.docker/probe-web.sh" in SERVICES["web"]["healthcheck"]["test"]


def start_database(url: str, folder: Path, password: str) -> None:
    """Run what Compose runs in the container of the database, with a server that runs already."""
    entry, server = folder / "docker-entrypoint.sh", urlsplit(url)
    entry.write_text('#!/bin/sh\necho "started: $*"\n')
    entry.chmod(0o755)
    environment = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "PGHOST": "127.0.0.1"}
    environment |= {"PGPORT": str(server.port), "POSTGRES_USER": "pennant", "POSTGRES_DB": "pennant"}
    environment |= {"POSTGRES_PASSWORD": password, "POSTGRES_WORKER_PASSWORD": f"{password} of workers"}
    command = ["sh", ROOT / ".docker" / "start-database.sh", "postgres", "-c", "a=b"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.stdout == "started: postgres -c a=b\n" and done.stderr == ""


@pytest.mark.servers
@pytest.mark.full
def test_the_arena_owns_its_database_and_neither_role_is_a_superuser(tmp_path: Path) -> None:
    with postgres() as url:
        with psycopg.connect(f"{url}/postgres", autocommit=True) as superuser:
            superuser.execute("create database pennant")
            superuser.execute("alter role pennant password 'first'")
        with psycopg.connect(f"{url}/pennant", autocommit=True) as superuser:
            superuser.execute("create table before (id bigint generated by default as identity primary key)")
            hashes = set()
            for password in ("it's first", 'the "second"'):
                start_database(url, tmp_path, password)
                hashes |= {*superuser.execute("select rolpassword from pg_authid where rolname in ('arena', 'worker')")}
            assert len(hashes) == 4 and (None,) not in hashes
            own = superuser.execute("select rolpassword from pg_authid where rolname = 'pennant'").fetchall()
            assert own == [(None,)]
        rights = "select rolsuper, rolcreaterole, rolcreatedb from pg_roles where rolname = user"
        with psycopg.connect(f"{url}/pennant".replace("pennant@", "arena@"), autocommit=True) as arena:
            assert arena.execute(rights).fetchall() == [(False, False, False)]
            arena.execute("alter table before add column added int")
            arena.execute("insert into before (added) values (1)")
            arena.execute("create schema beside")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                arena.execute("copy before from program 'id'")
        with psycopg.connect(f"{url}/pennant".replace("pennant@", "worker@"), autocommit=True) as worker:
            assert worker.execute(rights).fetchall() == [(False, False, False)]
            for forbidden in ("select from before", "create table more (id int)", "create schema of_workers"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    worker.execute(forbidden)
