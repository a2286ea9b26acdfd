# An agent that is checked at each step: every call of a tool before it is made, every result before the model reads it, and the answer while
# the model writes it. Model and tool are stand-ins, `next_call`, `answer` and `shell`: put your own there.
#
# Run:
#   PYTHONPATH=deploy/clients/python python3 -B docs/examples/agent.py
#
# Prints:
#   cat orders/7.txt: Order 7 left our house on Monday.
#   rm -rf / --no-preserve-root: [not run: Destructive commands]
#   cat hosts.txt: [withheld: Internal addresses in tool output]
#   Your order is on its way. …
#   [stopped: Contact data in answers]
from __future__ import annotations

import os
import uuid
from collections.abc import Iterator

from weir import Client, WeirViolation

weir = Client(os.environ.get("WEIR", "http://127.0.0.1:8080"), os.environ.get("KEY", ""))
run = f"run-{uuid.uuid4()}"

FILES = {"orders/7.txt": "Order 7 left our house on Monday.", "hosts.txt": "admin: http://10.0.0.7/admin"}


def next_call(transcript: list[str]) -> dict[str, str] | None:
    """What the model wants to run next. None: it wants to answer."""
    calls = ["cat orders/7.txt", "rm -rf / --no-preserve-root", "cat hosts.txt"]
    return {"command": calls[len(transcript)]} if len(transcript) < len(calls) else None


def answer(transcript: list[str]) -> Iterator[str]:
    """What the model answers, in pieces."""
    text = (
        "Your order is on its way. It left our house on Monday, and the carrier says that it arrives within three days. Should it be late, "
        "write to us again, and we will look after it at once. The parcel holds the lamp and both of the shades. They are packed apart, so "
        "please look into each of the boxes before you throw them away. The lamp has a warranty of two years, and the bill, which is in the "
        "parcel as well, is all that you need for it. If something is broken, take a picture of it before you unpack the rest, and keep the "
        "boxes until you have heard from us. If nobody answers, then ask Ann, who is at ann.miller@shop-of-ann.com all day."
    )
    yield from (f"{word} " for word in text.split())


def shell(call: dict[str, str]) -> str:
    return FILES[call["command"].removeprefix("cat ")]


def violated(event: dict[str, object]) -> str:
    """Names of the policies that an event violates. Raises where Weir has no verdict: without one nothing passes."""
    request = {"environment_id": "prod", "run_id": run, "event": {"type": "tool", "name": "shell", **event}}
    return ", ".join(policy["name"] for policy in weir.check_event(request, policies="flagged")["policies"].values())


def step(call: dict[str, str], number: int) -> str:
    """What the model is told of a call."""
    if names := violated({"event_id": f"call-{number}", "arguments": call}):
        return f"[not run: {names}]"
    output = shell(call)
    names = violated({"event_id": f"result-{number}", "output": output, "parent": {"event_id": f"call-{number}"}})
    return f"[withheld: {names}]" if names else output


transcript: list[str] = []
while call := next_call(transcript):
    transcript.append(step(call, len(transcript)))
    print(f"{call['command']}: {transcript[-1]}")

try:
    for text in weir.guard_stream(answer(transcript), environment_id="prod", run_id=run):
        print(text, end="", flush=True)
    print()
except WeirViolation as violation:
    print(f"\n[stopped: {', '.join(violation.violated)}]")
weir.close()
