"""Rust, by rustc alone: `bot.rs` and its modules. The compiler is the system's, or one that rustup has installed."""

import os
from pathlib import Path

from arena.runner.languages.base import NATIVE, NATIVE_RUN, Build, Language, Toolchain, Tree
from arena.runner.languages.tools import answer_of, system_tool

ENTRY = "bot.rs"
INSIDE = "/rust"
"""Where a compiler that rustup has installed is seen."""
PARTS = ("bin/rustc", "lib/*.so*", f"lib/rustlib/{os.uname().machine}-unknown-linux-gnu/lib")
FLAGS = "--edition 2021 -O -C strip=symbols -C linker=gcc -C target-feature=+crt-static"
CANARY = b"""\
use std::io;

fn main() {
    for line in io::stdin().lines() {
        line.unwrap();
        println!("{}", r#"{"type":"ready"}"#);
    }
}
"""


def find() -> Toolchain | None:
    system = system_tool("rustc")
    if system:
        return _toolchain(system, "", ())
    for top in rustup_toolchains():
        found = _toolchain(str(top / "bin/rustc"), INSIDE, (Tree(str(top), INSIDE, PARTS),))
        if found:
            return found
    return None


def rustup_toolchains() -> list[Path]:
    """The stable ones first. Their real places: `~/.cargo/bin/rustc` is a shim."""
    rooms = [Path(os.path.realpath(room)) for room in (Path.home() / ".rustup", "/usr/local/rustup")]
    found = [rustc.parents[1] for room in rooms for rustc in sorted(room.glob("toolchains/*/bin/rustc"))]
    return sorted(found, key=lambda top: not top.name.startswith("stable"))


def _toolchain(rustc: str, inside: str, trees: tuple[Tree, ...]) -> Toolchain | None:
    version = answer_of(rustc, "--version")
    if not version or not system_tool("gcc"):
        return None
    compiler = f"{inside}/bin/rustc --sysroot {inside}" if inside else rustc
    libraries = {"LD_LIBRARY_PATH": f"{inside}/lib"} if inside else {}
    script = f'{compiler} {FLAGS} -o "$TMPDIR/artefact" {ENTRY}'
    return Toolchain(version.split()[1], NATIVE_RUN, Build(script, NATIVE, libraries, trees))


RUST = Language(
    key="rust",
    title="Rust",
    entry=ENTRY,
    canary={ENTRY: CANARY},
    find=find,
    advice="rustc and a linker: apt install rustc gcc",
    artefact=NATIVE,
)
