import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("matches", "0019_retries"),
    ]

    operations = [
        migrations.CreateModel(
            name="Lesson",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("begun_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("ends_at", models.DateTimeField(help_text="When it ends by itself; earlier where staff ended it.")),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
    ]
