"""Give fields and settings the names that API, forms and pages use."""

from django.db import migrations, models

SETTINGS = {"pairs": "matches_per_pairing", "extra": "max_tiebreak_matches", "advance": "advance_per_group"}
SCORINGS = {"series": "game_points"}
FIELDS = [
    ("tournament", "about", "description"),
    ("tournament", "terms", "settings"),
    ("tournament", "is_patient", "is_low_priority"),
    ("tournament", "entries_until", "entries_close_at"),
    ("tournament", "most_entrants", "max_entrants"),
    ("tournament", "most_of_owner", "max_entrants_per_author"),
    ("tournament", "chances", "forecast"),
    ("tournament", "chances_round", "forecast_after_round"),
    ("entrant", "follows", "updates_automatically"),
    ("entrant", "left_in", "left_in_round"),
    ("round", "take", "attempt"),
    ("round", "is_current", "is_latest_attempt"),
]


def rename_settings(apps, names: dict[str, str], scorings: dict[str, str]) -> None:
    tournaments = apps.get_model("tournaments", "Tournament").objects
    for pk, stored in list(tournaments.values_list("pk", "settings")):
        renamed = {names.get(name, name): value for name, value in stored.items()}
        if "scoring" in renamed:
            renamed["scoring"] = scorings.get(renamed["scoring"], renamed["scoring"])
        tournaments.filter(pk=pk).update(settings=renamed)


def to_new_names(apps, schema_editor) -> None:
    rename_settings(apps, SETTINGS, SCORINGS)


def to_old_names(apps, schema_editor) -> None:
    rename_settings(apps, {new: old for old, new in SETTINGS.items()}, {new: old for old, new in SCORINGS.items()})


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0002_messages")]

    operations = [
        migrations.RemoveConstraint("round", "one_round_per_take"),
        migrations.RemoveConstraint("round", "one_current_round"),
        migrations.AlterModelOptions("round", {}),
        *(migrations.RenameField(model, old, new) for model, old, new in FIELDS),
        migrations.AlterModelOptions("round", {"ordering": ["tournament", "number", "attempt"]}),
        migrations.AddConstraint(
            "round",
            models.UniqueConstraint(fields=["tournament", "number", "attempt"], name="one_round_per_attempt"),
        ),
        migrations.AddConstraint(
            "round",
            models.UniqueConstraint(
                fields=["tournament", "number"], condition=models.Q(is_latest_attempt=True), name="one_current_round"
            ),
        ),
        migrations.AlterField(
            "entrant",
            "updates_automatically",
            models.BooleanField(default=True, help_text="Newer accepted versions take over until entries close."),
        ),
        migrations.AlterField(
            "pairingseat",
            "score",
            models.FloatField(help_text="Sum of the game points of its legs; null until over.", null=True),
        ),
        migrations.AlterField(
            "tournament",
            "max_entrants_per_author",
            models.PositiveIntegerField(default=1, help_text="Maximum number of bots of one author."),
        ),
        migrations.AlterField(
            "tournament",
            "settings",
            models.JSONField(help_text="The fields of arena.tournaments.settings.Settings."),
        ),
        migrations.RunPython(to_new_names, to_old_names),
    ]
