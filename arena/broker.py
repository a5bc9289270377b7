"""Send Celery's messages as files in a folder, where there is no Redis."""

import os
import uuid
from time import time_ns
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps


class Channel(filesystem.Channel):
    """A channel whose messages appear whole."""

    def _put(self, queue: str, payload: Any, **_: Any) -> None:  # type: ignore[override]
        """Write aside and rename, so that a worker never finds half a message."""
        name = f"{time_ns()}_{uuid.uuid4().hex}.{queue}.msg"
        draft = os.path.join(self.data_folder_out, f".{name}.draft")
        with open(draft, "w") as file:
            file.write(dumps(payload))
        os.rename(draft, os.path.join(self.data_folder_out, name))


class Transport(filesystem.Transport):
    """A transport by files, without a host."""

    Channel = Channel
    default_connection_params: dict[str, Any] = {}
    """There is no host to connect to."""
