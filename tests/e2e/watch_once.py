"""``python -m tests.e2e.watch_once SITE PATH SESSION``: play a lesson and print its network requests.

A separate process, because Playwright and a test that queries Django's database conflict in one process.
"""

import json
import sys
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, sync_playwright

from tests import servers
from tests.e2e.looking import plays_from, start


def main(site: str, path: str, session: str) -> None:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=servers.chromium(),
            args=["--no-sandbox", "--disable-gpu", "--autoplay-policy=no-user-gesture-required"],
        )
        context = chromium.new_context(base_url=site)
        context.add_cookies([{"name": "sessionid", "value": session, "url": site}])
        page = context.new_page()
        came: list[dict[str, object]] = []
        page.on(
            "response",
            lambda answer: came.append(
                {
                    "origin": "{0.scheme}://{0.netloc}".format(urlsplit(answer.url)),
                    "file": urlsplit(answer.url).path.rsplit("/", 1)[-1],
                    "status": answer.status,
                    "referer": answer.request.headers.get("referer", ""),
                    "cookie": answer.request.headers.get("cookie", ""),
                }
            ),
        )
        # The test server has no websockets; everything else must work.
        red: list[str] = []

        def hear(message: ConsoleMessage) -> None:
            text = f"{message.text} {message.location.get('url', '')}"
            if message.type == "error" and "/ws/" not in text:
                red.append(text)

        page.on("console", hear)
        page.goto(path)
        start(page)
        plays_from(page, 0.3)
        height = page.evaluate("document.querySelector('video').videoHeight")
        print(json.dumps({"height": height, "red": red, "came": came}))  # noqa: T201 (read by the test)
        chromium.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
