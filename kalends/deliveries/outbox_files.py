"""Messages as files in the data folder's outbox, where no transport is configured."""

import os
import secrets
from pathlib import Path

from kalends.deliveries.outcome import TryAgain
from kalends.settings import Settings


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
            with os.fdopen(os.open(draft, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            draft.rename(folder / name)
        finally:
            draft.unlink(missing_ok=True)
        _sync(folder)
    except OSError as error:
        raise TryAgain(f"The outbox cannot be written: {error.strerror}.") from None


def _sync(folder: Path) -> None:
    """Sync the directory entry, so that it survives a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
