"""Debugging with debugpy, over the protocol that editors speak."""

import json
import socket
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

debugpy = pytest.importorskip("debugpy")

PROGRAM = """\
import os

os.environ["SRCGRAD_RECORDED"] = "allow"

import numpy as np
from srcgrad import grad


def bounded(x, limit):
    try:
        h = np.tanh(x / limit)
        return limit * h
    finally:
        done = True


def loss(w, x):
    h = np.tanh(w * x)
    r = bounded(h, 2.0)
    return np.sum(r**2)


w, x = 0.5, np.array([1.0, 2.0])
derivative = grad(loss)
print("FILE", derivative.file(w, x), flush=True)
slope = derivative(w, x)
{call}
"""


class Client:
    """Speaks the protocol of debug adapters over a socket.

    Args:
        port: where the adapter listens.
    """

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.stream = self.socket.makefile("rb")
        self.number = 0
        self.waiting = []

    def close(self):
        """End the connection."""
        self.stream.close()
        self.socket.close()

    def send(self, command, **arguments):
        """Send a request; return its number."""
        self.number += 1
        made = {"seq": self.number, "type": "request", "command": command, "arguments": arguments}
        body = json.dumps(made).encode()
        self.socket.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        return self.number

    def read(self):
        """Return the next message."""
        length = 0
        while line := self.stream.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name == b"Content-Length" else length
        return json.loads(self.stream.read(length))

    def until(self, fits):
        """Return the first message that fits, of those that came or will come."""
        for message in self.waiting:
            if fits(message):
                self.waiting.remove(message)
                return message
        while True:
            message = self.read()
            if fits(message):
                return message
            self.waiting.append(message)

    def ask(self, command, **arguments):
        """Send a request, and return the body of its answer."""
        number = self.send(command, **arguments)
        answer = self.until(lambda m: m["type"] == "response" and m["request_seq"] == number)
        assert answer["success"], answer
        return answer.get("body")

    def event(self, name):
        """Wait for an event."""
        return self.until(lambda m: m["type"] == "event" and m["event"] == name)


@pytest.fixture
def debugged(tmp_path):
    """Starts a program under debugpy; gives the client, and the lines that it prints."""
    running = []

    def start(call):
        path = tmp_path / "model.py"
        path.write_text(PROGRAM.format(call=call))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        command = [sys.executable, "-m", "debugpy", "--listen", f"127.0.0.1:{port}"]
        command += ["--wait-for-client", str(path)]
        with (tmp_path / "printed").open("w") as printed:
            process = subprocess.Popen(
                command, stdout=printed, stderr=subprocess.STDOUT, cwd=tmp_path
            )
        client = connected(port)
        running.append((process, client))
        return client, lambda: (tmp_path / "printed").read_text().splitlines(), path, process

    yield start
    for process, client in running:
        client.close()
        process.kill()
        process.wait()


def connected(port):
    """Connect as soon as somebody listens."""
    for _ in range(600):
        try:
            return Client(port)
        except OSError:
            threading.Event().wait(0.1)
    raise AssertionError("debugpy does not listen")


def begin(client, **breakpoints):
    """Say what an editor says when it attaches."""
    client.ask("initialize", adapterID="test", pathFormat="path", linesStartAt1=True)
    client.send("attach", justMyCode=False)
    client.event("initialized")
    for path, lines in breakpoints.get("lines", {}).items():
        places = [{"line": line} for line in lines]
        client.ask("setBreakpoints", source={"path": path}, breakpoints=places)
    client.ask("configurationDone")


def stopped(client):
    """Wait until the program stops; return the thread, and its stack."""
    thread = client.event("stopped")["body"]["threadId"]
    return thread, client.ask("stackTrace", threadId=thread)["stackFrames"]


def value(client, frame, text):
    """Return what an expression is in a frame."""
    return client.ask("evaluate", expression=text, frameId=frame["id"], context="repl")["result"]


def test_debug_stops_in_the_generated_file(debugged):
    """`debug` stops at the first backward line: file, line, variables; `next` and `continue`."""
    client, lines, _, process = debugged("print('SLOPE', derivative.debug(w, x) == slope)")
    begin(client)
    thread, frames = stopped(client)
    top = frames[0]
    assert top["name"] == "loss_grad"
    text = Path(top["source"]["path"]).read_text().splitlines()
    assert text[top["line"] - 1].strip() == "r_bar = 2 * r"
    assert value(client, top, "r.shape") == "(2,)"
    client.ask("next", threadId=thread)
    thread, frames = stopped(client)
    assert value(client, frames[0], "r_bar.shape") == "(2,)"
    client.ask("continue", threadId=thread)
    client.event("terminated")
    process.wait(60)
    assert "SLOPE True" in lines()


def test_a_breakpoint_in_the_file_that_is_known_before(debugged):
    """The file that `file` names can be given to an editor, and a line of it stops there."""
    client, lines, path, process = debugged("")
    last = path.read_text().splitlines().index("slope = derivative(w, x)") + 1
    begin(client, lines={str(path): [last]})
    thread, _ = stopped(client)
    while not any(line.startswith("FILE") for line in lines()):
        threading.Event().wait(0.05)
    file = next(line for line in lines() if line.startswith("FILE")).split(maxsplit=1)[1].strip()
    text = Path(file).read_text().splitlines()
    line = next(k for k, row in enumerate(text, 1) if row.strip().startswith("h_bar ="))
    client.ask("setBreakpoints", source={"path": file}, breakpoints=[{"line": line}])
    client.ask("continue", threadId=thread)
    thread, frames = stopped(client)
    assert (frames[0]["source"]["path"], frames[0]["line"]) == (file, line)
    assert "recorded" in "\n".join(text)
    client.ask("continue", threadId=thread)
    client.event("terminated")
    process.wait(60)


def test_debug_of_a_recorded_function(debugged):
    """It stops in the straight-line program that ran."""
    call = "print('SLOPE', grad(bounded, recorded='allow').debug(0.3, 2.0))"
    client, lines, _, process = debugged(call)
    begin(client)
    thread, frames = stopped(client)
    assert frames[0]["name"] == "bounded"
    assert value(client, frames[0], "h.round(6)") == repr(np.tanh(0.15).round(6))
    client.ask("continue", threadId=thread)
    client.event("terminated")
    process.wait(60)
    assert any(line.startswith("SLOPE 0.97") for line in lines())
