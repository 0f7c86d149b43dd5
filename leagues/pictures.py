"""Pictures that people upload, made into files of the site's own: what was uploaded is never served."""

from __future__ import annotations

import struct
import warnings
import zlib
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from PIL import Image, ImageOps

FORMATS = ("PNG", "JPEG", "WEBP")
LARGEST_FILE = 2_000_000  # bytes
MOST_PIXELS = 16_000_000  # decoded, 64 MB
LEAST_SIDE = 32
ICON_SIDE, PICTURE_SIDE = 96, 512  # pixels
_UNREADABLE = (OSError, SyntaxError, ValueError, EOFError, OverflowError, KeyError, struct.error, zlib.error)


@dataclass(frozen=True, slots=True)
class Pictures:
    """A logo as PNG: a small square for the head of pages, and one for sites that show links."""

    icon: bytes
    picture: bytes

    @property
    def digest(self) -> str:
        """What tells these pictures from others, for addresses and caches."""
        return sha256(self.icon + self.picture).hexdigest()[:16]


def pictures_of(data: bytes) -> Pictures:
    """An uploaded picture, decoded and written anew, so that only its pixels are left of it.

    Raises ValidationError, with a sentence, for what is no picture of FORMATS, or too large.
    """
    if len(data) > LARGEST_FILE:
        raise ValidationError(_("The picture is larger than 2 MB; make it smaller."))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # its size is looked at below
        try:
            with Image.open(BytesIO(data), formats=FORMATS) as image:
                _check_size(*image.size)
                pixels = ImageOps.exif_transpose(image).convert("RGBA")
        except (Image.DecompressionBombError, *_UNREADABLE) as error:
            raise ValidationError(
                _("This is no picture that can be read; use a PNG, JPEG or WebP.")
            ) from error
    return Pictures(
        icon=_png(_square(pixels), ICON_SIDE, few_colours=True), picture=_png(pixels, PICTURE_SIDE)
    )


def _check_size(width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        raise ValidationError(
            _("The picture has %(width)d × %(height)d pixels, and may have 16 million in all.")
            % {"width": width, "height": height}
        )
    if min(width, height) < LEAST_SIDE:
        raise ValidationError(
            _("The picture has %(width)d × %(height)d pixels; it needs 32 each way.")
            % {"width": width, "height": height}
        )


def _square(image: Image.Image) -> Image.Image:
    """The picture in the middle of a square that is clear around it."""
    side = max(image.size)
    square = Image.new("RGBA", (side, side))
    square.paste(image, ((side - image.width) // 2, (side - image.height) // 2))
    return square


def _png(image: Image.Image, side: int, *, few_colours: bool = False) -> bytes:
    """The picture as PNG, no side longer than this and nothing in the file but pixels."""
    small = image.copy()
    small.thumbnail((side, side), Image.Resampling.LANCZOS)
    if few_colours:  # a third of the size, and at this size nobody sees it
        small = small.quantize(256, method=Image.Quantize.FASTOCTREE)
    small.info.clear()
    file = BytesIO()
    small.save(file, "PNG", optimize=True)
    return file.getvalue()
