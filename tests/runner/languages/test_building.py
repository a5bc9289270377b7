"""Properties of each language that the guide for authors promises."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from arena.runner import languages
from arena.runner.program import Limits, Program
from arena.runner.sandbox.base import Sandbox
from arena.runner.sandbox.bwrap import BwrapSandbox
from tests.runner.languages.conftest import by_language, installed

SEVERAL: Mapping[str, Mapping[str, str]] = {
    "javascript": {
        "bot.js": """
            const { word } = require("./deep/words.js");
            process.stdin.on("data", () => console.log(word));
        """,
        "deep/words.js": 'exports.word = "several";',
    },
    "c": {
        "bot.c": """
            #include <math.h>
            #include <pthread.h>
            #include <stdio.h>
            #include "words.h"
            static void *say(void *word) { return (void *)(long)puts(word); }
            int main(int argc, char **argv) {
                pthread_t thread;
                getchar();
                pthread_create(&thread, NULL, say, sqrt(argc) == 1 ? (void *)WORD : argv[0]);
                pthread_join(thread, NULL);
                fflush(stdout);
            }
        """,
        "words.h": "extern const char *const WORD;",
        "deep/other words.c": 'const char *const WORD = "several";',
    },
    "cpp": {
        "bot.cpp": """
            #include <iostream>
            #include <span>
            #include <thread>
            #include "words.hpp"
            int main() { std::cin.get(); std::jthread([] { std::cout << word() << std::endl; }); }
        """,
        "words.hpp": "#pragma once\n#include <string>\nstd::string word();",
        "words.cpp": '#include "words.hpp"\nstd::string word() { return "several"; }',
    },
    "rust": {
        "bot.rs": """
            mod words;
            fn main() {
                std::io::stdin().read_line(&mut String::new()).unwrap();
                std::thread::spawn(|| println!("{}", words::WORD.trim())).join().unwrap();
            }
        """,
        "words.rs": 'pub const WORD: &str = include_str!("words.txt");',
        "words.txt": "several\n",
    },
    "go": {
        "bot.go": """
            package main
            import (
                "fmt"
                "os"
                "bot/deep"
            )
            func main() {
                os.Stdin.Read(make([]byte, 1))
                said := make(chan string)
                go func() { said <- deep.Word + tail }()
                fmt.Println(<-said)
            }
        """,
        "tail.go": """
            package main
            import _ "embed"
            //go:embed tail.txt
            var tail string
        """,
        "tail.txt": "al",
        "deep/words.go": 'package deep\nconst Word = "sever"',
        "bot_test.go": "package main",
    },
    "java": {
        "Bot.java": """
            import deep.Words;
            public class Bot {
                public static void main(String[] arguments) throws Exception {
                    System.in.read();
                    var tail = Bot.class.getResourceAsStream("/tail.txt").readAllBytes();
                    var thread = new Thread(() -> System.out.println(Words.WORD + new String(tail)));
                    thread.start();
                    thread.join();
                }
            }
        """,
        "deep/Words.java": 'package deep;\npublic class Words { public static final String WORD = "sever"; }',
        "tail.txt": "al",
    },
}


@pytest.mark.parametrize("key", by_language(SEVERAL))
def test_a_program_of_several_files_is_one_program_with_threads(key: str, workshop: Sandbox) -> None:
    files = {path: dedent(text).strip().encode() for path, text in SEVERAL[installed(workshop, key)].items()}
    program, _ = workshop.build(Program("several", 1, files, key))
    process = workshop.start(program, Limits())
    try:
        assert process.ask(b"\n", 5) == b"several"
    finally:
        process.close()


@pytest.mark.full
def test_go_takes_a_module_file_of_the_authors(workshop: Sandbox) -> None:
    files = {
        "go.mod": b"module heron\n\ngo 1.19\n",
        "bot.go": b'package main\nimport "heron/deep"\nfunc main() { print(deep.Word) }',
        "deep/deep.go": b"package deep\nconst Word = 1",
    }
    program, _ = workshop.build(Program("module", 1, files, installed(workshop, "go")))
    assert list(program.files) == ["bot"]


def test_warnings_are_in_the_log_of_a_build_that_succeeds(workshop: Sandbox) -> None:
    source = b"int main(void) { int unused; return 0; }"
    _, log = workshop.build(Program("careless", 1, {"bot.c": source}, installed(workshop, "c")))
    assert "bot.c:1" in log and "unused" in log


def test_stable_compilers_come_before_others_of_rustup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("nightly-x86_64", "1.80.0-x86_64", "stable-x86_64"):
        (tmp_path / ".rustup/toolchains" / name / "bin").mkdir(parents=True)
        (tmp_path / ".rustup/toolchains" / name / "bin/rustc").touch()
    monkeypatch.setenv("HOME", str(tmp_path))
    names = [top.name for top in languages.list_rustup_toolchains() if top.is_relative_to(tmp_path)]
    assert names == ["stable-x86_64", "1.80.0-x86_64", "nightly-x86_64"]


def test_a_compiler_with_unstable_features_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "find_system_tool", lambda name: "/usr/bin/gcc" if name == "gcc" else None)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, version in (("nightly", "1.80.0-nightly"), ("other", "1.80.0-dev"), ("third", "1.79.0")):
        compiler = tmp_path / ".rustup/toolchains" / name / "bin/rustc"
        compiler.parent.mkdir(parents=True)
        compiler.write_text(f"#!/bin/sh\necho 'rustc {version} (0 2026-01-01)'\n")
        compiler.chmod(0o755)
    found = languages.find_rust()
    assert found is not None and found.version == "1.79.0"


@pytest.mark.full
def test_java_leaves_classes_and_services_out_and_says_so(workshop: Sandbox) -> None:
    files = {
        **{path: dedent(text).encode() for path, text in SEVERAL["java"].items()},
        "old/Words.class": b"no class",
        "META-INF/services/deep.Words": b"deep.Words",
    }
    program, log = workshop.build(Program("services", 1, files, installed(workshop, "java")))
    assert log.splitlines()[0].startswith("Left out of the build")
    assert set(log.splitlines()[1:]) == {"./old/Words.class", "./META-INF/services/deep.Words"}
    with zipfile.ZipFile(io.BytesIO(program.files["bot.jar"])) as jar:
        names = set(jar.namelist())
    assert {"Bot.class", "deep/Words.class", "tail.txt"} <= names
    assert not [name for name in names if "services" in name or name.startswith("old/Words")]


@pytest.mark.full
def test_the_standard_library_of_go_is_compiled_ahead(workshop: BwrapSandbox) -> None:
    build = workshop.languages[installed(workshop, "go")].build
    assert build is not None
    (cache,) = (tree for tree in build.trees if tree.inside == languages.GO_CACHE_FOLDER)
    assert any(Path(cache.host, "compiled").iterdir())
    source = "\n".join(
        ("package main", *(f'import _ "{name}"' for name in languages.PRECOMPILED_GO_PACKAGES), "func main() {}")
    ).encode()
    _, log = workshop.build(Program("broad", 1, {"bot.go": source}, "go"))
    assert log == ""


def test_javascript_may_be_an_es_module(workshop: BwrapSandbox) -> None:
    files = {
        "package.json": b'{"type": "module"}',
        "bot.js": b'import { word } from "./words.js"; process.stdin.on("data", () => console.log(word));',
        "words.js": b'export const word = "several";',
    }
    process = workshop.start(Program("module", 1, files, installed(workshop, "javascript")), Limits())
    try:
        assert process.ask(b"\n", 5) == b"several"
    finally:
        process.close()


@pytest.mark.parametrize(
    ("release", "version"),
    [
        ('IMPLEMENTOR="Debian"\nJAVA_VERSION="17.0.15"\n', "17.0.15"),
        ('JAVA_VERSION="25"\n', "25"),
        ('JAVA_VERSION="11.0.2"\n', None),
        ('JAVA_VERSION="1.8.0_402"\n', None),
        ("nothing\n", None),
    ],
)
def test_a_jdk_is_new_enough_or_not_there(
    release: str, version: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(languages, "find_system_tool", lambda name: f"{tmp_path}/bin/{name}")
    (tmp_path / "release").write_text(release)
    found = languages.find_jdk()
    assert (found and found.version) == version
