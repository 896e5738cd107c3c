"""What to check when Granian is upgraded: the names of it that are not public, all of which `http/serving/granian.py` uses."""

import inspect
from pathlib import Path

import pytest
from granian import _granian
from granian.server.mp import MPServer

import kalends

# Our parent process overrides or calls these methods; a worker process calls the last one. With the parameters that they are called with.
METHODS = {
    "_init_shared_socket": ["self"],
    "_spawn_worker": ["self", "idx", "target", "callback_loader"],
    "_drop_shared_socket": ["self"],
    "_stop_workers": ["self"],
    "shutdown": ["self", "exit_code"],
    "signal_handler_interrupt": ["self", "args", "kwargs"],
    "signal_handler_reload": ["self", "args", "kwargs"],
}


@pytest.mark.parametrize("name", METHODS)
def test_the_parent_process_of_granian_has_the_methods_that_ours_replaces(name: str) -> None:
    assert list(inspect.signature(getattr(MPServer, name)).parameters) == METHODS[name]


def test_granian_uses_the_socket_and_its_holder_that_ours_sets_before_it_starts_a_process() -> None:
    assert "_shd" in inspect.getsource(MPServer._spawn_worker)
    assert callable(MPServer._spawn_rsgi_worker)
    assert {"SocketHolder", "RSGIHTTPStreamTransport"} <= set(vars(_granian))


def test_one_module_alone_imports_private_names_of_granian() -> None:
    package = Path(kalends.__file__).parent
    private = {str(file.relative_to(package)) for file in package.rglob("*.py") if "granian._" in file.read_text()}
    assert private == {"http/serving/granian.py"}
