"""All servers of a database share one secret: with another, stored replies are not found, and links and feeds lead nowhere."""

from kalends.core import tokens
from kalends.core.settings import Settings, WrongSetting, variable
from kalends.db import Database, Transaction


def check(db: Database, settings: Settings) -> None:
    """Raise WrongSetting if this database is used with another secret. The first server to start decides which it is."""
    with db.read() as tx:
        is_first = _get(tx) is None
    if is_first:
        store(db, settings, replace=False)
    with db.read() as tx:
        if differs(tx, settings):
            raise WrongSetting(describe(settings))


def differs(tx: Transaction, settings: Settings) -> bool:
    """Whether this database is used with another secret than this server's."""
    stored = _get(tx)
    return stored is not None and stored != tokens.secret_fingerprint(settings)


def describe(settings: Settings) -> str:
    """What is wrong with another secret, and what to do."""
    place = variable("secret") if settings.secret else settings.folder / "secret"
    return (
        f"the secret in {place} is not that of the other servers of this database. Set {variable('secret')} to theirs. "
        "If it is lost, run 'kalends migrate --accept-secret': feed URLs and links in messages change then."
    )


def store(db: Database, settings: Settings, *, replace: bool) -> None:
    """Use the database with the secret of this server; without `replace` only if it has been used with none yet."""
    action = "DO UPDATE SET fingerprint = :fingerprint" if replace else "DO NOTHING"
    with db.write() as tx:
        tx.run(
            f"INSERT INTO secret_fingerprints (id, fingerprint) VALUES (1, :fingerprint) ON CONFLICT (id) {action}",
            fingerprint=tokens.secret_fingerprint(settings),
        )


def _get(tx: Transaction) -> str | None:
    fingerprint: str | None = tx.value("SELECT fingerprint FROM secret_fingerprints")
    return fingerprint
