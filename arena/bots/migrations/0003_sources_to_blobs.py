import zlib

from django.db import migrations

from arena.bots import archive


def to_blobs(apps, schema_editor):
    """Each source once, in the zip that is always the same for the same files."""
    Blob, BotVersion = apps.get_model("bots", "Blob"), apps.get_model("bots", "BotVersion")
    for sha256 in BotVersion.objects.order_by().values_list("sha256", flat=True).distinct():
        versions = BotVersion.objects.filter(sha256=sha256)
        zipped = archive.pack_files(archive.unpack_files(bytes(versions[0].content)))
        content = zlib.compress(zipped, 9)
        blob, _ = Blob.objects.get_or_create(
            sha256=archive.hash_zip(zipped), defaults={"content": content, "size": len(content)}
        )
        versions.update(source=blob)


class Migration(migrations.Migration):
    """Alone: PostgreSQL changes no table in the transaction that changed its rows."""

    dependencies = [("bots", "0002_blobs")]

    operations = [migrations.RunPython(to_blobs, migrations.RunPython.noop)]
