"""The plan of a tournament on this machine."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from arena.cli.tournament_log import FOLDER_FORMAT, Bot, Json
from arena.release import arena_version
from arena.runner.limits import Limits
from arena.runner.match import MatchSpec
from arena.runner.program import Program
from arena.tournaments.formats import find_format
from arena.tournaments.formats.base import Entrant
from arena.tournaments.replay_results import Course, ScheduledMatch
from arena.tournaments.settings import Settings
from engine.registry import find_game
from engine.season import Season


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything decided before the first match."""

    game: str
    edition: str
    changed_options: Json
    """The rule options that differ from the edition's."""
    settings: Settings
    bots: tuple[Bot, ...]

    def as_json(self) -> Json:
        """Return the plan as it is stored."""
        return {
            "format": FOLDER_FORMAT,
            "game": self.game,
            "edition": self.edition,
            "changed_options": self.changed_options,
            "rules_version": find_game(self.game).rules_version,
            "settings": asdict(self.settings),
            "bots": [bot.as_json() for bot in self.bots],
        }

    @property
    def names(self) -> dict[int, str]:
        """Return the bots' names by entrant number."""
        return {number: bot.program.name for number, bot in enumerate(self.bots, start=1)}

    def start_course(self) -> Course:
        """Return the tournament before its first match."""
        return Course(find_format(self.settings.format), [Entrant(number) for number in self.names], self.settings)

    def build_match(self, scheduled: ScheduledMatch, course: Course, programs: Mapping[int, Program]) -> MatchSpec:
        """Return a match. Its deal and salts follow from the seed, as those of a season from its secret."""
        game = find_game(self.game)
        season = Season(self.settings.seed, self.game, self.edition, 1)
        options = game.options(self.edition, **self.changed_options)
        entrants, series = course.find_pairing(scheduled).entrants, self.settings.series
        seats = len(entrants)
        legs, count = (seats, 1) if series is None else (series.max_games, series.max_games)
        deal, *later_deals = season.deals(game, options, seats, scheduled.deal_number, count)
        return MatchSpec(
            game=self.game,
            edition=self.edition,
            options=options,
            deal=deal,
            salts=tuple(season.salts(legs, scheduled.deal_number)),
            limits=Limits(),
            programs=tuple(programs[number] for number in entrants),
            series=series,
            later_deals=tuple(later_deals),
            arena=arena_version(),
        )
