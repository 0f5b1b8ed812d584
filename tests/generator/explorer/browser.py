# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, asked through its DevTools protocol: messages of JSON over two pipes, each with a zero
byte behind it. Needs nothing but the program."""

from __future__ import annotations

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
LIMIT = 60.0
"""Seconds for an answer."""


def program() -> str | None:
    """The browser of this machine, if there is one."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


class Browser:
    """One page. heard: console messages, errors and requests of it, since `open`."""

    def __init__(self, command: str, profile: Path, width: int = 1200, height: int = 1500) -> None:
        ours, theirs = os.pipe(), os.pipe()
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
        flags += ["--disable-background-networking", "--remote-debugging-pipe", f"--user-data-dir={profile}"]
        moved = {3: os.dup(ours[0]), 4: os.dup(theirs[1])}

        def arrange() -> None:
            for number, handle in moved.items():
                os.dup2(handle, number)

        self.process = subprocess.Popen(
            [command, *flags, "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=arrange,
            pass_fds=(3, 4),
        )
        for handle in (*moved.values(), ours[0], theirs[1]):
            os.close(handle)
        self._out, self._in = ours[1], theirs[0]
        self._rest, self._number = b"", itertools.count(1)
        self._session = ""
        self.heard: list[dict[str, Any]] = []
        targets = self.ask("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self._session = self.ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.ask(f"{domain}.enable")
        self.resize(width, height)

    def close(self) -> None:
        for handle in (self._out, self._in):
            os.close(handle)
        self.process.kill()
        self.process.wait()

    # ---------------------------------------------------------------- messages

    def ask(self, method: str, **parameters: Any) -> Any:
        """Call a method of the protocol; returns its result."""
        number = next(self._number)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self.heard.append(answer)

    def _message(self) -> dict[str, Any]:
        end = time.monotonic() + LIMIT
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], max(0.0, end - time.monotonic()))
            piece = os.read(self._in, 1 << 16) if ready else b""
            assert piece, "the browser does not answer"
            self._rest += piece
        text, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(text)
        return found

    def named(self, method: str) -> list[dict[str, Any]]:
        """The parameters of messages of a kind."""
        return [message["params"] for message in self.heard if message.get("method") == method]

    # ---------------------------------------------------------------- the page

    def open(self, page: Path, query: str = "") -> None:
        """Open a file. query: what stands behind its address, such as ?q=word."""
        self.heard.clear()
        self.ask("Page.navigate", url=page.resolve().as_uri() + query)
        end = time.monotonic() + LIMIT
        while self.run("document.readyState") != "complete" and time.monotonic() < end:
            time.sleep(0.01)

    def run(self, expression: str) -> Any:
        """The value of an expression of JavaScript."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, f"{expression}: {answer['exceptionDetails']}"
        return answer["result"].get("value")

    def texts(self, selector: str) -> list[str]:
        """What elements show."""
        found: list[str] = self.run(
            f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.textContent)"
        )
        return found

    def place(self, selector: str, at: int = 0) -> tuple[float, float]:
        """The middle of an element, in view."""
        box = self.run(
            f"(() => {{ const one = document.querySelectorAll({json.dumps(selector)})[{at}];"
            "one.scrollIntoView({ block: 'center' }); const b = one.getBoundingClientRect();"
            "return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        return box[0], box[1]

    def mouse(self, kind: str, x: float, y: float) -> None:
        pressed = 0 if kind == "mouseReleased" else 1
        self.ask(
            "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=pressed, clickCount=1
        )

    def click(self, selector: str, at: int = 0) -> None:
        self._press(*self.place(selector, at))

    def click_line(self, selector: str, at: int) -> None:
        """Click a line of a chart, an eighth of its length from where it begins."""
        self.place(selector, at)
        x, y = self.run(
            f"(() => {{ const one = document.querySelectorAll({json.dumps(selector)})[{at}];"
            "const on = one.getPointAtLength(one.getTotalLength() / 8).matrixTransform(one.getScreenCTM());"
            "return [on.x, on.y]; })()"
        )
        self._press(x, y)

    def _press(self, x: float, y: float) -> None:
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def key(self, name: str) -> None:
        code = {"Enter": 13, "Tab": 9, "ArrowRight": 39, "ArrowLeft": 37, " ": 32}[name]
        text = {"Enter": "\r", " ": " "}.get(name)
        more = {} if text is None else {"text": text}
        for kind in ("keyDown", "keyUp"):
            self.ask(
                "Input.dispatchKeyEvent", type=kind, key=name, windowsVirtualKeyCode=code,
                **(more if kind == "keyDown" else {}),
            )  # fmt: skip

    def choose(self, selector: str, value: str) -> None:
        """Choose an entry of a list, as the keyboard does."""
        self.run(
            f"(() => {{ const one = document.querySelector({json.dumps(selector)}); one.focus();"
            f"one.value = {json.dumps(value)}; one.dispatchEvent(new Event('change')); }})()"
        )

    def resize(self, width: int, height: int) -> None:
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def scheme(self, colours: str, media: str = "") -> None:
        """ "light" or "dark"; media: "print" to see what a printer does."""
        features = [{"name": "prefers-color-scheme", "value": colours}]
        self.ask("Emulation.setEmulatedMedia", media=media, features=features)

    def picture(self, file: Path, whole: bool = True) -> None:
        """A PNG of the page."""
        shot = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(shot["data"]))
