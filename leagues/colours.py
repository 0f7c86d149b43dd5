"""A league's colour as numbers, for what no stylesheet reaches: icons, and pictures on other sites.

The lightness and chroma are those of ``static/css/base.css``; a league chooses the hue alone.
"""

from __future__ import annotations

from math import cos, radians, sin

Channels = tuple[float, float, float]  # red, green and blue of sRGB, each from 0 to 1

ACCENT = (0.465, 0.115)  # lightness and chroma of --accent and --hero in the light theme
HERO = (0.345, 0.082)


def oklch(lightness: float, chroma: float, hue: float) -> Channels:
    """An OKLCH colour in sRGB, each channel cut to what screens show; the hue in degrees.

    The matrices are those of Björn Ottosson, https://bottosson.github.io/posts/oklab/.
    """
    a, b = chroma * cos(radians(hue)), chroma * sin(radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        _encoded(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
        _encoded(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
        _encoded(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short),
    )


def _encoded(linear: float) -> float:
    linear = min(max(linear, 0.0), 1.0)
    return linear * 12.92 if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055


def as_hex(colour: Channels) -> str:
    """A colour as every program reads it: #0b5b47."""
    return "#" + "".join(f"{round(channel * 255):02x}" for channel in colour)


def accent_of(hue: int) -> str:
    """The colour of a league's links and buttons; white is read on it."""
    return as_hex(oklch(*ACCENT, hue))


def hero_of(hue: int) -> str:
    """The colour of the top of a league's pages; white is read on it."""
    return as_hex(oklch(*HERO, hue))
