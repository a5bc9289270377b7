"""What to do where bubblewrap can't seal bots in: a sentence for whoever set this machine up."""

from collections.abc import Sequence
from pathlib import Path

CONTAINER = Path("/.dockerenv")


def advice(reasons: Sequence[str]) -> str:
    """`reasons`: why each bubblewrap that was found failed; none, where none was found."""
    if not reasons:
        return "No bubblewrap was found: install it (`apt install bubblewrap`)."
    if _setting("/proc/sys/user/max_user_namespaces") == "0":
        return "User namespaces are switched off: set user.max_user_namespaces to 10000 with sysctl."
    if _setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1":
        return (
            "AppArmor keeps programs from making user namespaces: install bubblewrap and AppArmor's profile for it "
            "(`apt install bubblewrap apparmor-profiles`, then load bwrap-userns-restrict)."
        )
    if _setting("/proc/sys/kernel/unprivileged_userns_clone") == "0":
        return "User namespaces are kept for root: set kernel.unprivileged_userns_clone to 1 with sysctl."
    if CONTAINER.exists():
        return (
            "The container may not make user namespaces: "
            "start it with the seccomp profile .docker/worker-seccomp.json, as docker-compose.yml does."
        )
    return "Allow user namespaces, or install bubblewrap (`apt install bubblewrap`)."


def _setting(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None
