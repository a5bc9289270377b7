"""Make wheels of a few lines, and one of a package that is installed, to install them for bots."""

import zipfile
from collections.abc import Mapping
from importlib.metadata import distribution
from pathlib import Path

WHEEL = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
TINY = {"tiny/__init__.py": "ANSWER = 42\n", "tiny/sums.py": "def add(a, b):\n    return a + b\n"}


def write_wheel(folder: Path, name: str, version: str, files: Mapping[str, str]) -> Path:
    """Write a wheel with these files and return its path."""
    info = f"{name}-{version}.dist-info"
    described = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": WHEEL,
    }
    every = {**files, **described}
    record = "".join(f"{path},,\n" for path in (*every, f"{info}/RECORD"))
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for inside, text in {**every, f"{info}/RECORD": record}.items():
            wheel.writestr(inside, text)
    return path


def write_installed_wheel(folder: Path, name: str) -> Path:
    """Write a wheel of a package of this environment, with its libraries, and return its path."""
    found = distribution(name)
    tag = next(line.split(": ")[1] for line in (found.read_text("WHEEL") or "").splitlines() if line.startswith("Tag"))
    path = folder / f"{name}-{found.version}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file in found.files or ():
            if not file.as_posix().startswith("..") and "__pycache__" not in file.parts and "tests" not in file.parts:
                wheel.write(str(file.locate()), file.as_posix())
    return path
