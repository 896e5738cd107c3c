"""A certificate authority for receivers on this machine, made with openssl."""

import ssl
import subprocess
from pathlib import Path

NEW = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]


class Authority:
    """It issues certificates, which are valid for those who trust the file `certificate`."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder / name
        self._folder.mkdir()
        self.certificate = self._folder / "ca.pem"
        self._run(*NEW, "-subj", f"/CN={name}", "-keyout", "ca.key", "-out", "ca.pem")

    def issue(self, host: str) -> ssl.SSLContext:
        """The TLS of a server with a new certificate for the host, an IP address or a name."""
        kind = "IP" if host[0].isdigit() else "DNS"
        extensions = ["-addext", f"subjectAltName={kind}:{host}", "-addext", "basicConstraints=critical,CA:FALSE"]
        issuer = ["-CA", "ca.pem", "-CAkey", "ca.key", "-days", "2"]
        self._run(*NEW, "-subj", f"/CN={host}", *extensions, *issuer, "-keyout", "host.key", "-out", "host.pem")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._folder / "host.pem", self._folder / "host.key")
        return context

    def _run(self, *command: str) -> None:
        subprocess.run(command, cwd=self._folder, check=True, capture_output=True)
