"""The languages of bots: how programs in each are recognised, built and run. LANGUAGES is their table."""

import os
import platform
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from engine.message import Message, MessageError, gettext_noop, literal, message
from engine.packages import VARIABLE
from engine.registry import PACKAGES

# Define how programs in a language are recognised, built and run.

BOT = "/bot"
"""Folder of the bot's files, as a bot sees it."""
KIT = "/kit"
"""Folder of the kit and the engine, as a bot sees it."""


class BadProgramError(MessageError, ValueError):
    """The files can't be a bot. The message says what is wrong with them."""

    def __init__(self, reason: Message | str) -> None:
        super().__init__(reason if isinstance(reason, Message) else literal(reason))


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder of this machine that programs of a language may read, beyond /usr/bin and /usr/lib*."""

    host: str
    inside: str
    """Path at which a bot sees it."""
    parts: tuple[str, ...] = ("*",)
    """Parts that are needed, as globs from its top, if it must be copied to be readable by all users."""
    make: Callable[[Path], None] | None = None
    """Function that fills a new folder, once for each state of `host`, which is a file then."""


@dataclass(frozen=True, slots=True)
class Run:
    """The command and environment that run a program. All paths are those that a bot sees."""

    argv: tuple[str, ...]
    """Command, in which `{memory_mb}` stands for the memory limit of the match."""
    environment: Mapping[str, str] = field(default_factory=dict)
    trees: tuple[Tree, ...] = ()
    system: tuple[Tree, ...] = ()
    """Parts of /usr that a program needs, beside the libraries with which they are linked."""
    reserved_mb: int = 256
    """Address space that libraries and the runtime may reserve in addition to the memory of a bot."""
    spare_mb: int = 0
    """Memory of the runtime, in addition to the memory limit of a match."""
    set_aside_mb: int = 0
    """Writable memory that libraries set aside and hardly touch, in addition: what a bot holds is bounded by itself."""
    max_pipes: int = 0
    """Number of pipes that a program may make; 0 where its runtime works without."""
    packages: Tree | None = None
    """Packages that an operator has installed for bots in this language; None if there are none."""

    @property
    def all_trees(self) -> tuple[Tree, ...]:
        """Return all folders that the program may read, the packages last."""
        return self.trees if self.packages is None else (*self.trees, self.packages)


@dataclass(frozen=True, slots=True)
class Build:
    """The script and environment that build a program from its source."""

    script: str
    """Script for `/bin/sh -e` in the read-only folder of the sources, /bot. It writes one file, $TMPDIR/artefact."""
    artefact: str
    """Path below /bot of that file when the program is run, which then has no other file."""
    environment: Mapping[str, str] = field(default_factory=dict)
    trees: tuple[Tree, ...] = ()


EXECUTABLE_NAME = "bot"
"""Name of a program in machine code."""
NATIVE_LIBRARIES = Tree("/usr", "/usr", tuple(f"lib/*/lib{name}.so*" for name in ("stdc++", "gcc_s", "m", "pthread")))
"""Libraries of executables that are not static."""
NATIVE_RUN = Run((f"{BOT}/{EXECUTABLE_NAME}",), system=(NATIVE_LIBRARIES,), reserved_mb=1024)
"""Go reserves some 700 MiB, and the C library 64 MiB for each of several threads that allocate memory."""


@dataclass(frozen=True, slots=True)
class BotPackage:
    """One package that an operator has installed for bots."""

    name: str
    """Its name in lower case and with hyphens."""
    version: str
    imports: tuple[str, ...]
    """Names at its top that are imported."""


@dataclass(frozen=True, slots=True)
class PackageMemory:
    """Memory that a package takes in a bot that has imported it, in MiB."""

    held_mb: int
    """Memory that is written to."""
    set_aside_mb: int
    """Writable memory beyond it, which may never be touched."""


@dataclass(frozen=True, slots=True)
class PackageSet:
    """The packages that bots in Python can use here."""

    hash: str
    """The first characters of the SHA-256 of its files."""
    python: str
    """Version and processor of the Python that it was installed for, such as "3.11 x86_64"."""
    size: int
    """Bytes of all files."""
    installed_at: int
    """Seconds since 1970."""
    packages: tuple[BotPackage, ...]
    folder: Path = Path()
    """Folder of its files on this machine."""

    @property
    def versions(self) -> dict[str, str]:
        """Return the version of each package, by its name."""
        return {package.name: package.version for package in self.packages}

    def as_json(self) -> dict[str, Any]:
        """Return what other machines are told of it."""
        told = asdict(self)
        del told["folder"]
        return told


@dataclass(frozen=True, slots=True)
class Toolchain:
    """The tools of a language on this machine."""

    version: str
    """Version for people, such as "3.11.2"."""
    run: Run
    build: Build | None = None
    """None if the source itself is run."""
    packages: PackageSet | None = None
    """The set of packages of `run.packages`; None if there are none."""
    packages_memory: Mapping[str, "PackageMemory"] = field(default_factory=dict)
    """Memory of each package once imported. It doesn't count against the limit of a bot that names the package."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language bots may be written in."""

    key: str
    title: str
    entry: str
    """File at the top of a program that identifies its language."""
    canary: Mapping[str, bytes]
    """Files of a program that answers each line with `{"type":"ready"}`, to test the language."""
    find: Callable[[], Toolchain | None]
    """Function that returns the tools on this machine; None if the language is missing."""
    advice: Message
    """What to install if the language is missing."""
    artefact: str | None = None
    """Name of the built file; None if the source itself is run."""

    @property
    def is_built(self) -> bool:
        """Return whether a source must be built before it is run."""
        return self.artefact is not None


def find_on_host(path: str, trees: Iterable[Tree]) -> str:
    """Return the path on this machine of what a bot sees at `path`."""
    for tree in trees:
        if path == tree.inside or path.startswith(f"{tree.inside}/"):
            return tree.host + path.removeprefix(tree.inside)
    return path


# Find the tools of languages on this machine.

SYSTEM_PATH = "/usr/bin:/bin"
VISIBLE_FOLDERS = ("/usr/bin/", "/usr/lib")
"""Folders of this machine that all sandboxes show."""
OUTPUT_TIMEOUT_S = 20.0


def find_system_tool(name: str) -> str | None:
    """Return the real path of an installed program that sandboxes show; None for a shim."""
    found = shutil.which(name, path=SYSTEM_PATH)
    real = os.path.realpath(found) if found else ""
    return real if real.startswith(VISIBLE_FOLDERS) else None


def read_output(*argv: str) -> str | None:
    """Return what a tool prints about itself; None if it fails."""
    try:
        done = subprocess.run(
            argv, env={"PATH": SYSTEM_PATH}, capture_output=True, timeout=OUTPUT_TIMEOUT_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode(errors="replace").strip()


# Run programs in Python with the system's interpreter, or a copy of the one that runs the arena.

PYTHON_ENTRY = "bot.py"
MIN_PYTHON_VERSION = (3, 11)
PYTHON_FOLDER = "/python"
"""Folder in which a bot sees an interpreter from outside /usr/bin."""
INTERPRETER_OPTIONS = ("-s", "-S", "-B", "-X", "utf8")
PYTHON_ENVIRONMENT = {
    "PYTHONPATH": KIT,
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
if PACKAGES:
    PYTHON_ENVIRONMENT[VARIABLE] = ",".join(package.name for package in PACKAGES.values())
WHEEL_LIBRARIES = Tree(
    "/usr",
    "/usr",
    tuple(f"lib/*/lib{name}.so*" for name in ("stdc++", "gcc_s", "m", "pthread", "dl", "rt", "util")),
)
"""Libraries of the system that extension modules in wheels may be linked with, as PEP 600 lists them."""
PYTHON_CANARY = b"""\
import sys

for line in sys.stdin:
    print('{"type":"ready"}', flush=True)
"""


def list_pythons() -> Iterator[Toolchain]:
    """Yield the usable interpreters, the best first. Shims and virtual environments are left out."""
    system = find_system_tool("python3")
    version = system and read_output(system, "-I", "-S", "-c", "import platform; print(platform.python_version())")
    if system and version and _is_new_enough(version):
        library = f"lib/python{'.'.join(version.split('.')[:2])}"
        parts = Tree("/usr", "/usr", (os.path.relpath(system, "/usr"), library))
        yield Toolchain(
            version,
            Run(
                (system, *INTERPRETER_OPTIONS, f"{BOT}/{PYTHON_ENTRY}"),
                PYTHON_ENVIRONMENT,
                system=(parts, WHEEL_LIBRARIES),
            ),
        )
    own = Path(os.path.realpath(sys.base_prefix))
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    if own != Path("/usr") and (own / "bin" / name).is_file():
        tree = Tree(str(own), PYTHON_FOLDER, (f"bin/{name}", f"lib/{name}", "lib/libpython*.so*"))
        environment = PYTHON_ENVIRONMENT | {"LD_LIBRARY_PATH": f"{PYTHON_FOLDER}/lib"}
        run = Run(
            (f"{PYTHON_FOLDER}/bin/{name}", *INTERPRETER_OPTIONS, f"{BOT}/{PYTHON_ENTRY}"),
            environment,
            (tree,),
            (WHEEL_LIBRARIES,),
        )
        yield Toolchain(".".join(map(str, sys.version_info[:3])), run)


def find_python() -> Toolchain | None:
    """Return the best interpreter of this machine."""
    return next(list_pythons(), None)


def _is_new_enough(version: str) -> bool:
    return tuple(int(part) for part in version.split(".")[:2]) >= MIN_PYTHON_VERSION


PYTHON = Language(
    key="python",
    title="Python",
    entry=PYTHON_ENTRY,
    canary={PYTHON_ENTRY: PYTHON_CANARY},
    find=find_python,
    advice=message(
        gettext_noop("Python %(version)s or later: apt install python3"), version=".".join(map(str, MIN_PYTHON_VERSION))
    ),
)


# Run programs in JavaScript with Node, whose own option limits the heap, since it reserves much address space.

JAVASCRIPT_ENTRY = "bot.js"
NODE_OVERHEAD_MB = 128
"""Memory of Node beside the heap."""
DEBIAN_MODULES = "share/nodejs"
"""Folder from which Debian's Node loads some of its own modules."""
NODE_RESERVED_MB = 32 * 1024
"""Node reserves some 10 GiB for each memory of WebAssembly."""
NODE_MAX_PIPES = 20
"""Node makes four at its start, without which it ends itself, and one for each worker thread."""
JAVASCRIPT_CANARY = b"""\
require("readline").createInterface({ input: process.stdin }).on("line", () => console.log('{"type":"ready"}'));
"""


def find_node() -> Toolchain | None:
    """Return the Node.js of this machine, if there is one."""
    node = find_system_tool("node")
    version = node and read_output(node, "--version")
    if not node or not version:
        return None
    argv = (node, "--max-old-space-size={memory_mb}", f"{BOT}/{JAVASCRIPT_ENTRY}")
    parts = Tree("/usr", "/usr", (os.path.relpath(node, "/usr"), DEBIAN_MODULES))
    run = Run(argv, system=(parts,), reserved_mb=NODE_RESERVED_MB, spare_mb=NODE_OVERHEAD_MB, max_pipes=NODE_MAX_PIPES)
    return Toolchain(version.removeprefix("v"), run)


JAVASCRIPT = Language(
    key="javascript",
    title="JavaScript",
    entry=JAVASCRIPT_ENTRY,
    canary={JAVASCRIPT_ENTRY: JAVASCRIPT_CANARY},
    find=find_node,
    advice=message(gettext_noop("Node: apt install nodejs")),
)


# Find the GNU compilers for C and C++.

HEADERS = Tree("/usr/include", "/usr/include")
GNU_BUILD_SCRIPT = """
if find . -name '*.gch' | grep .; then
    echo "Precompiled headers are not accepted: leave them out, and the compiler reads the headers themselves."
    exit 1
fi
find . -name '{sources}' -exec sh -c '{compiler} {flags} -o "$TMPDIR/artefact" "$@" -lm' sh {{}} +
"""
"""A precompiled header is an image of the compiler's memory, which could hold anything."""


def find_gnu(name: str, standard: str, sources: str) -> Toolchain | None:
    """Return a GNU compiler, if it is installed."""
    compiler = find_system_tool(name)
    version = compiler and read_output(compiler, "-dumpfullversion")
    if not compiler or not version:
        return None
    flags = f"{standard} -O2 -Wall -pthread -static -s"
    script = GNU_BUILD_SCRIPT.format(sources=sources, compiler=compiler, flags=flags)
    return Toolchain(version, NATIVE_RUN, Build(script, EXECUTABLE_NAME, trees=(HEADERS,)))


# Build programs in C with gcc: all `.c` files of a program, linked statically.

C_CANARY = b"""\
#include <stdio.h>

int main(void) {
    int seen;
    while ((seen = getchar()) != EOF) {
        if (seen == '\\n') {
            puts("{\\"type\\":\\"ready\\"}");
            fflush(stdout);
        }
    }
    return 0;
}
"""


def find_c_compiler() -> Toolchain | None:
    """Return the compiler of this machine, if there is one."""
    return find_gnu("gcc", "-std=c17", "*.c")


C = Language(
    key="c",
    title="C",
    entry="bot.c",
    canary={"bot.c": C_CANARY},
    find=find_c_compiler,
    advice=message(gettext_noop("gcc: apt install gcc libc6-dev")),
    artefact="bot",
)


# Build programs in C++ with g++: all `.cpp` files of a program, linked statically.

CPP_CANARY = b"""\
#include <iostream>
#include <string>

int main() {
    for (std::string line; std::getline(std::cin, line);) std::cout << R"({"type":"ready"})" << std::endl;
}
"""


def find_cpp_compiler() -> Toolchain | None:
    """Return the compiler of this machine, if there is one."""
    return find_gnu("g++", "-std=c++20", "*.cpp")


CPP = Language(
    key="cpp",
    title="C++",
    entry="bot.cpp",
    canary={"bot.cpp": CPP_CANARY},
    find=find_cpp_compiler,
    advice=message(gettext_noop("g++: apt install g++")),
    artefact="bot",
)


# Build programs in Rust with rustc, without Cargo. The compiler is the system's, or one installed by rustup.

RUST_ENTRY = "bot.rs"
RUST_FOLDER = "/rust"
"""Folder in which a build sees a compiler that rustup has installed."""
RUST_TOOLCHAIN_PARTS = ("bin/rustc", "lib/*.so*", f"lib/rustlib/{platform.machine()}-unknown-linux-gnu/lib")
RUSTC_FLAGS = (
    "--edition 2021 -O -C codegen-units=1 -C strip=symbols -C linker=gcc -C link-arg=-fno-lto"
    " -C target-feature=+crt-static"
)
"""An attribute can link any file of an upload, but not one that the linker would hand to gcc's optimiser.

A crate in one piece takes less processor time, which a build has little of, than the 16 that are compiled at once.
"""
UNSTABLE_MARKS = ("-nightly", "-dev")
"""Marks of compilers that take features of which some run programs, such as options of the linker."""
RUST_BUILD_SCRIPT = """
mkdir -p "$TMPDIR/rust/bin"
ln -s {rustc} "$TMPDIR/rust/bin/rustc"
ln -s {home}/lib "$TMPDIR/rust/lib"
source="$PWD"
cd "$TMPDIR/rust"
"$PWD/bin/rustc" --sysroot {home} {flags} -o "$TMPDIR/artefact" "$source/{entry}"
"""
"""The links are for older compilers, which without /proc find their libraries by the path they are run from."""
RUST_CANARY = b"""\
use std::io;

fn main() {
    for line in io::stdin().lines() {
        line.unwrap();
        println!("{}", r#"{"type":"ready"}"#);
    }
}
"""


def find_rust() -> Toolchain | None:
    """Return the compiler of this machine, if there is one."""
    system = find_system_tool("rustc")
    home = system and read_output(system, "--print", "sysroot")
    if system and home:
        return _describe_rust_toolchain(system, system, home)
    for top in list_rustup_toolchains():
        tree = Tree(str(top), RUST_FOLDER, RUST_TOOLCHAIN_PARTS)
        libraries = {"LD_LIBRARY_PATH": f"{RUST_FOLDER}/lib"}
        found = _describe_rust_toolchain(str(top / "bin/rustc"), f"{RUST_FOLDER}/bin/rustc", RUST_FOLDER)
        if found and found.build:
            return replace(found, build=replace(found.build, environment=libraries, trees=(tree,)))
    return None


def list_rustup_toolchains() -> list[Path]:
    """List rustup's toolchains, stable ones first, by their real paths: `~/.cargo/bin/rustc` is a shim."""
    homes = [Path(os.path.realpath(home)) for home in (Path.home() / ".rustup", "/usr/local/rustup")]
    found = [rustc.parents[1] for home in homes for rustc in sorted(home.glob("toolchains/*/bin/rustc"))]
    return sorted(found, key=lambda top: not top.name.startswith("stable"))


def _describe_rust_toolchain(here: str, inside: str, home: str) -> Toolchain | None:
    """Return a toolchain, given the compiler's path on this machine, its path in a sandbox and its sysroot there."""
    version = read_output(here, "--version")
    if not version or any(mark in version for mark in UNSTABLE_MARKS) or not find_system_tool("gcc"):
        return None
    script = RUST_BUILD_SCRIPT.format(rustc=inside, home=home, flags=RUSTC_FLAGS, entry=RUST_ENTRY)
    return Toolchain(version.split()[1], NATIVE_RUN, Build(script, EXECUTABLE_NAME))


RUST = Language(
    key="rust",
    title="Rust",
    entry=RUST_ENTRY,
    canary={RUST_ENTRY: RUST_CANARY},
    find=find_rust,
    advice=message(gettext_noop("rustc and a linker: apt install rustc gcc")),
    artefact=EXECUTABLE_NAME,
)


# Build programs in Go: one package with its subpackages, without modules of others.

GO_ENTRY = "bot.go"
OFFICIAL_GO_PATH = "/usr/local/go/bin/go"
"""Path of an installation by Go's own instructions."""
GO_CACHE_FOLDER = "/go-cache"
"""Path at which a build sees the compiled standard library. Since 1.20 Go installs only its source, which takes longer
to compile than a build may take."""
PRECOMPILED_GO_PACKAGES = """
    bufio bytes container/heap container/list context embed encoding/binary encoding/json errors flag fmt hash/fnv io
    log math/bits math/cmplx math/rand os regexp runtime/debug sort strconv strings sync sync/atomic text/tabwriter time
    unicode/utf8
""".split()
"""Packages that bots are likely to import. Others are compiled with each bot."""
GO_BUILD_SCRIPT = """
cp -R . "$TMPDIR/source"
chmod -R u+w "$TMPDIR/source"
cp -R -s {cache}/compiled "$TMPDIR/cache"
cd "$TMPDIR/source"
[ -f go.mod ] || echo "module bot" > go.mod
export GOPATH="$TMPDIR/path" GOCACHE="$TMPDIR/cache"
{go} build -ldflags "-s -w -linkmode=internal -libgcc=none -extld=/bin/false" -o "$TMPDIR/artefact" .
"""
"""Before 1.20.9 and 1.21.2 a source could give options to the linker of C (CVE-2023-39323), so that is never started.

An object file of the upload asks for it; Go's own linker takes none of these options.
"""
GO_ENVIRONMENT = {
    "CGO_ENABLED": "0",
    "GOENV": "off",
    "GOFLAGS": "-mod=mod -buildvcs=false -p=2",
    "GOPROXY": "off",
    "GOTOOLCHAIN": "local",
    "GOWORK": "off",
}
GO_CANARY = b"""\
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Println(`{"type":"ready"}`)
	}
}
"""


def find_go() -> Toolchain | None:
    """Return the Go tools of this machine, if they are installed."""
    go = find_system_tool("go") or OFFICIAL_GO_PATH
    root = Path(go).parents[1]
    try:
        version = (root / "VERSION").read_text().split()[0].removeprefix("go")
    except (OSError, IndexError):
        return None
    cache = Tree(str(root / "VERSION"), GO_CACHE_FOLDER, make=partial(compile_go_library, go))
    environment = GO_ENVIRONMENT | {"GOROOT": str(root), "XDG_CONFIG_HOME": GO_CACHE_FOLDER}
    script = GO_BUILD_SCRIPT.format(go=go, cache=GO_CACHE_FOLDER)
    build = Build(script, EXECUTABLE_NAME, environment, (*_list_go_trees(root), cache))
    return Toolchain(version, replace(NATIVE_RUN, max_pipes=1), build)  # before 1.21 a timer needs a pipe


def compile_go_library(go: str, folder: Path) -> None:
    """Compile Go's standard library into a folder, as a build finds it in the cache.

    Packages this Go can't compile are compiled with each bot. Raises OSError.
    """
    settings = folder / "go" / "telemetry"
    settings.mkdir(parents=True)
    (settings / "mode").write_text("off")
    (folder / "compiled").mkdir()
    caches = {"GOCACHE": str(folder / "compiled"), "GOPATH": str(folder / "path"), "XDG_CONFIG_HOME": str(folder)}
    environment = {"PATH": SYSTEM_PATH, "GOROOT": str(Path(go).parents[1]), **GO_ENVIRONMENT, **caches}
    subprocess.run([go, "build", *PRECOMPILED_GO_PACKAGES], cwd="/", env=environment, capture_output=True, check=False)


def _list_go_trees(root: Path) -> list[Tree]:
    """Return the folders of Go that bots don't see anyway, and those that Debian links to."""
    trees = [] if str(root).startswith(VISIBLE_FOLDERS) else [str(root)]
    for name in ("src", "pkg/include"):
        real = os.path.realpath(root / name)
        if not real.startswith((str(root), *VISIBLE_FOLDERS)):
            trees.append(real)
    return [Tree(path, path) for path in trees]


GO = Language(
    key="go",
    title="Go",
    entry=GO_ENTRY,
    canary={GO_ENTRY: GO_CANARY},
    find=find_go,
    advice=message(gettext_noop("Go: apt install golang-go")),
    artefact=EXECUTABLE_NAME,
)


# Build programs in Java: all `.java` files and all other files of a program, in one jar.

JAVA_ENTRY = "Bot.java"
JAR_NAME = "bot.jar"
MIN_JAVA_RELEASE = 17
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
JVM_LIBRARIES = "java jli jimage jsig jsvml management management_ext net nio prefs syslookup verify zip extnet".split()
JVM_RUNTIME_PARTS = (
    *("bin/java", "conf", "release", "lib/modules", "lib/server", "lib/security", "lib/jvm.cfg", "lib/tzdb.dat"),
    *(f"lib/lib{name}.so" for name in JVM_LIBRARIES),
)
"""Parts of a JDK with which programs run that have no windows."""
JVM_RESERVED_MB = 4096
"""Address space that the JVM reserves for classes and compiled code."""
SMALL_JVM_FLAGS = "-J-Xmx256m -J-XX:+UseSerialGC -J-XX:-UsePerfData -J-XX:TieredStopAtLevel=1"
JAVA_BUILD_SCRIPT = """
cp -R . "$TMPDIR/source"
chmod -R u+w "$TMPDIR/source"
cd "$TMPDIR/source"
mkdir "$TMPDIR/classes" "$TMPDIR/no-processors"
left_out=$(find . -type f '(' -name '*.class' -o -path './META-INF/services/*' ')')
if [ -n "$left_out" ]; then
    echo "Left out of the build, since only sources are compiled and services aren't looked up:"
    echo "$left_out"
    find . -type f -name '*.class' -exec rm {{}} +
    rm -rf META-INF/services
fi
find . -name '*.java' -exec {javac} {small} --release {release} -encoding UTF-8 -proc:none -d "$TMPDIR/classes" \
    -classpath "$TMPDIR/classes" -processorpath "$TMPDIR/no-processors" {{}} +
{jar} {small} --create --file "$TMPDIR/artefact" --main-class Bot -C "$TMPDIR/classes" . -C . .
"""
"""A program could bring an annotation processor, or a plugin that starts itself, and javac would run it.

The first are switched off. Plugins can't be, so nothing of a program is where javac looks for classes and services.
"""
PUBLIC_CLASS = re.compile(rb"^\s*public\s+(?:final\s+)?class\s+(\w+)", re.MULTILINE)
JAVA_LAUNCHER = b"""\
public class Bot {
    public static void main(String[] arguments) throws Exception {
        %b.main(arguments);
    }
}
"""
"""The entry of a bot whose only class has another name."""
JAVA_CANARY = b"""\
import java.util.Scanner;

public class Bot {
    public static void main(String[] arguments) {
        for (Scanner in = new Scanner(System.in); in.hasNextLine(); in.nextLine()) {
            System.out.println("{\\"type\\":\\"ready\\"}");
        }
    }
}
"""


def find_jdk() -> Toolchain | None:
    """Return the JDK of this machine, if it is new enough."""
    javac = find_system_tool("javac")
    if javac is None:
        return None
    home = Path(javac).parents[1]
    version = _read_jdk_release(home)
    if version is None or int(version.split(".")[0]) < MIN_JAVA_RELEASE:
        return None
    trees = tuple(_list_jdk_settings_folders(home))
    libraries = {"LD_LIBRARY_PATH": str(home / "lib")}
    parts = Tree("/usr", "/usr", tuple(os.path.relpath(home / part, "/usr") for part in JVM_RUNTIME_PARTS))
    run = Run(
        (str(home / "bin/java"), *JVM_OPTIONS, "-jar", f"{BOT}/{JAR_NAME}"),
        libraries,
        trees,
        system=(parts,),
        reserved_mb=JVM_RESERVED_MB,
        spare_mb=JVM_OVERHEAD_MB,
    )
    script = JAVA_BUILD_SCRIPT.format(
        javac=javac, jar=home / "bin/jar", small=SMALL_JVM_FLAGS, release=MIN_JAVA_RELEASE
    )
    return Toolchain(version, run, Build(script, JAR_NAME, libraries, trees))


def _read_jdk_release(home: Path) -> str | None:
    """Return the version in the release file of a JDK."""
    try:
        lines = (home / "release").read_text().splitlines()
    except OSError:
        return None
    values = dict(line.split("=", 1) for line in lines if "=" in line)
    return values["JAVA_VERSION"].strip('"') if "JAVA_VERSION" in values else None


def _list_jdk_settings_folders(home: Path) -> list[Tree]:
    """Return the folders below /etc to which Debian links the settings of a JDK."""
    linked = (os.path.realpath(path) for path in (home / "lib").glob("jvm.cfg"))
    return [Tree(folder, folder) for folder in map(os.path.dirname, linked) if folder.startswith("/etc/")]


JAVA = Language(
    key="java",
    title="Java",
    entry=JAVA_ENTRY,
    canary={JAVA_ENTRY: JAVA_CANARY},
    find=find_jdk,
    advice=message(
        gettext_noop("a JDK, %(release)s or later: apt install default-jdk-headless"), release=str(MIN_JAVA_RELEASE)
    ),
    artefact=JAR_NAME,
)


# Run programs that their authors have compiled: static, or linked with the C or C++ library of the machine alone.

CANARY_OUTPUT = b'{"type":"ready"}\n'
CANARY_CODE_BY_MACHINE = {
    "x86_64": (
        62,
        "31ff4889e6ba0100000031c00f0583f8017520803c240a75e7bf01000000488d3517000000ba11000000b8010000000f05ebcd"
        "31ffb8e70000000f05",
    ),
    "aarch64": (
        183,
        "ff4300d1000080d2e1030091220080d2e80780d2010000d41f0400f141010054e30340397f280071e1feff54200080d2010100"
        "10220280d2080880d2010000d4f1ffff17000080d2c80b80d2010000d4",
    ),
}
"""By machine, its number in an ELF header and code that writes the data after it to stdout for each line on stdin."""
LOAD_ADDRESS = 0x400000
OWN_MACHINE = platform.machine()


def build_executable_canary(machine: str) -> bytes:
    """Return the smallest program for a kind of machine; empty where none is known."""
    if machine not in CANARY_CODE_BY_MACHINE:
        return b""
    number, code = CANARY_CODE_BY_MACHINE[machine]
    body = bytes.fromhex(code) + CANARY_OUTPUT
    start = struct.calcsize("<16sHHIQQQIHHHHHH") + struct.calcsize("<IIQQQQQQ")
    size = start + len(body)
    head = struct.pack(
        "<16sHHIQQQIHHHHHH",
        *(b"\x7fELF\2\1\1", 2, number, 1, LOAD_ADDRESS + start, start - 56, 0, 0, 64, 56, 1, 0, 0, 0),
    )
    readable_code = struct.pack("<IIQQQQQQ", 1, 5, 0, LOAD_ADDRESS, LOAD_ADDRESS, size, size, 0x1000)
    return head + readable_code + body


def find_executable_run() -> Toolchain | None:
    """Return how an executable is run here, where its smallest program is known."""
    return Toolchain(OWN_MACHINE, NATIVE_RUN) if OWN_MACHINE in CANARY_CODE_BY_MACHINE else None


EXECUTABLE = Language(
    key="executable",
    title=gettext_noop("Executable"),
    entry=EXECUTABLE_NAME,
    canary={EXECUTABLE_NAME: build_executable_canary(OWN_MACHINE)},
    find=find_executable_run,
    advice=message(gettext_noop("nothing to install: it works on x86_64 and aarch64")),
)


# The table of all languages.

LANGUAGES: dict[str, Language] = {
    language.key: language for language in (PYTHON, JAVASCRIPT, C, CPP, RUST, GO, JAVA, EXECUTABLE)
}
"""Languages by key, with those of most interest to newcomers first."""
STARTER_LANGUAGES = tuple(key for key in LANGUAGES if key != EXECUTABLE.key)
"""Languages with a bot to begin with, in `bots/starters/<key>`. The first is offered unless another is chosen."""

ELF = b"\x7fELF"
OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
OFFICE_MEMBER = b"[Content_Types].xml"
"""What the zips of Word and Excel begin with."""
MAIN_NAMES = ("bot", "main", "index")
"""What authors call the file that others start, in any case of its letters."""

__all__ = ["LANGUAGES", "STARTER_LANGUAGES", "find_file_language", "find_language", "format_entries"]


def find_language(paths: Iterable[str]) -> Language:
    """Return the language of a source by its entry file. Raises BadProgramError unless there is exactly one."""
    names = set(paths)
    found = [language for language in LANGUAGES.values() if language.entry in names]
    if len(found) == 1:
        return found[0]
    if not found:
        raise BadProgramError(_explain_missing_entry(names))
    both = ", ".join(language.entry for language in found)
    template = gettext_noop("more than one entry file at the top level: %(entries)s; keep one")
    raise BadProgramError(message(template, entries=both))


def _explain_missing_entry(names: Collection[str]) -> Message:
    """Return that there is no entry file, with the way out where it lies deeper or has another name."""
    problem = message(gettext_noop("no %(entries)s at the top level"), entries=format_entries())
    entries = {language.entry for language in LANGUAGES.values()}
    if deeper := sorted((name for name in names if PurePath(name).name in entries), key=lambda name: name.count("/")):
        template = gettext_noop("%(problem)s, but found %(path)s; upload the contents of the folder %(folder)s")
        return message(template, problem=problem, path=repr(deeper[0]), folder=repr(deeper[0].rpartition("/")[0]))
    programs = {name: _find_by_suffix(name) for name in sorted(names) if "/" not in name}
    known = {name: language for name, language in programs.items() if language is not None}
    mains = [name for name in known if PurePath(name).stem.lower() in MAIN_NAMES] or list(known)
    if len(mains) != 1:
        return problem
    language = known[mains[0]]
    if language is JAVA:
        template = gettext_noop("%(problem)s; rename %(file)s to %(entry)s, and its class to Bot")
    else:
        template = gettext_noop("%(problem)s; rename %(file)s to %(entry)s")
    return message(template, problem=problem, file=repr(mains[0]), entry=language.entry)


def name_source(content: bytes, language: Language) -> dict[str, bytes]:
    """Return the files of a bot that is one source file, under the name of its language's entry, whatever its own is.

    A public class of Java keeps its name, which must be that of its file, and is started from the entry.
    """
    public = PUBLIC_CLASS.search(content) if language is JAVA else None
    if public is None or public[1] == b"Bot":
        return {language.entry: content}
    return {f"{public[1].decode()}.java": content, language.entry: JAVA_LAUNCHER % public[1]}


def is_office_document(content: bytes) -> bool:
    """Return whether this is a document of Word or Excel, new or old."""
    return content.startswith(OLD_OFFICE) or (content.startswith(b"PK") and OFFICE_MEMBER in content[:200])


def describe_office_document(name: str) -> Message:
    """Return the way out for an author who has written a program with Word."""
    problem = gettext_noop("%(file)s is an office document. Save your program as plain text, such as bot.py.")
    return message(problem, file=name)


def _find_by_suffix(name: str) -> Language | None:
    suffix = PurePath(name).suffix.lower()
    return next((one for one in LANGUAGES.values() if suffix and PurePath(one.entry).suffix == suffix), None)


def find_file_language(name: str, content: bytes) -> Language:
    """Return the language of a source in one file, by its suffix. Raises BadProgramError."""
    if content.startswith(ELF):
        return EXECUTABLE
    if (language := _find_by_suffix(name)) is not None:
        return language
    if is_office_document(content):
        raise BadProgramError(describe_office_document(repr(PurePath(name).name)))
    raise BadProgramError(f"{PurePath(name).name} is no program that is known here: a bot is one of {format_entries()}")


def format_entries() -> str:
    """Return the names of all entry files, with "or" before the last."""
    *most, last = (language.entry for language in LANGUAGES.values())
    return f"{', '.join(most)} or {last}"
