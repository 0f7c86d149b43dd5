"""Takes the pictures of the README from the demo leagues: `make screenshots`.

The site runs in this process, on a free port and a database of its own that goes when it ends.
"""

import os
import sys
from base64 import b64decode, b64encode
from itertools import product
from pathlib import Path
from threading import Thread
from typing import Literal

from tests.servers import browser_program, new_folder

for name in ("ALLOWED_HOSTS", "DATABASE_URL", "REDIS_URL", "SECRET_KEY"):
    os.environ.pop(name, None)
os.environ.update(VAR_DIR=str(new_folder("var")), DEBUG="1", DJANGO_SETTINGS_MODULE="wsd_site.settings")

from django.core.management import call_command  # noqa: E402 - read their settings from what stands above
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler  # noqa: E402
from playwright.sync_api import Browser, ViewportSize, sync_playwright  # noqa: E402

from wsd_site.wsgi import application  # noqa: E402

IMAGES = Path(__file__).parent / "images"
SCREENS = {
    "desktop": (ViewportSize(width=1280, height=940), 1),
    "phone": (ViewportSize(width=360, height=740), 2),
}
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
# The browser takes pictures as PNG only; its canvas writes WebP, a third of the size.
TO_WEBP = """async png => {
    const image = new Image();
    image.src = "data:image/png;base64," + png;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.9).split(",")[1];
}"""


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *_args: object) -> None:
        """Nothing: the requests of the browser are no news."""


def serve() -> str:
    """Starts the site with the demo leagues; its address."""
    call_command("migrate", verbosity=0)
    call_command("demo")
    server = ThreadedWSGIServer(("127.0.0.1", 0), QuietHandler)
    server.set_app(application)
    Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def standings_of(browser: Browser, site: str) -> str:
    """The address of the standings of the first demo league, as its home links to them."""
    page = browser.new_page()
    page.goto(f"{site}/wsd/")
    path = page.locator("a[href^='/wsd/2']").first.get_attribute("href") or ""
    page.close()
    return site + path


def take(browser: Browser, address: str, screen: str, scheme: Scheme) -> None:
    viewport, scale = SCREENS[screen]
    page = browser.new_page(
        viewport=viewport, device_scale_factor=scale, color_scheme=scheme, reduced_motion="reduce"
    )
    page.context.add_cookies([{"name": "django_language", "value": "en", "url": address}])
    page.goto(address)
    page.evaluate("document.fonts.ready")
    picture = page.screenshot()
    page.goto("about:blank")  # the site's pages allow no image of this kind
    webp = page.evaluate(TO_WEBP, b64encode(picture).decode())
    (IMAGES / f"standings-{screen}-{scheme}.webp").write_bytes(b64decode(webp))
    page.close()


def main() -> None:
    chromium = browser_program() or sys.exit("Chromium is missing: apt-get install chromium")
    site = serve()
    IMAGES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        address = standings_of(browser, site)
        for screen, scheme in product(SCREENS, SCHEMES):
            take(browser, address, screen, scheme)


if __name__ == "__main__":
    main()
