"""While a program is built, nothing of it is executed: not in the compiler, and not beside it."""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from arena.runner.languages.tools import find_system_tool
from arena.runner.program import Program
from arena.runner.sandbox.base import BuildError, Sandbox
from tests.runner.languages.conftest import installed

RAN = "this-came-from-the-upload"
Files = Mapping[str, bytes]


def compile_here(folder: Path, name: str, source: str, *command: str) -> None:
    """Compile a file on this machine, as an attacker would at home."""
    (folder / name).write_text(source)
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def annotation_processor(folder: Path) -> Files:
    compile_here(
        folder,
        "Evil.java",
        f"""
        import java.util.Set;
        import javax.annotation.processing.*;
        import javax.lang.model.element.TypeElement;
        @SupportedAnnotationTypes("*")
        public class Evil extends AbstractProcessor {{
            public boolean process(Set<? extends TypeElement> found, RoundEnvironment round) {{
                System.out.println("{RAN}");
                return false;
            }}
        }}
        """,
        *("javac", "Evil.java"),
    )
    return {
        "Bot.java": b"public class Bot { public static void main(String[] arguments) {} }",
        "Evil.class": (folder / "Evil.class").read_bytes(),
        "META-INF/services/javax.annotation.processing.Processor": b"Evil",
    }


def build_script(_folder: Path) -> Files:
    return {
        "bot.rs": b"fn main() {}",
        "build.rs": f'fn main() {{ println!("cargo:warning={RAN}"); }}'.encode(),
        "Cargo.toml": b'[package]\nname = "bot"\nversion = "1.0.0"\nbuild = "build.rs"',
    }


def procedural_macro(folder: Path) -> Files:
    compile_here(
        folder,
        "evil.rs",
        f"""
        extern crate proc_macro;
        #[proc_macro]
        pub fn run(_: proc_macro::TokenStream) -> proc_macro::TokenStream {{
            println!("{RAN}");
            "".parse().unwrap()
        }}
        """,
        *("rustc", "--crate-type", "proc-macro", "-o", "libevil.so", "evil.rs"),
    )
    macro = (folder / "libevil.so").read_bytes()
    return {"bot.rs": b"extern crate evil; evil::run!(); fn main() {}", "libevil.so": macro}


def go_generate_and_cgo(_folder: Path) -> Files:
    return {
        "bot.go": f"package main\n//go:generate echo {RAN}\nfunc main() {{}}".encode(),
        "evil.go": b'package main\n// #cgo CFLAGS: -fplugin=./evil.so\nimport "C"',
        "evil.so": b"no shared object",
        "go.mod": b"module bot\n\ngo 1.19\n",
        "go.env": f"GOFLAGS=-toolexec=echo {RAN}".encode(),
        ".git/HEAD": b"ref: refs/heads/main\n",
        ".git/config": f'[core]\n\tfsmonitor = "echo {RAN} >&2"\n'.encode(),
    }


def options_as_file_names(folder: Path) -> Files:
    compile_here(
        folder,
        "evil.c",
        f"""
        #include <stdio.h>
        int plugin_is_GPL_compatible;
        __attribute__((constructor)) static void run(void) {{ puts("{RAN}"); }}
        int plugin_init(void *arguments, void *version) {{ return 0; }}
        """,
        *("gcc", "-shared", "-fPIC", "-o", "evil.so", "evil.c"),
    )
    evil = (folder / "evil.so").read_bytes()
    return {
        "bot.c": b"int main(void) { return 0; }",
        "-fplugin=evil.so.c": b"",
        "@options.c": b"-fplugin=./evil.so",
        "options.c": b"-fplugin=./evil.so",
        "evil.so": evil,
        "evil.so.c": evil,
    }


def precompiled_header(folder: Path) -> Files:
    header = f'#define WORD "{RAN}"\n'
    flags = "-std=c17 -O2 -Wall -pthread -static -s".split()
    compile_here(folder, "word.h", header, find_system_tool("gcc") or "gcc", *flags, "word.h")
    return {
        "bot.c": b'#include "word.h"\nconst char *const word = WORD;\nint main(void) { return !word[0]; }',
        "word.h": b'#define WORD "harmless"\n',
        "word.h.gch": (folder / "word.h.gch").read_bytes(),
    }


ATTACKS: list[tuple[str, Callable[[Path], Files]]] = [
    ("java", annotation_processor),
    ("rust", build_script),
    ("rust", procedural_macro),
    ("go", go_generate_and_cgo),
    ("c", options_as_file_names),
    ("c", precompiled_header),
]


@pytest.mark.parametrize(("key", "attack"), ATTACKS, ids=[attack.__name__ for _, attack in ATTACKS])
def test_the_upload_is_read_and_not_run(
    key: str, attack: Callable[[Path], Files], workshop: Sandbox, tmp_path: Path
) -> None:
    language = installed(workshop, key)
    try:
        built, log = workshop.build(Program("evil", 1, dict(attack(tmp_path)), language))
    except BuildError as refused:
        built, log = None, refused.log
    assert RAN not in log
    assert not built or not any(RAN.encode() in content for content in built.files.values())
