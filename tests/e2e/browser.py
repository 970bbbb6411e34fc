"""A headless Chromium, spoken to in its own protocol over a pair of pipes: no driver in between.

(Chrome DevTools Protocol; `--remote-debugging-pipe` reads JSON messages that end with a NUL from
descriptor 3, and writes them to descriptor 4.)
"""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, Self

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE_SECONDS = 60
_FLAGS = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-sandbox",  # what it opens are files of ours
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
)


def program() -> str | None:
    """The browser's program; None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One browser with one page."""

    def __init__(self, folder: Path) -> None:
        found = program()
        assert found is not None
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()

        def hand_over() -> None:
            high = [fcntl.fcntl(one, fcntl.F_DUPFD, 10) for one in (theirs_in, theirs_out)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self._process = subprocess.Popen(
            [found, *_FLAGS, f"--user-data-dir={folder / 'profile'}", "about:blank"],
            close_fds=False,  # all others close themselves
            preexec_fn=hand_over,  # noqa: PLW1509 - no threads
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._buffer = b""
        self._number = 0
        self.heard: list[dict[str, Any]] = []
        """Events of the page since it was opened."""
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        attached = self._send("Target.attachToTarget", targetId=target, flatten=True)
        self._session: str | None = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._out)
        os.close(self._in)
        self._process.kill()
        self._process.wait(PATIENCE_SECONDS)

    def look(self, width: int, height: int, theme: str = "light", *, scripts: bool = True) -> None:
        """The screen, the colours the reader's system prefers, and whether scripts run."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        features = [{"name": "prefers-color-scheme", "value": theme}]
        self.send("Emulation.setEmulatedMedia", features=features)
        self.send("Emulation.setScriptExecutionDisabled", value=not scripts)

    def open(self, url: str) -> None:
        """Open a page, and wait until it has loaded."""
        self.heard.clear()
        self.send("Page.navigate", url=url)
        self._wait("Page.loadEventFired")

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page."""
        found = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def press(self, key: str, code: int = 0) -> None:
        """One key, down and up."""
        text = key if len(key) == 1 else ("\r" if key == "Enter" else "")
        more = {"text": text} if text else {}
        codes = {"windowsVirtualKeyCode": code or (ord(key.upper()) if len(key) == 1 else 0)}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **codes, **more)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, **codes)

    def picture(self, path: Path) -> None:
        """The whole page as a PNG file."""
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        taken = self.send("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(taken["data"]))

    def requests(self) -> list[str]:
        """Addresses of all that the page asked for."""
        sent = [one for one in self.heard if one["method"] == "Network.requestWillBeSent"]
        return [one["params"]["request"]["url"] for one in sent]

    def refused(self) -> list[str]:
        """Addresses of what the page's own policy did not let it ask for."""
        failed = [one["params"] for one in self.heard if one["method"] == "Network.loadingFailed"]
        ids = {one["requestId"] for one in failed if one.get("blockedReason") == "csp"}
        return [
            one["params"]["request"]["url"]
            for one in self.heard
            if one["method"] == "Network.requestWillBeSent" and one["params"]["requestId"] in ids
        ]

    def complaints(self) -> list[str]:
        """What the page wrote to its console, or failed with."""
        kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [json.dumps(one["params"]) for one in self.heard if one["method"] in kinds]

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Have the page do something, and return what it answers."""
        return self._send(method, self._session, **parameters)

    def _send(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self.heard.append(answer)

    def _wait(self, method: str) -> None:
        while not any(one.get("method") == method for one in self.heard):
            self.heard.append(self._receive())

    def _receive(self) -> dict[str, Any]:
        until = time.monotonic() + PATIENCE_SECONDS
        while b"\0" not in self._buffer:
            left = until - time.monotonic()
            ready, _, _ = select.select([self._in], [], [], max(left, 0))
            assert ready, "the browser says nothing"
            data = os.read(self._in, 1 << 20)
            assert data, "the browser has gone"
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)
