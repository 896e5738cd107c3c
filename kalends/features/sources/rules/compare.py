"""What a run would do, and whether it is held back: what is here is compared with what was fetched."""

from msgspec import Struct

from kalends.core.i18n import gettext, ngettext

# How many coming events may go in one run: five, or this share of them.
FEW = 5
SHARE = 0.3
# How many events with guests may change in one run.
MAX_WITH_GUESTS = 20


class Here(Struct, frozen=True):
    """What is here of a UID: the hash of what the source said of it (empty: it is gone there), its coming events, and how many of them
    have responses."""

    digest: str
    coming: int = 0
    with_guests: int = 0


class There(Struct, frozen=True):
    """What the source has of a UID: the hash of what it says, and its coming events."""

    digest: str
    coming: int = 0


class Decision(Struct, frozen=True):
    """The UIDs to create, change and remove; `reason` says why nothing of it is done before somebody accepts it."""

    create: list[str]
    change: list[str]
    remove: list[str]
    reason: str = ""

    @property
    def is_empty(self) -> bool:
        return not (self.create or self.change or self.remove)


def compare(here: dict[str, Here], there: dict[str, There]) -> Decision:
    """What to do, by UID, in the order of the source."""
    create = [uid for uid in there if uid not in here]
    change = [uid for uid, each in there.items() if uid in here and here[uid].digest != each.digest]
    remove = [uid for uid, each in here.items() if each.digest and uid not in there]
    return Decision(create, change, remove, _reason(here, there, change, remove))


def _reason(here: dict[str, Here], there: dict[str, There], change: list[str], remove: list[str]) -> str:
    known = [uid for uid, each in here.items() if each.digest]
    coming = [uid for uid in known if here[uid].coming]
    if known and not there:
        return gettext("The calendar is empty now.")
    if coming and not any(uid in there for uid in known):
        return gettext("None of the earlier events is there any more: all of them are new.")
    total = sum(here[uid].coming for uid in known)
    gone = sum(here[uid].coming for uid in remove) + sum(max(0, here[uid].coming - there[uid].coming) for uid in change)
    if gone > max(FEW, SHARE * total):
        return gettext("%(gone)s of %(total)s upcoming events are not there any more.", gone=gone, total=total)
    with_guests = sum(here[uid].with_guests for uid in (*change, *remove))
    if with_guests > MAX_WITH_GUESTS:
        return ngettext("1 event with RSVPs would change.", "%(num)s events with RSVPs would change.", with_guests)
    return ""
