# SPDX-License-Identifier: GPL-2.0-only
"""Drives a headless Chromium over a pair of pipes, by its DevTools protocol: clicks, types and reads."""
import base64
import json
import os
import select
import subprocess
import tempfile
import time

KEYS = {"Enter": 13, "Escape": 27, "Backspace": 8, "Tab": 9, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36,
        "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
SHIFT = 8


class BrowserError(Exception):
    pass


class Browser:
    """One page of a browser of its own, which ends with it."""

    def __init__(self, program, limit=120):
        self.limit = limit
        self.number = 0
        self.buffer = b""
        self.session = None
        self.events = []
        self.profile = tempfile.TemporaryDirectory(prefix="etw-browser-")
        command_end, self.commands = os.pipe()
        self.answers, answer_end = os.pipe()
        # The shell puts the pipes where Chromium looks for them, whatever their numbers here.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec 3<&{command_end} 4>&{answer_end}; exec "$@"', "bash", program, "--headless=new", "--remote-debugging-pipe",
             "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--disable-background-networking",
             "--disable-component-update", "--no-first-run", "--hide-scrollbars", "--font-render-hinting=none", "--allow-file-access=false",
             "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={self.profile.name}", "about:blank"],
            pass_fds=(command_end, answer_end), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(command_end)
        os.close(answer_end)
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(10)
        except (BrowserError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        self.profile.cleanup()

    def message(self, deadline):
        """The next message, or None at the deadline."""
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], max(0, deadline - time.monotonic()))[0]:
                return None
            data = os.read(self.answers, 1 << 20)
            if not data:
                raise BrowserError("the browser ended")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        deadline = time.monotonic() + self.limit
        while True:
            message = self.message(deadline)
            if message is None:
                raise BrowserError(f"{method}: no answer in {self.limit} seconds")
            if message.get("id") == self.number:
                if "error" in message:
                    raise BrowserError(f"{method}: {message['error']['message']}")
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def read(self, expression):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(f"{expression}: {answer['exceptionDetails'].get('exception', {}).get('description', 'failed')}")
        return answer["result"].get("value")

    def until(self, expression, limit=60):
        """Waits until an expression is true; whether it became so."""
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline:
            if self.read(expression):
                return True
            time.sleep(0.05)
        return False

    def open(self, path, fragment=""):
        self.events.clear()
        # A page that differs in its fragment alone is not loaded again.
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url="file://" + path + fragment)
        if not self.until("location.protocol === 'file:' && document.documentElement?.dataset.ready === 'yes'", self.limit):
            raise BrowserError(path + ": the page was not drawn in time")
        # Flame graphs are drawn when their width is known.
        self.until("[...document.querySelectorAll('.flame')].every((graph) => graph.firstChild)")

    def complaints(self):
        """What the page threw, and what the browser logged of it."""
        self.read("0")
        found = []
        for event in self.events:
            if event["method"] == "Runtime.exceptionThrown":
                details = event["params"]["exceptionDetails"]
                found.append(details.get("exception", {}).get("description") or details["text"])
            elif event["method"] == "Log.entryAdded":
                found.append(event["params"]["entry"]["text"])
        return found

    def requests(self):
        """The addresses that the page asked for, without its own."""
        self.read("0")
        urls = [event["params"]["request"]["url"] for event in self.events if event["method"] == "Network.requestWillBeSent"]
        own = self.read("location.href.replace(/#.*/, '')")
        return [url for url in urls if url.split("#")[0] not in (own, "about:blank")]

    def window(self, width, height, scale=1, mobile=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile)

    def prefer(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme},
                                                          {"name": "prefers-reduced-motion", "value": "reduce"}])

    def key(self, key, shift=False):
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        common = {"key": key, "modifiers": SHIFT if shift else 0, "windowsVirtualKeyCode": KEYS.get(key, 0)}
        self.call("Input.dispatchKeyEvent", type="keyDown", **text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        for character in text:
            self.key(character)

    def mouse(self, kind, x, y, pressed=True):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if pressed else "none",
                  buttons=1 if pressed and kind != "mouseReleased" else 0, clickCount=1)

    def box(self, element):
        """Where an element is; element is an expression. It is scrolled into sight first."""
        box = self.read(f"(() => {{ const e = {element}; if (!e) return null; e.scrollIntoView({{ block: 'center', behavior: 'instant' }});"
                        "const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()")
        if not box:
            raise BrowserError("no element " + element)
        return box

    def click(self, element):
        x, y, width, height = self.box(element)
        self.mouse("mousePressed", x + width / 2, y + height / 2)
        self.mouse("mouseReleased", x + width / 2, y + height / 2)

    def drag(self, element, start, end):
        """Drags over an element from one share of its width to another."""
        x, y, width, height = self.box(element)
        middle = y + height / 2
        self.mouse("mousePressed", x + start * width, middle)
        for i in range(1, 5):
            self.mouse("mouseMoved", x + (start + (end - start) * i / 4) * width, middle)
        self.mouse("mouseReleased", x + end * width, middle)

    def picture(self, path, whole=False):
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole,
                         **({"clip": {"x": 0, "y": 0, "scale": 1, **self.read(
                             "({ width: innerWidth, height: document.documentElement.scrollHeight })")}} if whole else {}))
        with open(path, "wb") as out:
            out.write(base64.b64decode(shot["data"]))

    def pdf(self, path):
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]))
