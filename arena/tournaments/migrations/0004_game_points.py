"""Name the sum of game points and the time of the last advance plainly, and describe fields in whole phrases."""

import django.utils.timezone
from django.db import migrations, models

import arena.fields
import arena.tournaments.models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0003_plain_names")]

    operations = [
        migrations.RenameField("pairingseat", "score", "game_points"),
        migrations.RenameField("tournament", "looked_at", "last_advanced_at"),
        migrations.AlterField(
            "entrant",
            "left_in_round",
            models.PositiveIntegerField(help_text="First round that it doesn't play any more.", null=True),
        ),
        migrations.AlterField(
            "entrant",
            "number",
            models.PositiveIntegerField(help_text="Seed, starting at 1; null until versions are frozen.", null=True),
        ),
        migrations.AlterField(
            "entrant",
            "place",
            models.PositiveIntegerField(help_text="Final place; ties share a place.", null=True),
        ),
        migrations.AlterField(
            "entrant",
            "rating",
            models.FloatField(help_text="Rating on the ladder when it was seeded, in Elo.", null=True),
        ),
        migrations.AlterField(
            "entrant",
            "state_detail",
            arena.fields.MessageField(
                blank=True,
                default=None,
                editable=False,
                help_text="Fault in its check, for its owner and the organiser only.",
                null=True,
            ),
        ),
        migrations.AlterField(
            "pairing",
            "board",
            models.PositiveIntegerField(help_text="Number of the board, starting at 1."),
        ),
        migrations.AlterField(
            "pairing",
            "must_decide",
            models.BooleanField(default=False, help_text="Whether it can't end even."),
        ),
        migrations.AlterField(
            "pairing",
            "name",
            models.CharField(blank=True, help_text="Group, or place in the bracket.", max_length=12),
        ),
        migrations.AlterField(
            "pairing",
            "played",
            models.BooleanField(default=False, help_text="False for byes and walkovers."),
        ),
        migrations.AlterField(
            "pairingmatch",
            "counts",
            models.BooleanField(default=True, help_text="False if another one replaces it, or none is needed."),
        ),
        migrations.AlterField(
            "pairingmatch",
            "failed",
            models.BooleanField(
                default=False, help_text="Whether the arena failed to play it, until the tournament is resumed."
            ),
        ),
        migrations.AlterField(
            "pairingmatch",
            "number",
            models.PositiveSmallIntegerField(help_text="Number of the match in its pairing, starting at 1."),
        ),
        migrations.AlterField(
            "pairingseat",
            "game_points",
            models.FloatField(help_text="Sum of its game points; null until the pairing is over.", null=True),
        ),
        migrations.AlterField(
            "pairingseat",
            "index",
            models.PositiveSmallIntegerField(help_text="Seat in the first leg; index of the participant in matches."),
        ),
        migrations.AlterField(
            "pairingseat",
            "points",
            models.FloatField(help_text="Points of the pairing; null until it is over.", null=True),
        ),
        migrations.AlterField(
            "round",
            "attempt",
            models.PositiveIntegerField(default=0, help_text="Number of times the round had been played before."),
        ),
        migrations.AlterField(
            "round",
            "is_latest_attempt",
            models.BooleanField(default=True, help_text="Whether it counts; false once it was replayed."),
        ),
        migrations.AlterField(
            "round",
            "number",
            models.PositiveIntegerField(help_text="Round number, starting at 1."),
        ),
        migrations.AlterField(
            "tournament",
            "commitment",
            models.CharField(help_text="SHA-256 of the secret, public from the start.", max_length=64),
        ),
        migrations.AlterField(
            "tournament",
            "entries_close_at",
            models.DateTimeField(
                blank=True,
                help_text="When entries close and versions are frozen; null: when the organiser starts it.",
                null=True,
            ),
        ),
        migrations.AlterField(
            "tournament",
            "forecast",
            models.JSONField(
                help_text="Chances by seed, each with the bot's slug; null before the first simulation.", null=True
            ),
        ),
        migrations.AlterField(
            "tournament",
            "forecast_after_round",
            models.PositiveIntegerField(help_text="Number of rounds that were over for the forecast.", null=True),
        ),
        migrations.AlterField(
            "tournament",
            "is_low_priority",
            models.BooleanField(default=False, help_text="Whether its matches are played when nothing else waits."),
        ),
        migrations.AlterField(
            "tournament",
            "is_rated",
            models.BooleanField(default=False, help_text="Whether its matches count for the ladder, too."),
        ),
        migrations.AlterField(
            "tournament",
            "last_advanced_at",
            models.DateTimeField(default=django.utils.timezone.now, help_text="When it was last advanced."),
        ),
        migrations.AlterField(
            "tournament",
            "next_turn",
            models.FloatField(default=0.0, help_text="Position of its next match in the order of the queue."),
        ),
        migrations.AlterField(
            "tournament",
            "secret",
            models.CharField(
                default=arena.tournaments.models.new_secret,
                help_text="Secret from which all deals are drawn; revealed after the end.",
                max_length=64,
            ),
        ),
    ]
