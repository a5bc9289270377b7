"""Rust, by rustc alone: `bot.rs` and its modules. The compiler is the system's, or one that rustup has installed."""

import os
from dataclasses import replace
from pathlib import Path

from arena.runner.languages.base import NATIVE, NATIVE_RUN, Build, Language, Toolchain, Tree
from arena.runner.languages.tools import answer_of, system_tool

ENTRY = "bot.rs"
INSIDE = "/rust"
"""Where a compiler that rustup has installed is seen."""
PARTS = ("bin/rustc", "lib/*.so*", f"lib/rustlib/{os.uname().machine}-unknown-linux-gnu/lib")
FLAGS = "--edition 2021 -O -C strip=symbols -C linker=gcc -C target-feature=+crt-static"
SCRIPT = """
mkdir -p "$TMPDIR/rust/bin"
ln -s {rustc} "$TMPDIR/rust/bin/rustc"
ln -s {home}/lib "$TMPDIR/rust/lib"
source="$PWD"
cd "$TMPDIR/rust"
"$PWD/bin/rustc" --sysroot {home} {flags} -o "$TMPDIR/artefact" "$source/{entry}"
"""
"""The detour is for compilers of some years ago, as Debian's: where there is no /proc, they look for themselves by
their own link, and for their libraries from where they are run."""
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
    """Return the compiler of this machine, if there is one."""
    system = system_tool("rustc")
    home = system and answer_of(system, "--print", "sysroot")
    if system and home:
        return _toolchain(system, system, home)
    for top in rustup_toolchains():
        tree = Tree(str(top), INSIDE, PARTS)
        libraries = {"LD_LIBRARY_PATH": f"{INSIDE}/lib"}
        found = _toolchain(str(top / "bin/rustc"), f"{INSIDE}/bin/rustc", INSIDE)
        if found and found.build:
            return replace(found, build=replace(found.build, environment=libraries, trees=(tree,)))
    return None


def rustup_toolchains() -> list[Path]:
    """List rustup's toolchains, stable ones first, by their real paths: `~/.cargo/bin/rustc` is a shim."""
    rooms = [Path(os.path.realpath(room)) for room in (Path.home() / ".rustup", "/usr/local/rustup")]
    found = [rustc.parents[1] for room in rooms for rustc in sorted(room.glob("toolchains/*/bin/rustc"))]
    return sorted(found, key=lambda top: not top.name.startswith("stable"))


def _toolchain(here: str, inside: str, home: str) -> Toolchain | None:
    """By a compiler's path on this machine, its path in a sandbox, and the folder of its libraries there."""
    version = answer_of(here, "--version")
    if not version or not system_tool("gcc"):
        return None
    script = SCRIPT.format(rustc=inside, home=home, flags=FLAGS, entry=ENTRY)
    return Toolchain(version.split()[1], NATIVE_RUN, Build(script, NATIVE))


RUST = Language(
    key="rust",
    title="Rust",
    entry=ENTRY,
    canary={ENTRY: CANARY},
    find=find,
    advice="rustc and a linker: apt install rustc gcc",
    artefact=NATIVE,
)
