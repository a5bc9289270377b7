"""The sandbox in which a command runs bots, or its refusal to run them without one."""

from collections.abc import Collection

import click
from rich.console import Console

from arena.runner.sandbox import NoSandboxError, Sandbox, find_sandbox, find_unsandboxed
from arena.runner.sandbox.unsandboxed import Unsandboxed

NO_SANDBOX_WARNING = "NO SANDBOX: these bots run as you, and can read, change and send everything that you can."


def find_bare_sandbox(languages: Collection[str]) -> Unsandboxed:
    """Return the way to run an author's own bot outside a sandbox. Raises click.ClickException."""
    try:
        return find_unsandboxed(languages)
    except NoSandboxError as missing:
        raise click.ClickException(str(missing)) from missing


def choose_sandbox(languages: Collection[str], *, bare: bool, errors: Console) -> Sandbox:
    """Return the sandbox for these languages; a bare one only by the author's wish. Raises click.ClickException."""
    try:
        if bare:
            errors.print(NO_SANDBOX_WARNING, style="bold white on red", soft_wrap=True)
            return find_unsandboxed(languages)
        return find_sandbox(languages)
    except NoSandboxError as missing:
        raise click.ClickException(f"{missing} To run bots you trust without one: --no-sandbox") from missing
