"""Whom the hash of a password counts for: the account that the request names, or the device on which its user has signed in before,
and its networks."""

from msgspec import Struct

from kalends.core.errors import Problem
from kalends.core.settings import Settings
from kalends.core.tokens import token_hash
from kalends.core.values.text import fold_case
from kalends.http import login_cookies
from kalends.http.input.params import gather
from kalends.http.origin import Origins, network, wider_networks
from kalends.http.request import Request
from kalends.http.serving.thread_pool import Share

ACCOUNT = Share(threads=1, queue=2)
NETWORK = Share(threads=2, queue=6)
WIDER_NETWORK = Share(threads=2, queue=10)
# What the known devices of a network may hold, whatever others of it hold.
DEVICES = Share(threads=2, queue=24)
# A body that is larger is not read for a name on the event loop. All of them count as one account.
MAX_READ = 16 * 1024


class Clients(Struct, frozen=True):
    """The clients of a request with their shares of the pool, and whether its device is known."""

    shares: dict[str, Share]
    has_device: bool = False


def find(request: Request, origins: Origins, settings: Settings) -> Clients:
    """The clients of a request whose body was read. What names an account is not looked up: whether there is one must not matter."""
    address = origins.address(request)
    device = login_cookies.find_device(settings, request.headers.get("cookie", ""))
    if device:
        # Nobody else can use these places up, even by naming the account.
        return Clients({f"device {device.user_id}": ACCOUNT, f"devices {network(address)}": DEVICES}, has_device=True)
    account = _named_account(request) or _credential(request, origins)
    shares = {account: ACCOUNT} if account else {}
    shares[network(address)] = NETWORK
    return Clients(shares | dict.fromkeys(wider_networks(address), WIDER_NETWORK))


def _named_account(request: Request) -> str:
    if len(request.body) > MAX_READ:
        return "large"
    assert request.endpoint
    try:
        name = gather(request, request.endpoint).get("user_name")
    except Problem:
        # The request fails without a hash.
        return ""
    return f"name {fold_case(name.strip())}" if isinstance(name, str) else ""


def _credential(request: Request, origins: Origins) -> str:
    try:
        token, _ = origins.credential(request)
    except Problem:
        return ""
    return f"token {token_hash(token).hex()}" if token else ""
