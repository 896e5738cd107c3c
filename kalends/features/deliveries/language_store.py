"""The languages of recipients: what a user has set, or the language of the page on which a guest last wrote."""

from kalends.core.i18n.locale import COOKIE, Locale, choose_locale
from kalends.core.values.text import fold_case
from kalends.features.deliveries.store import DAY, mailbox
from kalends.http.context import Context
from kalends.policy import site as sites
from kalends.policy.site import reader_locale

# Who writes again within a month is not written down again.
REFRESHED_AFTER = 30 * DAY
RETENTION = 2 * 365 * DAY


def find_locale(ctx: Context, address: str) -> Locale:
    """How the owner of the address reads messages; without a word of theirs, as the site is set."""
    rows = ctx.tx.rows(
        """SELECT language, hour_cycle, 1 AS place FROM users WHERE email_key = :email_key
           UNION ALL SELECT language, '' AS hour_cycle, 2 AS place FROM recipient_languages WHERE address_key = :address_key
           ORDER BY place""",
        email_key=fold_case(address),
        address_key=mailbox(address),
    )
    language = next((language for language, _, _ in rows if language), "")
    return choose_locale(language, "", "", sites.get(ctx).language, rows[0][1] if rows else "")


def remember(ctx: Context, address: str) -> None:
    """Remember the language of the page on which someone gave their own address. A client that asks for none says nothing."""
    has_language = ctx.caller.headers.get("accept-language") or ctx.caller.cookie(COOKIE)
    is_own = ctx.actor is None or fold_case(ctx.actor.email_address) == fold_case(address)
    if not (has_language and is_own):
        return
    ctx.tx.run(
        """INSERT INTO recipient_languages (address_key, language, updated_at) VALUES (:address_key, :language, :now)
           ON CONFLICT (address_key) DO UPDATE SET language = excluded.language, updated_at = excluded.updated_at
           WHERE recipient_languages.language <> excluded.language OR recipient_languages.updated_at < :old""",
        address_key=mailbox(address),
        language=reader_locale(ctx).language,
        now=ctx.now,
        old=ctx.now - REFRESHED_AFTER,
    )


def delete(ctx: Context, address: str) -> None:
    ctx.tx.run("DELETE FROM recipient_languages WHERE address_key = :address_key", address_key=mailbox(address))


def clean_up(ctx: Context) -> None:
    """Forget the languages of those who have not written for long."""
    ctx.tx.run("DELETE FROM recipient_languages WHERE updated_at < :old", old=ctx.now - RETENTION)
