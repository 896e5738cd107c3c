"""What the settings page does about blocks."""

from kalends.blocks import api
from kalends.context import Context
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.form import Form
from kalends.web.render import redirect


@endpoint("POST", "/settings/blocks/{blocked_id}/delete", format="html")
def destroy(ctx: Context, blocked_id: int, params: Form) -> Document:
    """No longer block somebody."""
    api.destroy(ctx, blocked_id)
    return redirect(ctx, "/settings#blocks", done="unblocked")
