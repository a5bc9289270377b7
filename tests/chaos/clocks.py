"""A wall clock of its own for each service: the machine's is left alone, and so is what measures durations."""

import shutil
import struct
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("clock.c")


class NoClocks(Exception):
    """The message says why services can't have clocks of their own here."""


class Clocks:
    """Clocks by service. Raises NoClocks."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.library = folder, folder / "clock.so"
        self.names: list[str] = []
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            raise NoClocks("no C compiler")
        done = subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", self.library, SOURCE], capture_output=True)
        if done.returncode:
            raise NoClocks("tests/chaos/clock.c can't be compiled")

    def add(self, name: str) -> dict[str, str]:
        """The environment in which a service has its clock."""
        if name not in self.names:
            self.names.append(name)
            self.set(name, 0)
        return {"LD_PRELOAD": str(self.library), "CHAOS_CLOCK": str(self._file(name))}

    def set(self, name: str, offset_s: int) -> None:
        with self._file(name).open("r+b" if self._file(name).exists() else "wb") as file:
            file.write(struct.pack("=q", offset_s))

    def _file(self, name: str) -> Path:
        return self.folder / f"{name.replace(' ', '-')}.clock"
