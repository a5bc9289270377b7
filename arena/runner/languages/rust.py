"""Build programs in Rust with rustc, without Cargo. The compiler is the system's, or one installed by rustup."""

import os
from dataclasses import replace
from pathlib import Path

from arena.runner.languages.base import EXECUTABLE_NAME, NATIVE_RUN, Build, Language, Toolchain, Tree
from arena.runner.languages.tools import find_system_tool, read_output
from engine.message import gettext_noop, message

ENTRY = "bot.rs"
INSIDE_FOLDER = "/rust"
"""Folder in which a build sees a compiler that rustup has installed."""
TOOLCHAIN_PARTS = ("bin/rustc", "lib/*.so*", f"lib/rustlib/{os.uname().machine}-unknown-linux-gnu/lib")
RUSTC_FLAGS = "--edition 2021 -O -C strip=symbols -C linker=gcc -C target-feature=+crt-static"
BUILD_SCRIPT = """
mkdir -p "$TMPDIR/rust/bin"
ln -s {rustc} "$TMPDIR/rust/bin/rustc"
ln -s {home}/lib "$TMPDIR/rust/lib"
source="$PWD"
cd "$TMPDIR/rust"
"$PWD/bin/rustc" --sysroot {home} {flags} -o "$TMPDIR/artefact" "$source/{entry}"
"""
"""The links are for older compilers, which without /proc find their libraries by the path they are run from."""
CANARY_SOURCE = b"""\
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
    system = find_system_tool("rustc")
    home = system and read_output(system, "--print", "sysroot")
    if system and home:
        return _describe_toolchain(system, system, home)
    for top in list_rustup_toolchains():
        tree = Tree(str(top), INSIDE_FOLDER, TOOLCHAIN_PARTS)
        libraries = {"LD_LIBRARY_PATH": f"{INSIDE_FOLDER}/lib"}
        found = _describe_toolchain(str(top / "bin/rustc"), f"{INSIDE_FOLDER}/bin/rustc", INSIDE_FOLDER)
        if found and found.build:
            return replace(found, build=replace(found.build, environment=libraries, trees=(tree,)))
    return None


def list_rustup_toolchains() -> list[Path]:
    """List rustup's toolchains, stable ones first, by their real paths: `~/.cargo/bin/rustc` is a shim."""
    homes = [Path(os.path.realpath(home)) for home in (Path.home() / ".rustup", "/usr/local/rustup")]
    found = [rustc.parents[1] for home in homes for rustc in sorted(home.glob("toolchains/*/bin/rustc"))]
    return sorted(found, key=lambda top: not top.name.startswith("stable"))


def _describe_toolchain(here: str, inside: str, home: str) -> Toolchain | None:
    """Return a toolchain, given the compiler's path on this machine, its path in a sandbox and its sysroot there."""
    version = read_output(here, "--version")
    if not version or not find_system_tool("gcc"):
        return None
    script = BUILD_SCRIPT.format(rustc=inside, home=home, flags=RUSTC_FLAGS, entry=ENTRY)
    return Toolchain(version.split()[1], NATIVE_RUN, Build(script, EXECUTABLE_NAME))


RUST = Language(
    key="rust",
    title="Rust",
    entry=ENTRY,
    canary={ENTRY: CANARY_SOURCE},
    find=find,
    advice=message(gettext_noop("rustc and a linker: apt install rustc gcc")),
    artefact=EXECUTABLE_NAME,
)
