"""Compile the engine into the data folder."""

from time import monotonic

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from arena.runner.compiled_engine import CompileError, compile_engine, find_engine_folder
from engine.compiling import is_compiled


class Command(BaseCommand):
    """Compile the engine into the data folder."""

    help = (
        "Compile the engine with mypyc into the data folder, which makes search and analysis about twice as fast. "
        "Takes a few minutes and needs a C compiler. Processes use it from their next start until the engine "
        "changes."
    )
    requires_system_checks = []

    def handle(self, **_: object) -> None:
        """Compile unless it is done, and say how to use it."""
        if is_compiled():
            self.stdout.write(f"The engine in {find_engine_folder()} is already compiled. Nothing to do.")
            return
        self.stdout.write("Compiling the engine. This takes a minute or two.")
        self.stdout.flush()
        began = monotonic()
        try:
            build = compile_engine(settings.DATA_DIR)
        except CompileError as failure:
            raise CommandError(str(failure)) from None
        self.stdout.write(f"Wrote the compiled engine to {build} ({monotonic() - began:.0f} s).")
        self.stdout.write("Restart the arena to use it.")
