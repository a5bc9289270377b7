"""Advise the person who set this machine up what bubblewrap is missing."""

from pathlib import Path

from engine.message import Message, gettext_noop, message

CONTAINER_MARKER = Path("/.dockerenv")


def advise_on_bwrap(*, is_installed: bool) -> Message:
    """Return what to install or to allow, on a machine where no sandbox of bubblewrap passed its test."""
    if not is_installed:
        return message(gettext_noop("No bubblewrap was found: install it (`apt install bubblewrap`)."))
    if _read_setting("/proc/sys/user/max_user_namespaces") == "0":
        return message(
            gettext_noop("User namespaces are switched off: set user.max_user_namespaces to 10000 with sysctl.")
        )
    if _read_setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1":
        return message(
            gettext_noop(
                "AppArmor keeps programs from creating user namespaces: install bubblewrap and its AppArmor profile "
                "(`apt install bubblewrap apparmor-profiles`, then load bwrap-userns-restrict)."
            )
        )
    if _read_setting("/proc/sys/kernel/unprivileged_userns_clone") == "0":
        return message(
            gettext_noop("Only root may create user namespaces: set kernel.unprivileged_userns_clone to 1 with sysctl.")
        )
    if CONTAINER_MARKER.exists():
        return message(
            gettext_noop(
                "The container may not create user namespaces: start it with the seccomp profile "
                ".docker/worker-seccomp.json, as docker-compose.yml does."
            )
        )
    return message(gettext_noop("Allow user namespaces, or install bubblewrap (`apt install bubblewrap`)."))


def _read_setting(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None
