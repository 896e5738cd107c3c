"""A small DNS server on the loopback, which the system resolver of this process asks for the duration of a block."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import dns.flags
import dns.message
import dns.rcode
import dns.resolver
import dns.rrset


@contextmanager
def dns_server(texts: dict[str, list[str]], *, rcode: dns.rcode.Rcode = dns.rcode.NOERROR) -> Iterator[None]:
    """Answer with the TXT records of these names; rcode: with this error instead. A name exists if one below it does."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            datagram, connection = self.request
            connection.sendto(_answer(datagram, texts, rcode), self.client_address)

    with socketserver.ThreadingUDPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            with asked_at(server.server_address[1]):
                yield
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def asked_at(port: int) -> Iterator[None]:
    """Let the library ask at this port; nobody need listen there."""
    resolver = dns.resolver.Resolver(configure=False)
    resolver.nameservers, resolver.port = ["127.0.0.1"], port
    with patch.object(dns.resolver, "default_resolver", resolver):
        yield


def _answer(datagram: bytes, texts: dict[str, list[str]], rcode: dns.rcode.Rcode) -> Any:
    query = dns.message.from_wire(datagram)
    reply = dns.message.make_response(query)
    reply.flags |= dns.flags.RA
    name = query.question[0].name.to_text(omit_final_dot=True)
    if name in texts:
        # As in zone files: a text of more than 255 characters is several.
        records = [" ".join(f'"{text[at : at + 255]}"' for at in range(0, len(text), 255)) for text in texts[name]]
        reply.answer.append(dns.rrset.from_text(f"{name}.", 60, "IN", "TXT", *records))
    elif not any(each.endswith(f".{name}") for each in texts):
        reply.set_rcode(dns.rcode.NXDOMAIN)
    if rcode != dns.rcode.NOERROR:
        reply.answer.clear()
        reply.set_rcode(rcode)
    return reply.to_wire()
