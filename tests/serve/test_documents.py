"""Every command that the documents print is run, as printed, against a service that was started as they say."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.serve.conftest import Start

ROOT = Path(__file__).parent.parent.parent


def _commands(document: str) -> str:
    """The shell blocks of a document, but for those that start or make something."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)
    return "\n".join(block for block in blocks if "curl" in block)


@pytest.mark.parametrize("document", ["README.md", "docs/api.md"])
def test_the_commands_work_as_printed(start: Start, document: str) -> None:
    service = start()
    script = _commands(document).replace("http://127.0.0.1:8000", f"http://127.0.0.1:{service.port}")
    # Each answer's status goes to standard error, behind whatever is printed.
    script = 'curl() { command curl -w "%{stderr}%{http_code}\\n" "$@"; }\n' + script
    done = subprocess.run(["bash", "-eu", "-c", script], capture_output=True, text=True, timeout=60, check=False)
    statuses = [line for line in done.stderr.splitlines() if re.fullmatch(r"\d{3}", line)]
    assert done.returncode == 0, done.stderr
    refused = [status for status in statuses if status not in ("200", "201", "202")]
    # The API guide shows one request that is refused, and says so.
    assert refused == (["422"] if document == "docs/api.md" else []), (statuses, done.stdout)
    assert len(statuses) >= 6
