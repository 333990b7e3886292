"""Headless Chromium over a pipe, for pictures and checks of our own pages. Nothing but the standard library is needed.

A script asks for `Browser()`; where no Chromium is installed, `NoBrowser` says how to get one. The protocol is the
browser's own (DevTools): one JSON object a message, ended by a zero byte, on the file descriptors 3 and 4.
"""

import base64
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync --hide-scrollbars --remote-debugging-pipe"""


class NoBrowser(Exception):
    """No Chromium is installed, or it cannot be spoken to."""


class Browser:
    """A browser with one page. Use it as a context manager; its profile is thrown away."""

    def __init__(self) -> None:
        """Start it.

        Raises:
            NoBrowser: none is on PATH.
        """
        if os.name == "nt":
            raise NoBrowser("the browser is spoken to over inherited file descriptors, which Windows does not have")
        program = next((found for name in NAMES if (found := shutil.which(name))), None)
        if program is None:
            raise NoBrowser("no Chromium on PATH: apt-get install chromium, or your system's way")
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        hers, self._out = os.pipe()
        self._in, his = os.pipe()
        flags = [*QUIET.split(), f"--user-data-dir={self._profile.name}", "about:blank"]
        # The shell puts the two ends where the browser looks for them.
        command = ["bash", "-c", f'exec "$@" 3<&{hers} 4>&{his}', "bash", program, *flags]
        self._process = subprocess.Popen(command, pass_fds=(hers, his), stderr=subprocess.DEVNULL)
        os.close(hers)
        os.close(his)
        self._number, self._rest, self._session = 0, b"", ""
        (page,) = [each for each in self._send("Target.getTargets")["targetInfos"] if each["type"] == "page"]
        attached = self._send("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._out)
        os.close(self._in)
        self._profile.cleanup()

    def open(
        self, page: Path, width: int, height: int, *, dark: bool = False, scale: float = 1, media: str = "screen"
    ) -> None:
        """Show a file on a screen (or as print) of this size, in CSS pixels, and wait until it is loaded."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        screen = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 500}
        self._send("Emulation.setEmulatedMedia", media=media, features=[scheme])
        self._send("Emulation.setDeviceMetricsOverride", **screen)
        self._send("Page.navigate", url=page.resolve().as_uri())
        while self.evaluate("document.readyState") != "complete":
            pass

    def picture(self) -> bytes:
        """What the screen shows, as PNG."""
        return base64.b64decode(self._send("Page.captureScreenshot", format="png")["data"])

    def evaluate(self, script: str) -> Any:
        """The value of a script run in the page; a promise is waited for.

        Raises:
            RuntimeError: it threw; with its words.
        """
        done = self._send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise RuntimeError(json.dumps(done["exceptionDetails"]))
        return done["result"].get("value")

    def _send(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        with open(self._out, "wb", closefd=False) as pipe:
            pipe.write(json.dumps(message).encode() + b"\0")
        while (reply := self._receive()).get("id") != self._number:
            pass
        if "error" in reply:
            raise RuntimeError(f"{method}: {reply['error']['message']}")
        result: dict[str, Any] = reply["result"]
        return result

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            read = os.read(self._in, 1 << 20)
            if not read:
                raise RuntimeError("the browser is gone")
            self._rest += read
        text, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message
