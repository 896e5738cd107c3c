"""Dovecot, which comes from the system: its package, and how it is started with one mailbox."""

import getpass
import os
import pwd
import socket
import subprocess
from pathlib import Path
from uuid import uuid4

import pytest

from tests.serve import proxies
from tests.serve.running import eventually

PROGRAM, PACKAGE = "dovecot", "dovecot-imapd"
USER, PASSWORD = "reply", "canary-p@ss"

CONFIG = """
protocols = imap
base_dir = {folder}/run
state_dir = {folder}/run
log_path = {folder}/dovecot.log
mail_location = maildir:{folder}/Maildir
first_valid_uid = 0
first_valid_gid = 0
default_internal_user = {internal}
default_internal_group = {internal_group}
default_login_user = {login}
listen = 127.0.0.1
ssl = yes
ssl_cert = <{certificate}
ssl_key = <{certificate}
disable_plaintext_auth = no
auth_failure_delay = 0
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = {tls_port}
    ssl = yes
  }}
}}
service anvil {{
  chroot =
}}
"""


class Dovecot:
    """A started server. Messages are put into its mailbox as a mail server does."""

    def __init__(self, folder: Path, certificate: Path):
        self._maildir = folder / "Maildir"
        for name in ("new", "cur", "tmp"):
            (self._maildir / name).mkdir(parents=True)
        self.port, self.tls_port = _free_port(), _free_port()
        is_root = os.geteuid() == 0
        # Dovecot does not read mail as root.
        account = pwd.getpwnam("nobody" if is_root else getpass.getuser())
        self._owner = account.pw_uid
        group = "dovecot" if is_root else str(account.pw_gid)
        config = folder / "dovecot.conf"
        config.write_text(
            CONFIG.format(
                folder=folder,
                certificate=certificate,
                password=PASSWORD,
                port=self.port,
                tls_port=self.tls_port,
                uid=account.pw_uid,
                gid=account.pw_gid,
                internal="dovecot" if is_root else account.pw_name,
                internal_group=group,
                login="dovenull" if is_root else account.pw_name,
            )
        )
        self._log = folder / "dovecot.log"
        if is_root:
            for each in (folder, self._maildir, *self._maildir.iterdir()):
                os.chown(each, account.pw_uid, account.pw_gid)
        self.process = subprocess.Popen([path(), "-F", "-c", str(config)], stderr=(folder / "stderr.log").open("w"))
        eventually(self._is_open)

    def url(self, *, tls: bool = True, password: str = PASSWORD) -> str:
        scheme, port = ("imaps", self.tls_port) if tls else ("imap", self.port)
        return f"{scheme}://{USER}:{password.replace('@', '%40')}@127.0.0.1:{port}/INBOX"

    def deliver(self, octets: bytes) -> None:
        """Put a message into the mailbox, complete when it appears."""
        name = f"{uuid4().hex}.test"
        (self._maildir / "tmp" / name).write_bytes(octets)
        os.chown(self._maildir / "tmp" / name, self._owner, -1)
        (self._maildir / "tmp" / name).rename(self._maildir / "new" / name)

    def unread(self) -> int:
        """How many messages nobody has marked as read."""
        read = [file for file in (self._maildir / "cur").iterdir() if "S" in file.name.partition(":2,")[2]]
        return sum(1 for name in ("new", "cur") for _ in (self._maildir / name).iterdir()) - len(read)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)

    def _is_open(self) -> bool:
        assert self.process.poll() is None, self._log.read_text()
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
        except OSError:
            return False
        return True


def path() -> str:
    executable = proxies.find(PROGRAM)
    if executable is None:
        pytest.skip(f"{PROGRAM} is not installed (Debian: sudo apt-get install {PACKAGE}).")
    return executable


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])
