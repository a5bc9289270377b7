"""Java: all `.java` files of a program and what else is there, in one jar."""

import os
from pathlib import Path

from arena.runner.languages.base import BOT, Build, Language, Run, Toolchain, Tree
from arena.runner.languages.tools import system_tool

ENTRY = "Bot.java"
ARTEFACT = "bot.jar"
RELEASE = 17
"""What is compiled for, whatever is here: another worker may have an older one."""
OPTIONS = (
    "-Xms16m",
    "-Xmx{memory_mb}m",
    "-Xss1m",
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:+DisplayVMOutputToStderr",
)
SPARE_MB = 192
"""What the machine keeps beside the heap: classes, compiled code, its own threads."""
SMALL = "-J-Xmx256m -J-XX:+UseSerialGC -J-XX:-UsePerfData -J-XX:TieredStopAtLevel=1"
SCRIPT = """
find . -name '*.java' -exec {javac} {small} --release {release} -encoding UTF-8 -d "$TMPDIR/classes" {{}} +
{jar} {small} --create --file "$TMPDIR/artefact" --main-class Bot -C "$TMPDIR/classes" . -C . .
"""
CANARY = b"""\
import java.util.Scanner;

public class Bot {
    public static void main(String[] arguments) {
        for (Scanner in = new Scanner(System.in); in.hasNextLine(); in.nextLine()) {
            System.out.println("{\\"type\\":\\"ready\\"}");
        }
    }
}
"""


def find() -> Toolchain | None:
    """Return the JDK of this machine, if there is one that is new enough."""
    javac = system_tool("javac")
    if javac is None:
        return None
    home = Path(javac).parents[1]
    version = _release(home)
    if version is None or int(version.split(".")[0]) < RELEASE:
        return None
    trees = tuple(_settings(home))
    libraries = {"LD_LIBRARY_PATH": str(home / "lib")}
    run = Run(
        (str(home / "bin/java"), *OPTIONS, "-jar", f"{BOT}/{ARTEFACT}"),
        libraries,
        trees,
        address_space=False,
        spare_mb=SPARE_MB,
    )
    script = SCRIPT.format(javac=javac, jar=home / "bin/jar", small=SMALL, release=RELEASE)
    return Toolchain(version, run, Build(script, ARTEFACT, libraries, trees))


def _release(home: Path) -> str | None:
    """Return the version that a JDK says it is, in the file beside its folders."""
    try:
        lines = (home / "release").read_text().splitlines()
    except OSError:
        return None
    values = dict(line.split("=", 1) for line in lines if "=" in line)
    return values["JAVA_VERSION"].strip('"') if "JAVA_VERSION" in values else None


def _settings(home: Path) -> list[Tree]:
    """Debian keeps the settings of a JDK below /etc, and links to them."""
    linked = (os.path.realpath(path) for path in (home / "lib").glob("jvm.cfg"))
    return [Tree(folder, folder) for folder in map(os.path.dirname, linked) if folder.startswith("/etc/")]


JAVA = Language(
    key="java",
    title="Java",
    entry=ENTRY,
    canary={ENTRY: CANARY},
    find=find,
    advice=f"a JDK, {RELEASE} or later: apt install default-jdk-headless",
    artefact=ARTEFACT,
)
