"""The score of Mozilla's HTTP Observatory for a reply under https, by those of its published rules that apply offline.

Its test of the redirection from http is left out: that is the proxy's. So is the bonus for being preloaded, which no header earns."""

from collections.abc import Mapping, Sequence

Policy = dict[str, set[str]]

BROAD = {"ftp:", "http:", "https:", "*", "http://*", "http://*.*", "https://*", "https://*.*"}
INLINE = {"'unsafe-inline'", "data:"}
PRIVATE = {"no-referrer", "same-origin", "strict-origin", "strict-origin-when-cross-origin"}
SIX_MONTHS = 15_768_000
ENOUGH_FOR_BONUSES = 90
GRADES = dict(zip((100, 90, 85, 80, 70, 65, 60, 50, 45, 40, 30, 25), "A+ A A- B+ B B- C+ C C- D+ D D-".split(), strict=True))


def grade(points_by_test: Mapping[str, int]) -> str:
    """Penalties are subtracted first; bonuses need 90 points."""
    points = 100 + sum(each for each in points_by_test.values() if each < 0)
    if points >= ENOUGH_FOR_BONUSES:
        points += sum(each for each in points_by_test.values() if each > 0)
    return next((name for least, name in GRADES.items() if points >= least), "F")


def score(headers: Mapping[str, str], cookies: Sequence[str], scripts: Sequence[str]) -> dict[str, int]:
    """The points by test: of the reply's headers, the cookies that the site has set, and the URLs of the page's scripts."""
    by_name = {name.lower(): value for name, value in headers.items()}
    policy = _policy(by_name.get("content-security-policy", ""))
    hsts = _hsts(by_name.get("strict-transport-security"))
    return {
        "content-security-policy": _csp(policy),
        "cookies": min((_cookie(cookie, is_hsts=hsts == 0) for cookie in cookies), default=0),
        "cross-origin-resource-sharing": -50 if "access-control-allow-credentials" in by_name else 0,
        "cross-origin-resource-policy": 10 if by_name.get("cross-origin-resource-policy") in ("same-origin", "same-site") else 0,
        "referrer-policy": _referrer(by_name.get("referrer-policy")),
        "strict-transport-security": hsts,
        "subresource-integrity": min(map(_script, scripts), default=0),
        "x-content-type-options": 0 if by_name.get("x-content-type-options") == "nosniff" else -5,
        "x-frame-options": _framing(policy, by_name.get("x-frame-options", "")),
    }


def _policy(header: str) -> Policy:
    parts = [part.split() for part in header.split(";") if part.strip()]
    return {name.lower(): set(sources) for name, *sources in parts}


def _csp(policy: Policy) -> int:
    if not policy:
        return -25
    default = policy.get("default-src", {"*"})
    script, style, objects = (policy.get(name, default) for name in ("script-src", "style-src", "object-src"))
    passive = policy.get("img-src", default) | policy.get("media-src", default)
    active = set().union(*(sources for name, sources in policy.items() if name not in ("img-src", "media-src")))
    if script & (BROAD | INLINE) or objects & BROAD:
        return -20
    if any(source.startswith(("http:", "ftp:")) for source in active):
        return -20
    if "'unsafe-eval'" in script | style or any(source.startswith(("http:", "ftp:")) for source in passive):
        return -10
    if style & (BROAD | INLINE):
        return 0
    return 10 if default == {"'none'"} else 5


def _cookie(cookie: str, *, is_hsts: bool) -> int:
    first, *rest = [part.strip().lower() for part in cookie.split(";")]
    is_session = any(word in first.partition("=")[0] for word in ("login", "sess"))
    if is_session and "secure" not in rest:
        return -10 if is_hsts else -40
    if is_session and "httponly" not in rest:
        return -30
    if "secure" not in rest:
        return -5 if is_hsts else -20
    return 5 if {"samesite=lax", "samesite=strict"} & set(rest) else 0


def _hsts(header: str | None) -> int:
    if header is None:
        return -20
    ages = [part.strip().removeprefix("max-age=") for part in header.lower().split(";") if part.strip().startswith("max-age=")]
    return 0 if ages and int(ages[0]) >= SIX_MONTHS else -10


def _referrer(header: str | None) -> int:
    if header is None:
        return 0
    return 5 if header in PRIVATE else -5


def _script(url: str) -> int:
    """A script from elsewhere needs more than its URL to be trusted; ours come from the same site."""
    if url.startswith(("http:", "//")):
        return -50
    return -5 if url.startswith("https:") else 0


def _framing(policy: Policy, header: str) -> int:
    if policy.get("frame-ancestors", {"*"}).isdisjoint(BROAD):
        return 5
    return 0 if header.upper() in ("DENY", "SAMEORIGIN") else -20
