"""No package that the arena installs has a vulnerability that is publicly known."""

import json
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.full
def test_no_package_has_a_known_vulnerability(tmp_path: Path) -> None:
    wanted = tmp_path / "requirements.txt"
    parts = ["--frozen", "--no-dev", "--all-extras", "--no-emit-project"]
    export = ["uv", "export", *parts, "--quiet", "--output-file", str(wanted)]
    subprocess.run(export, cwd=ROOT, check=True, capture_output=True)
    audit = [
        "pip-audit",
        "--requirement",
        str(wanted),
        "--disable-pip",
        "--progress-spinner",
        "off",
        "--format",
        "json",
    ]
    done = subprocess.run(audit, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.stdout, done.stderr
    packages = json.loads(done.stdout)["dependencies"]
    audited = [package for package in packages if "skip_reason" not in package]
    if not audited:
        pytest.skip("the database of vulnerabilities can't be reached from here")
    assert len(audited) == len(packages) > 20
    assert {package["name"]: package["vulns"] for package in audited if package["vulns"]} == {}
