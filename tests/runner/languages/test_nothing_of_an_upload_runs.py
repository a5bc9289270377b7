"""While a program is built, nothing of it is executed: not in the compiler, and not beside it."""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from arena.runner.languages import find_system_tool
from arena.runner.program import Program
from arena.runner.sandbox.base import BuildError, Sandbox
from tests.runner.languages.conftest import DEFAULT_LANGUAGES, installed

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


def compiler_plugin(folder: Path) -> Files:
    compile_here(
        folder,
        "Evil.java",
        f"""
        import com.sun.source.util.*;
        public class Evil implements Plugin {{
            public Evil() {{ System.out.println("{RAN}"); }}
            public String getName() {{ return "Evil"; }}
            public void init(JavacTask task, String... arguments) {{ System.out.println("{RAN}"); }}
            public boolean autoStart() {{ return true; }}
        }}
        """,
        *("javac", "Evil.java"),
    )
    return {
        "Bot.java": b"public class Bot { public static void main(String[] arguments) {} }",
        "Evil.class": (folder / "Evil.class").read_bytes(),
        "META-INF/services/com.sun.source.util.Plugin": b"Evil",
    }


def build_script(_folder: Path) -> Files:
    return {
        "bot.rs": b"fn main() {}",
        "rust-toolchain.toml": b'[toolchain]\npath = "/bot"\n',
        "bin/rustc": f"#!/bin/sh\necho {RAN}\n".encode(),
        ".cargo/config.toml": f'[build]\nrustc-wrapper = "echo {RAN}"\nrustflags = "-Clinker=/bot/bin/rustc"'.encode(),
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


def object_for_the_linkers_optimiser(folder: Path) -> Files:
    source = f'const char *word(void) {{ return "{RAN}"; }}'
    compile_here(folder, "evil.c", source, *"gcc -flto -O2 -c -o evil.o evil.c".split())
    return {
        "bot.rs": b"""
            #[link(name = ":../../../../../../bot/evil.o", kind = "dylib")]
            extern "C" { fn word() -> *const u8; }
            fn main() { println!("{:?}", unsafe { *word() }); }
        """,
        "evil.o": (folder / "evil.o").read_bytes(),
    }


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


def options_for_the_linker_of_c(folder: Path) -> Files:
    compile_here(folder, "evil.c", "int evil;", *"gcc -c -o evil.syso evil.c".split())
    line, options = "//line _cgo_gotypes.go:1", ("-wrapper", "sh,/bot/evil.sh")
    directives = "\n".join(f'//go:cgo_ldflag "{option}"' for option in options)
    return {
        "bot.go": b'package main\nimport _ "runtime/cgo"\nfunc main() {}',
        "evil.go": f"{line}\npackage main\n\n{directives}\n".encode(),
        "evil.syso": (folder / "evil.syso").read_bytes(),
        "evil.sh": f'echo {RAN} >&2\nexec "$@"\n'.encode(),
    }


def go_workspace_and_toolchain(_folder: Path) -> Files:
    return {
        "bot.go": b'package main\nimport "evil/word"\nfunc main() { print(word.Word) }',
        "go.mod": b"module bot\n\ngo 1.99\n\ntoolchain go1.99-/bot/bin/go\n\nrequire evil v1.0.0\n",
        "go.work": b"go 1.99\n\ntoolchain go1.99-/bot/bin/go\n\nuse .\n",
        "vendor/modules.txt": b"# evil v1.0.0\n## explicit\nevil/word\n",
        "vendor/evil/word/word.go": f'package word\nconst Word = "{RAN}"'.encode(),
        "bin/go": f"#!/bin/sh\necho {RAN}\n".encode(),
        "evil.swig": f"%module evil\n%{{ {RAN} %}}\n".encode(),
        ".config/go/env": f"GOFLAGS=-toolexec=/bot/bin/go -overlay=/bot/overlay.json\nCC=/bot/bin/go {RAN}".encode(),
        "overlay.json": b'{"Replace": {"/bot/bot.go": "/bot/vendor/evil/word/word.go"}}',
    }


def write_gcc_plugin(folder: Path) -> bytes:
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
    return (folder / "evil.so").read_bytes()


def options_in_the_source(folder: Path) -> Files:
    source = """
        #pragma GCC pch_preprocess "word.h.image"
        #pragma GCC optimize("plugin=/bot/evil.so")
        __attribute__((optimize("plugin=./evil.so"), target("plugin=./evil.so"))) int main(void) { return 0; }
    """
    return {"bot.c": source.encode(), "evil.so": write_gcc_plugin(folder), "word.h.image": RAN.encode()}


def options_as_file_names(folder: Path) -> Files:
    evil = write_gcc_plugin(folder)
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
    ("java", compiler_plugin),
    ("rust", build_script),
    ("rust", procedural_macro),
    ("rust", object_for_the_linkers_optimiser),
    ("go", go_generate_and_cgo),
    ("go", go_workspace_and_toolchain),
    ("go", options_for_the_linker_of_c),
    ("c", options_as_file_names),
    ("c", options_in_the_source),
    ("c", precompiled_header),
]


CASES = [
    pytest.param(key, attack, id=attack.__name__, marks=() if key in DEFAULT_LANGUAGES else pytest.mark.full)
    for key, attack in ATTACKS
]


@pytest.mark.parametrize(("key", "attack"), CASES)
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
