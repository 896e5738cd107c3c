"""Run a program of this folder in a child process, which limits itself (`reencode.limit_process`)."""

import os
import subprocess
import sys

from kalends.core.log import get_logger

log = get_logger(__name__)

TIMEOUT_SECONDS = 30


def run(module: str, content: bytes) -> bytes:
    """The output of the module for this input. The process gets no secret of this one by its environment."""
    environment = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    command = [sys.executable, "-I", "-m", module]
    result = subprocess.run(command, input=content, capture_output=True, env=environment, cwd="/", timeout=TIMEOUT_SECONDS, check=False)
    if result.returncode:
        log.warning("picture_process_failed", module=module, status=result.returncode, reason=result.stderr.decode(errors="replace")[-300:])
    return result.stdout
