"""The examples of docs/webhooks.md accept what is sent to them, and nothing that is forged."""

import re
import socket
import subprocess
import time
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from standardwebhooks.webhooks import WebhookVerificationError

from tests.cast import an_event
from tests.conftest import Clock
from tests.openapi.test_client import NODE_MODULES
from tests.serve.running import TIMEOUT, eventually
from tests.webhooks.conftest import Receiver, Service

GUIDE = Path(__file__).parents[2] / "docs" / "webhooks.md"


def _example(language: str, secret: str) -> str:
    [code] = re.findall(rf"```{language}\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert "whsec_…" in code
    return str(code).replace("whsec_…", secret)


def test_the_python_example_verifies_deliveries(service: Service, receiver: Receiver, capsys: pytest.CaptureFixture[str]) -> None:
    service.hook(receiver)
    event = an_event(service.cast.alice)
    service.send()
    example: dict[str, Any] = {}
    exec(_example("python", receiver.secret), example)  # noqa: S102
    request = receiver.requests[0]
    headers = dict(line.split(": ", 1) for line in request.head.split("\r\n")[1:])
    example["receive"](request.body, headers)
    assert capsys.readouterr().out.startswith(f"event.put {{'kind': 'event', 'op': 'put', 'id': {event['id']},")
    with pytest.raises(WebhookVerificationError):
        example["receive"](request.body + b" ", headers)


@pytest.mark.on_one_database
@pytest.mark.skipif(not (NODE_MODULES / "standardwebhooks").exists(), reason="needs Node.js: install npm, then `make clients`")
def test_the_javascript_example_verifies_deliveries(service: Service, clock: Clock, tmp_path: Path) -> None:
    # The example compares the time of a delivery with the real one.
    clock.now = int(time.time())
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    reply = service.cast.alice.post("/api/webhooks", json={"url": url})
    (tmp_path / "node_modules").symlink_to(NODE_MODULES)
    (tmp_path / "receiver.mjs").write_text(_example("js", reply.json["secret"]).replace("8080", str(port)))
    with subprocess.Popen(["node", "receiver.mjs"], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as receiver:
        try:
            eventually(lambda: _status(url) == 401)
            event = an_event(service.cast.alice)
            service.send()
            [delivery] = service.deliveries(reply.json)
            assert (delivery["state"], delivery["status"]) == ("sent", 204)
        finally:
            receiver.terminate()
        output, _ = receiver.communicate(timeout=TIMEOUT)
    assert re.match(rf"event.put {{\s+kind: 'event',\s+op: 'put',\s+id: {event['id']},", output)


def _status(url: str) -> int:
    """The status of the reply to a delivery that nobody signed; 0 if there is no server yet."""
    try:
        with urlopen(url, b"{}", timeout=TIMEOUT) as reply:  # noqa: S310
            return int(reply.status)
    except HTTPError as error:
        return error.code
    except OSError:
        return 0
