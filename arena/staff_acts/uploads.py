"""Close the uploads of the whole site, and open them again."""

from arena.audit.models import Act
from arena.bots.closing import check_closable, check_closed, close_uploads, open_uploads
from arena.bots.models import BotVersion
from arena.staff_acts.act import StaffAct, count


class CloseUploads(StaffAct):
    """Let nobody upload."""

    kind = Act.CLOSE_UPLOADS
    about, subject = "", "the whole site"

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        check_closable()
        return (
            "Nobody will be able to create a bot or to upload a version; pages and API will say so. Matches go on, and "
            f"so do the checks of what was uploaded before ({_count_unchecked()}). open_uploads takes this back."
        )

    def perform(self) -> str:
        """Close uploads. Raises Conflict."""
        close_uploads()
        return "Uploads are closed."


class OpenUploads(StaffAct):
    """Let authors upload again."""

    kind = Act.OPEN_UPLOADS
    about, subject = "", "the whole site"

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        check_closed()
        return "Authors will be able to upload again."

    def perform(self) -> str:
        """Open uploads. Raises Conflict."""
        open_uploads()
        return "Uploads are open."


def _count_unchecked() -> str:
    states = [BotVersion.State.BUILDING, BotVersion.State.ON_TRIAL]
    return count(BotVersion.objects.filter(state__in=states).count(), "version")
