from django.db import migrations, models

CODES = [("state", "not better", "not_better"), ("mode", "head-to-head", "head_to_head")]


def rename_codes(apps, schema_editor):
    comparisons = apps.get_model("comparisons", "Comparison").objects
    for field, old, new in CODES:
        comparisons.filter(**{field: old}).update(**{field: new})


def restore_codes(apps, schema_editor):
    comparisons = apps.get_model("comparisons", "Comparison").objects
    for field, old, new in CODES:
        comparisons.filter(**{field: new}).update(**{field: old})


class Migration(migrations.Migration):
    dependencies = [("comparisons", "0002_reasons_as_messages")]

    operations = [
        migrations.RenameField("comparison", "way", "mode"),
        migrations.RenameField("comparison", "lower", "elo0"),
        migrations.RenameField("comparison", "upper", "elo1"),
        migrations.RenameField("comparison", "counts", "result_counts"),
        migrations.RenameField("comparison", "promotes", "promote_if_better"),
        migrations.AlterField(
            "comparison",
            "mode",
            models.CharField(
                choices=[("head_to_head", "Head To Head"), ("field", "Field")], default="head_to_head", max_length=20
            ),
        ),
        migrations.AlterField(
            "comparison",
            "state",
            models.CharField(
                choices=[
                    ("running", "Running"),
                    ("better", "Better"),
                    ("not_better", "Not Better"),
                    ("undecided", "Undecided"),
                    ("stopped", "Stopped"),
                ],
                default="running",
                max_length=12,
            ),
        ),
        migrations.RunPython(rename_codes, restore_codes),
    ]
