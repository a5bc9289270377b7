"""Build the wheel of the authors' command that the arena hands out at `/install/`.

It is of the version that runs here, and needs no package index of its own.
"""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import Distribution, distribution
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from arena.release import DISTRIBUTION, REPOSITORY_ROOT, hash_folders

WHEEL_SOURCE_FOLDERS = ("arena", "bots", "docs", "engine", "templates")
"""The folders of a checkout from which a wheel is built."""
COMPILING_VARIABLE = "HATCH_BUILD_HOOK_ENABLE_MYPYC"
"""Compiled files are for one machine, and the wheel is for all."""
PRIVATE_FILE_MODE = 0o600
"""The mode of all files of the data folder; the build backend makes its own readable by everybody."""
BUILD_TIMEOUT_S = 120
NOT_IN_WHEEL = ("../", "__pycache__")
INSTALLATION_FILES = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json")
"""Files that an installer adds beside those of the wheel."""


class WheelBuildError(Exception):
    """The wheel could not be built. The text says why."""


def build_authors_wheel(folder: Path) -> Path:
    """Return the wheel in this folder, built anew unless it is of the present files. Raises WheelBuildError."""
    mark = folder / "built-from"
    found = compute_source_hash()
    known = next(folder.glob("*.whl"), None)
    if known is not None and mark.is_file() and mark.read_text() == found:
        return known
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as draft:
        built = build_from_checkout(Path(draft)) if is_checkout() else pack_installed_files(Path(draft))
        for old in folder.glob("*.whl"):
            old.unlink()
        wheel = Path(shutil.move(built, folder / built.name))
    wheel.chmod(PRIVATE_FILE_MODE)
    mark.write_text(found)
    return wheel


def is_checkout() -> bool:
    """Return whether this code runs from a checkout, from which a wheel can be built."""
    return (REPOSITORY_ROOT / "pyproject.toml").is_file()


def compute_source_hash() -> str:
    """Return a hash of all that a wheel is made from."""
    if not is_checkout():
        return str(distribution(DISTRIBUTION).read_text("RECORD"))
    return hash_folders([REPOSITORY_ROOT / name for name in WHEEL_SOURCE_FOLDERS])


def build_from_checkout(folder: Path) -> Path:
    """Build the wheel by the project's own build backend. Raises WheelBuildError."""
    environment = {name: value for name, value in os.environ.items() if name != COMPILING_VARIABLE}
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    try:
        subprocess.run(
            command,
            cwd=REPOSITORY_ROOT,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=BUILD_TIMEOUT_S,
        )
    except subprocess.CalledProcessError as error:
        raise WheelBuildError(error.stderr.strip()) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WheelBuildError(str(error)) from error
    return next(folder.glob("*.whl"))


def pack_installed_files(folder: Path) -> Path:
    """Pack what was installed from a wheel into a wheel again."""
    installed = distribution(DISTRIBUTION)
    tag = read_tag(installed)
    wheel = folder / f"{DISTRIBUTION.replace('-', '_')}-{installed.version}-{tag}.whl"
    records = []
    with ZipFile(wheel, "w", ZIP_DEFLATED) as archive:
        for file in installed.files or ():
            name = file.as_posix()
            if file.name in INSTALLATION_FILES or any(part in name for part in NOT_IN_WHEEL):
                continue
            content = file.read_binary()
            archive.writestr(name, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            records.append(f"{name},sha256={digest},{len(content)}")
        record = f"{installed.name.replace('-', '_')}-{installed.version}.dist-info/RECORD"
        archive.writestr(record, "\n".join([*records, f"{record},,"]) + "\n")
    return wheel


def read_tag(installed: Distribution) -> str:
    """Return for which machines the installed wheel is, as `py3-none-any`."""
    lines = (installed.read_text("WHEEL") or "").splitlines()
    return next(line.removeprefix("Tag: ") for line in lines if line.startswith("Tag: "))
