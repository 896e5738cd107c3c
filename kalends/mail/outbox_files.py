"""Messages as files in the data folder's outbox, where no transport is configured."""

import secrets
from pathlib import Path

from kalends.core import private_file
from kalends.core.settings import Settings
from kalends.features.deliveries.rules.outcome import TryAgain


def outbox(settings: Settings) -> Path:
    """The folder of the files."""
    return settings.folder / "outbox"


def write(settings: Settings, name: str, content: bytes) -> None:
    """Write the file atomically; a repeated message replaces it."""
    folder = outbox(settings)
    draft = folder / f".{name}.{secrets.token_hex(8)}"
    try:
        # In two steps, since mkdir applies the mode to the last folder only.
        settings.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        try:
            with private_file.create(draft) as file:
                file.write(content)
            draft.rename(folder / name)
        finally:
            draft.unlink(missing_ok=True)
        private_file.sync_folder(folder)
    except OSError as error:
        raise TryAgain(f"The outbox cannot be written: {error.strerror}.") from None
