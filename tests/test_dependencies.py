"""No package that the arena installs has a vulnerability that is publicly known."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.servers import free_port

ROOT = Path(__file__).parents[1]
UNREACHABLE = re.compile(
    r"requests\.exceptions\.\w*(Connection|HTTP|Proxy|SSL|Timeout)\w*|pip_audit\S*ConnectionError|Timeout"
)
TIMEOUT_S = 15


def audit(folder: Path, **environment: str) -> list[dict[str, Any]] | None:
    """Return what the database of vulnerabilities says of each package of the lock file, or None if it is out of reach.

    A mirror of packages without the database knows none of them: that is out of reach, too.
    """
    wanted = folder / "requirements.txt"
    parts = ["--frozen", "--no-dev", "--all-extras", "--no-emit-project"]
    export = ["uv", "export", *parts, "--quiet", "--output-file", str(wanted)]
    subprocess.run(export, cwd=ROOT, check=True, capture_output=True)
    command = ["pip-audit", "--requirement", str(wanted), "--disable-pip", "--progress-spinner", "off"]
    command += ["--format", "json", "--timeout", str(TIMEOUT_S)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True)
    if not done.stdout and UNREACHABLE.search(done.stderr):
        return None
    assert done.stdout, done.stderr
    packages = json.loads(done.stdout)["dependencies"]
    audited = [package for package in packages if "skip_reason" not in package]
    assert not audited or len(audited) == len(packages) > 20
    return audited or None


def test_no_package_has_a_known_vulnerability(tmp_path: Path) -> None:
    audited = audit(tmp_path)
    if audited is None:
        pytest.skip("the database of vulnerabilities can't be reached from here")
    assert {package["name"]: package["vulns"] for package in audited if package["vulns"]} == {}


def test_without_the_database_nothing_is_said(tmp_path: Path) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    assert audit(tmp_path, https_proxy=nowhere, HTTPS_PROXY=nowhere) is None
