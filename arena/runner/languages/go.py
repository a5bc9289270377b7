"""Build programs in Go: one package with its subpackages, without modules of others."""

import os
import subprocess
from functools import partial
from pathlib import Path

from arena.runner.languages.base import EXECUTABLE_NAME, NATIVE_RUN, Build, Language, Toolchain, Tree
from arena.runner.languages.tools import SYSTEM_PATH, VISIBLE_FOLDERS, find_system_tool
from engine.message import gettext_noop, message

ENTRY = "bot.go"
OFFICIAL_PATH = "/usr/local/go/bin/go"
"""Path of an installation by Go's own instructions."""
CACHE_FOLDER = "/go-cache"
"""Path at which a build sees the compiled standard library. Since 1.20 Go installs only its source, which takes longer
to compile than a build may take."""
PRECOMPILED_PACKAGES = """
    bufio bytes container/heap container/list context embed encoding/binary encoding/json errors flag fmt hash/fnv io
    log math/bits math/cmplx math/rand os regexp runtime/debug sort strconv strings sync sync/atomic text/tabwriter time
    unicode/utf8
""".split()
"""Packages that bots are likely to import. Others are compiled with each bot."""
BUILD_SCRIPT = """
cp -R . "$TMPDIR/source"
chmod -R u+w "$TMPDIR/source"
cp -R -s {cache}/compiled "$TMPDIR/cache"
cd "$TMPDIR/source"
[ -f go.mod ] || echo "module bot" > go.mod
export GOPATH="$TMPDIR/path" GOCACHE="$TMPDIR/cache"
{go} build -ldflags "-s -w" -o "$TMPDIR/artefact" .
"""
ENVIRONMENT = {
    "CGO_ENABLED": "0",
    "GOFLAGS": "-mod=mod -buildvcs=false -p=2",
    "GOPROXY": "off",
    "GOTOOLCHAIN": "local",
}
CANARY_SOURCE = b"""\
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


def find() -> Toolchain | None:
    """Return the Go tools of this machine, if they are installed."""
    go = find_system_tool("go") or OFFICIAL_PATH
    root = Path(go).parents[1]
    try:
        version = (root / "VERSION").read_text().split()[0].removeprefix("go")
    except (OSError, IndexError):
        return None
    cache = Tree(str(root / "VERSION"), CACHE_FOLDER, make=partial(compile_library, go))
    environment = ENVIRONMENT | {"GOROOT": str(root), "XDG_CONFIG_HOME": CACHE_FOLDER}
    script = BUILD_SCRIPT.format(go=go, cache=CACHE_FOLDER)
    build = Build(script, EXECUTABLE_NAME, environment, (*_list_trees(root), cache))
    return Toolchain(version, NATIVE_RUN, build)


def compile_library(go: str, folder: Path) -> None:
    """Compile Go's standard library into a folder, as a build finds it in the cache.

    Packages this Go can't compile are compiled with each bot. Raises OSError.
    """
    settings = folder / "go" / "telemetry"
    settings.mkdir(parents=True)
    (settings / "mode").write_text("off")
    (folder / "compiled").mkdir()
    caches = {"GOCACHE": str(folder / "compiled"), "GOPATH": str(folder / "path"), "XDG_CONFIG_HOME": str(folder)}
    environment = {"PATH": SYSTEM_PATH, "GOROOT": str(Path(go).parents[1]), **ENVIRONMENT, **caches}
    subprocess.run([go, "build", *PRECOMPILED_PACKAGES], cwd="/", env=environment, capture_output=True, check=False)


def _list_trees(root: Path) -> list[Tree]:
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
    entry=ENTRY,
    canary={ENTRY: CANARY_SOURCE},
    find=find,
    advice=message(gettext_noop("Go: apt install golang-go")),
    artefact=EXECUTABLE_NAME,
)
