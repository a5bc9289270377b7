from django.db import migrations


def to_blobs(apps, schema_editor):
    """Each source once, under the hash that its versions carry."""
    Blob, BotVersion = apps.get_model("bots", "Blob"), apps.get_model("bots", "BotVersion")
    for sha256 in BotVersion.objects.order_by().values_list("sha256", flat=True).distinct():
        versions = BotVersion.objects.filter(sha256=sha256)
        content = bytes(versions[0].content)
        Blob.objects.create(sha256=sha256, content=content, size=len(content))
        versions.update(source_id=sha256)


class Migration(migrations.Migration):
    """Alone: PostgreSQL changes no table in the transaction that changed its rows."""

    dependencies = [("bots", "0002_blobs")]

    operations = [migrations.RunPython(to_blobs, migrations.RunPython.noop)]
