"""Go: one package with what lies below it, without modules of others."""

import os
from pathlib import Path

from arena.runner.languages.base import NATIVE, NATIVE_RUN, Build, Language, Toolchain, Tree
from arena.runner.languages.tools import SHOWN, system_tool

ENTRY = "bot.go"
OFFICIAL = "/usr/local/go/bin/go"
"""Where Go's own archive goes, if one follows its page."""
SCRIPT = """
cp -R . "$TMPDIR/source"
chmod -R u+w "$TMPDIR/source"
cd "$TMPDIR/source"
[ -f go.mod ] || echo "module bot" > go.mod
export GOPATH="$TMPDIR/path" GOCACHE="$TMPDIR/cache" HOME="$TMPDIR"
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
    go = system_tool("go") or OFFICIAL
    root = Path(go).parents[1]
    try:
        version = (root / "VERSION").read_text().split()[0].removeprefix("go")
    except (OSError, IndexError):
        return None
    build = Build(SCRIPT.format(go=go), NATIVE, ENVIRONMENT, tuple(_trees(root)))
    return Toolchain(version, NATIVE_RUN, build)


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
