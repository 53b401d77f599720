"""A real browser, and pages that tolerate no error in it."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # report_samples
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class Watched:
    """Tabs of one browser, and all that went wrong in them."""

    def __init__(self, browser):
        self.browser = browser
        self.troubles = []
        self.contexts = []
        self.usual = self.new_tab()
        self.usual_context = self.contexts.pop()

    def new_tab(self, **options):
        context = self.browser.new_context(reduced_motion="reduce", **options)
        self.contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        note = self.troubles.append
        page.on("pageerror", lambda error: note(f"error: {error}"))
        page.on("console", lambda said: note(f"{said.type}: {said.text}"))
        page.on("dialog", lambda box: (note(f"dialog: {box.message}"), box.dismiss()))
        page.on("request", lambda asked: self.note_request(asked.url))
        return page

    def note_request(self, url):
        if not url.startswith(("file:", "blob:")):
            self.troubles.append(f"request: {url}")

    def tab(self, width, height, options):
        """The usual tab, which is quick, or a new one if something is asked of it."""
        page = self.new_tab(**options) if options else self.usual
        page.set_viewport_size({"width": width, "height": height})
        if not options:
            page.emulate_media(media="screen", color_scheme="light")
            page.mouse.move(0, 0)
        return page

    def settle(self):
        """Close what the test opened, and tell what went wrong."""
        while self.contexts:
            self.contexts.pop().close()
        told = list(self.troubles)
        self.troubles.clear()
        return told


# One a module and not one a session: while it runs, nobody else can run an event loop.
@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium, driven by Playwright."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright")
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip("needs Chromium")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def watched(browser):
    return Watched(browser)


@pytest.fixture
def open_page(watched, tmp_path):
    """Open a page from a file; any error, dialog or request to elsewhere fails the test."""
    from untaint.report import render

    def opened(findings, *, width=1400, height=900, **options):
        path = tmp_path / "report.html"
        html = findings if isinstance(findings, str) else render(findings)
        path.write_text(html, encoding="utf-8")
        page = watched.tab(width, height, options)
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]")
        return page

    yield opened
    assert watched.settle() == []
