"""nginx, Caddy and HAProxy, which come from the system: their packages, and how they are started with the files of `deploy/`."""

import os
import shutil
import socket
import ssl
import subprocess
from http.client import HTTPSConnection
from pathlib import Path

import pytest

from tests.serve.running import eventually

ROOT = Path(__file__).parent.parent.parent
CERTIFICATE = ROOT / "tests" / "contacts" / "providers" / "localhost.pem"
NAME = "calendar.example.org"
PACKAGES = {"nginx": "nginx-light", "caddy": "caddy", "haproxy": "haproxy"}

NGINX = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {servers}
}}
"""


class Proxy:
    """A started proxy with the file of `deploy/`: only ports, folders and the certificate are the test's own."""

    def __init__(self, program: str, folder: Path, port: int, upstream: int):
        self._port = port
        config = folder / f"{program}.conf"
        config.write_text({"nginx": _nginx, "caddy": _caddy, "haproxy": _haproxy}[program](folder, port, upstream))
        words = {
            "nginx": ["-c", str(config)],
            "caddy": ["run", "--config", str(config), "--adapter", "caddyfile"],
            "haproxy": ["-db", "-f", str(config)],
        }[program]
        self._log = (folder / f"{program}.log").open("w")
        self.process = subprocess.Popen(
            [path(program), *words],
            stdout=self._log,
            stderr=self._log,
            env=os.environ | {"HOME": str(folder), "XDG_DATA_HOME": str(folder)},
        )
        eventually(self._is_open)

    def _is_open(self) -> bool:
        assert self.process.poll() is None, Path(self._log.name).read_text()
        try:
            self.connection().close()
        except OSError:
            return False
        return True

    def connection(self) -> HTTPSConnection:
        """A connection to the site's name, which is this machine here."""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = HTTPSConnection(NAME, self._port, timeout=20)
        plain = HTTPSConnection("127.0.0.1", self._port, timeout=20)
        super(HTTPSConnection, plain).connect()
        connection.sock = context.wrap_socket(plain.sock, server_hostname=NAME)
        return connection

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)
        self._log.close()


def _nginx(folder: Path, port: int, upstream: int) -> str:
    servers = (ROOT / "deploy" / "nginx.conf").read_text()
    for theirs, ours in {
        "server 127.0.0.1:8000;": f"server 127.0.0.1:{upstream};",
        "    listen 80;\n    listen [::]:80;\n": f"    listen unix:{folder}/plain.sock;\n",
        "    listen 443 ssl http2;\n    listen [::]:443 ssl http2;\n": f"    listen 127.0.0.1:{port} ssl http2;\n",
        f"/etc/letsencrypt/live/{NAME}/fullchain.pem": str(CERTIFICATE),
        f"/etc/letsencrypt/live/{NAME}/privkey.pem": str(CERTIFICATE),
    }.items():
        assert servers.count(theirs) == 1, theirs
        servers = servers.replace(theirs, ours)
    return NGINX.format(folder=folder, servers=servers)


def _caddy(folder: Path, port: int, upstream: int) -> str:
    site = (ROOT / "deploy" / "Caddyfile").read_text()
    for theirs, ours in {
        "127.0.0.1:8000 {": f"127.0.0.1:{upstream} {{",
        f"\n{NAME} {{\n": f"\n{NAME}:{port} {{\n\tbind 127.0.0.1\n\ttls {CERTIFICATE} {CERTIFICATE}\n",
    }.items():
        assert site.count(theirs) == 1, theirs
        site = site.replace(theirs, ours)
    return f"{{\n\tadmin off\n\tauto_https disable_redirects\n}}\n{site}"


def _haproxy(folder: Path, port: int, upstream: int) -> str:
    """The second server is not there."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        absent = free.getsockname()[1]
    text = (ROOT / "deploy" / "haproxy.cfg").read_text()
    for theirs, ours in {
        "    bind :80\n": f"    bind unix@{folder}/plain.sock\n",
        "    bind :443 ssl crt /etc/haproxy/calendar.example.org.pem ": f"    bind 127.0.0.1:{port} ssl crt {CERTIFICATE} ",
        "server one 10.0.0.11:8000": f"server one 127.0.0.1:{upstream}",
        "server two 10.0.0.12:8000": f"server two 127.0.0.1:{absent}",
    }.items():
        assert text.count(theirs) == 1, theirs
        text = text.replace(theirs, ours)
    return text


def path(program: str) -> str:
    executable = find(program)
    if executable is None:
        pytest.skip(f"{program} is not installed (Debian: sudo apt-get install {PACKAGES[program]}).")
    return executable


def find(program: str) -> str | None:
    """The path of an installed program."""
    return shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
