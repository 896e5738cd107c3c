"""REPORT on principals. Everybody finds themselves and nobody else: who has an account here is nobody's business."""

from xml.etree.ElementTree import Element

from kalends import policy
from kalends.dav import paths
from kalends.dav.call import PROP, Call, DavReply, require_home
from kalends.dav.errors import DavError
from kalends.dav.properties import HOME, NAME, Subject, describe
from kalends.dav.propfind import requested_names
from kalends.dav.xml import DAV, multistatus, write_response
from kalends.http.context import Actor

_D = f"{{{DAV}}}"


def report(call: Call) -> DavReply:
    """principal-property-search (RFC 3744, section 9.4)."""
    require_home(call)
    root, actor = call.root, policy.user(call.ctx)
    if root is None:
        raise DavError(400, "The body must name a report.")
    if root.tag != f"{_D}principal-property-search":
        raise DavError(403, "This report is not supported here.", f"{_D}supported-report")
    if not all(_matches(actor, search) for search in root.findall(f"{_D}property-search")):
        return DavReply(207, multistatus([]))
    names = (requested_names(root) if root.find(PROP) is not None else None) or [NAME, HOME]
    response = describe(Subject(call.ctx, actor, "principal"), paths.principal(actor.id), names, is_brief=call.is_brief)
    return DavReply(207, multistatus([write_response(response)]))


def _matches(actor: Actor, search: Element) -> bool:
    """Whether the name or the address of the user has the text in it."""
    needle = (search.findtext(f"{_D}match") or "").strip().casefold()
    return any(needle in value.casefold() for value in (actor.display_name, actor.user_name, f"mailto:{actor.email_address}"))
