"""Go: one package with what lies below it, without modules of others."""

import os
import subprocess
from functools import partial
from pathlib import Path

from arena.runner.languages.base import NATIVE, NATIVE_RUN, Build, Language, Toolchain, Tree
from arena.runner.languages.tools import SHOWN, SYSTEM_PATH, system_tool

ENTRY = "bot.go"
OFFICIAL = "/usr/local/go/bin/go"
"""Where Go's own archive goes, if one follows its page."""
CACHE = "/go-cache"
"""Where the compiled standard library is seen. Since 1.20 Go brings it as source only, which takes longer to compile
than a bot may take to build."""
LIBRARY = """
    bufio bytes container/heap container/list context embed encoding/binary encoding/json errors flag fmt hash/fnv io
    log math/bits math/cmplx math/rand os regexp runtime/debug sort strconv strings sync sync/atomic text/tabwriter time
    unicode/utf8
""".split()
"""What bots import, more or less. They may import the rest too, which is compiled for each then."""
SCRIPT = """
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
CANARY = b"""\
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
    """Return the tools of this machine, if they are there."""
    go = system_tool("go") or OFFICIAL
    root = Path(go).parents[1]
    try:
        version = (root / "VERSION").read_text().split()[0].removeprefix("go")
    except (OSError, IndexError):
        return None
    cache = Tree(str(root / "VERSION"), CACHE, make=partial(compile_library, go))
    environment = ENVIRONMENT | {"GOROOT": str(root), "XDG_CONFIG_HOME": CACHE}
    build = Build(SCRIPT.format(go=go, cache=CACHE), NATIVE, environment, (*_trees(root), cache))
    return Toolchain(version, NATIVE_RUN, build)


def compile_library(go: str, folder: Path) -> None:
    """Compile Go's standard library into a folder, as a build finds it in the cache.

    Packages this Go can't compile are compiled with each bot. Raises OSError.
    """
    settings = folder / "go" / "telemetry"
    settings.mkdir(parents=True)
    (settings / "mode").write_text("off")
    (folder / "compiled").mkdir()
    rooms = {"GOCACHE": str(folder / "compiled"), "GOPATH": str(folder / "path"), "XDG_CONFIG_HOME": str(folder)}
    environment = {"PATH": SYSTEM_PATH, "GOROOT": str(Path(go).parents[1]), **ENVIRONMENT, **rooms}
    subprocess.run([go, "build", *LIBRARY], cwd="/", env=environment, capture_output=True, check=False)


def _trees(root: Path) -> list[Tree]:
    """Go itself, where that isn't shown anyway, and the folders Debian keeps apart and links to."""
    trees = [] if str(root).startswith(SHOWN) else [str(root)]
    for name in ("src", "pkg/include"):
        real = os.path.realpath(root / name)
        if not real.startswith((str(root), *SHOWN)):
            trees.append(real)
    return [Tree(path, path) for path in trees]


GO = Language(
    key="go",
    title="Go",
    entry=ENTRY,
    canary={ENTRY: CANARY},
    find=find,
    advice="Go: apt install golang-go",
    artefact=NATIVE,
)
