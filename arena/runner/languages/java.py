"""Build programs in Java: all `.java` files and all other files of a program, in one jar."""

import os
from pathlib import Path

from arena.runner.languages.base import BOT, Build, Language, Run, Toolchain, Tree
from arena.runner.languages.tools import find_system_tool
from engine.message import gettext_noop, message

ENTRY = "Bot.java"
ARTEFACT = "bot.jar"
MIN_RELEASE = 17
"""Release for which programs are compiled, since other workers may have older versions."""
JVM_OPTIONS = (
    "-Xms16m",
    "-Xmx{memory_mb}m",
    "-Xss1m",
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:+DisplayVMOutputToStderr",
)
JVM_OVERHEAD_MB = 192
"""Memory of the JVM beside the heap: classes, compiled code and threads."""
LIBRARIES = "java jli jimage jsig jsvml management management_ext net nio prefs syslookup verify zip extnet".split()
RUNTIME_PARTS = (
    *("bin/java", "conf", "release", "lib/modules", "lib/server", "lib/security", "lib/jvm.cfg", "lib/tzdb.dat"),
    *(f"lib/lib{name}.so" for name in LIBRARIES),
)
"""Parts of a JDK with which programs run that have no windows."""
RESERVED_MB = 4096
"""Address space that the JVM reserves for classes and compiled code."""
SMALL_JVM_FLAGS = "-J-Xmx256m -J-XX:+UseSerialGC -J-XX:-UsePerfData -J-XX:TieredStopAtLevel=1"
BUILD_SCRIPT = """
find . -name '*.java' -exec {javac} {small} --release {release} -encoding UTF-8 -proc:none -d "$TMPDIR/classes" {{}} +
{jar} {small} --create --file "$TMPDIR/artefact" --main-class Bot -C "$TMPDIR/classes" . -C . .
"""
"""Annotation processors are switched off: a program could bring one, and javac would run it."""
CANARY_SOURCE = b"""\
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
    """Return the JDK of this machine, if it is new enough."""
    javac = find_system_tool("javac")
    if javac is None:
        return None
    home = Path(javac).parents[1]
    version = _read_release(home)
    if version is None or int(version.split(".")[0]) < MIN_RELEASE:
        return None
    trees = tuple(_list_settings_folders(home))
    libraries = {"LD_LIBRARY_PATH": str(home / "lib")}
    parts = Tree("/usr", "/usr", tuple(os.path.relpath(home / part, "/usr") for part in RUNTIME_PARTS))
    run = Run(
        (str(home / "bin/java"), *JVM_OPTIONS, "-jar", f"{BOT}/{ARTEFACT}"),
        libraries,
        trees,
        system=(parts,),
        reserved_mb=RESERVED_MB,
        spare_mb=JVM_OVERHEAD_MB,
    )
    script = BUILD_SCRIPT.format(javac=javac, jar=home / "bin/jar", small=SMALL_JVM_FLAGS, release=MIN_RELEASE)
    return Toolchain(version, run, Build(script, ARTEFACT, libraries, trees))


def _read_release(home: Path) -> str | None:
    """Return the version in the release file of a JDK."""
    try:
        lines = (home / "release").read_text().splitlines()
    except OSError:
        return None
    values = dict(line.split("=", 1) for line in lines if "=" in line)
    return values["JAVA_VERSION"].strip('"') if "JAVA_VERSION" in values else None


def _list_settings_folders(home: Path) -> list[Tree]:
    """Return the folders below /etc to which Debian links the settings of a JDK."""
    linked = (os.path.realpath(path) for path in (home / "lib").glob("jvm.cfg"))
    return [Tree(folder, folder) for folder in map(os.path.dirname, linked) if folder.startswith("/etc/")]


JAVA = Language(
    key="java",
    title="Java",
    entry=ENTRY,
    canary={ENTRY: CANARY_SOURCE},
    find=find,
    advice=message(
        gettext_noop("a JDK, %(release)s or later: apt install default-jdk-headless"), release=str(MIN_RELEASE)
    ),
    artefact=ARTEFACT,
)
