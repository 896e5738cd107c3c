"""The picture in the form of an event: a file, or the URL of one that is elsewhere."""

from kalends.features.pictures.steps.add import add_picture
from kalends.http.context import Context
from kalends.http.input.form import Form

FILE, REMOVE = "file", "remove_image"


def save(ctx: Context, form: Form) -> None:
    """Store the picture that came with the form, and put its path into the form: if that is shown again, the picture is not lost."""
    if upload := form.file(FILE):
        form.values["image_url"] = add_picture(ctx, upload)
    elif form.text(REMOVE):
        form.values |= {"image_url": "", "image_alt": ""}
    form.values = form.without(FILE, REMOVE).values
