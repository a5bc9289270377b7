"""The blocks of code in the manual, and how a reader runs those of a page.

After the language the line that opens a block may say more:

    ```sh not-run: needs root           why no test runs it
    ```sh on-an-arena                   it needs an arena and an account
    ```python file=bot.py               the reader saves it as this file
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

from arena.runner.data_files import DOCS_FOLDER, PACKAGE_ROOT

COMMANDS = "sh"
CODE = ("python", "cpp", "rust", "javascript")
NOT_RUN = re.compile(r"not-run: \S.*")
SAVED_AS = re.compile(r"file=(\S+)")
ON_AN_ARENA = "on-an-arena"
DATA = ("text", "json", "html", "http", "mermaid", "markdown", "yaml", "ini")
"""Languages of what is shown and not run: drawings, messages, files."""
OTHER_PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "bots/README.md", "engine/README.md")
PAGE_TIMEOUT_S = 900.0


@dataclass(frozen=True)
class Block:
    line: int
    language: str
    mark: str
    text: str

    @property
    def is_run(self) -> bool:
        return self.language in (COMMANDS, *CODE) and not NOT_RUN.fullmatch(self.mark)

    @property
    def command(self) -> str:
        """How a reader carries it out in a shell."""
        saved = SAVED_AS.fullmatch(self.mark)
        if saved:
            return f"cat > {saved[1]} <<'END_OF_BLOCK'\n{self.text}END_OF_BLOCK\n"
        if self.language == COMMANDS:
            return self.text
        return f"python - <<'END_OF_BLOCK'\n{self.text}END_OF_BLOCK\n"


def list_sources() -> list[Path]:
    """The files of the manual, apart from those that are made from the code and from the example of a game."""
    pages = [page for page in sorted(DOCS_FOLDER.rglob("*.md")) if page.parts[-2] != "reference"]
    ours = [page for page in pages if "example-game" not in page.parts]
    return [*(PACKAGE_ROOT / name for name in OTHER_PAGES), *ours]


def read_blocks(page: Path) -> list[Block]:
    blocks = []
    for token in MarkdownIt("commonmark").parse(page.read_text()):
        if token.type in ("fence", "code_block"):
            language, _, mark = token.info.partition(" ")
            blocks.append(Block((token.map or [0])[0] + 1, language, mark.strip(), token.content))
    return blocks


def run_blocks(blocks: list[Block], folder: Path, home: Path, url: str = "", token: str = "") -> None:
    """Run them one after the other in one shell, as a reader does."""
    script = "\n".join(block.command for block in blocks if block.is_run)
    script = script.replace("https://arena.example", url).replace("pnt_…", token)
    programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {"PATH": programs, "HOME": str(home), "LANG": "C.UTF-8", "PYTHONPATH": str(PACKAGE_ROOT / "bots/kit")}
    env |= {"UV_PROJECT_ENVIRONMENT": sys.prefix, "UV_NO_SYNC": "1", "UV_OFFLINE": "1"}
    env |= {"PENNANT_URL": url, "PENNANT_TOKEN": token} if url else {}
    done = subprocess.run(
        ["bash", "-eux", "-o", "pipefail", "-c", script],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PAGE_TIMEOUT_S,
    )
    assert done.returncode == 0, done.stdout[-4000:]
