"""The curl commands of the documents work as printed, against a service that was started as they say."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.serve.conftest import Start

ROOT = Path(__file__).parent.parent.parent


def _commands(document: str) -> str:
    """The shell blocks of a document that send requests."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)
    return "\n".join(block for block in blocks if "curl" in block)


@pytest.mark.parametrize("document", ["README.md", "docs/api.md", "docs/tutorial.md", "docs/embedding.md"])
def test_the_requests_of_a_document_work_as_printed(start: Start, document: str) -> None:
    service = start()
    script = _commands(document).replace("http://127.0.0.1:8000", f"http://127.0.0.1:{service.port}")
    requests = len(re.findall(r"\bcurl ", script))
    # The status of each reply goes to standard error, after what curl prints there.
    script = 'curl() { command curl -w "%{stderr}%{http_code}\\n" "$@"; }\n' + script
    done = subprocess.run(["bash", "-eu", "-c", script], capture_output=True, text=True, timeout=60, check=False)
    statuses = [line for line in done.stderr.splitlines() if re.fullmatch(r"\d{3}", line)]
    assert done.returncode == 0, done.stderr
    refused = [status for status in statuses if status not in ("200", "201", "202")]
    # The API guide has one request that shows an error.
    assert refused == (["422"] if document == "docs/api.md" else []), (statuses, done.stdout)
    assert len(statuses) == requests > 0
