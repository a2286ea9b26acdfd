"""Makes calls as lines of JSON on standard input say, by the client for threads or by that for asyncio, and prints what came of each."""

import asyncio
import contextlib
import inspect
import json
import ssl
import sys
import threading

import weir

clients = {}
lock = threading.Lock()
loop = asyncio.new_event_loop()
threading.Thread(target=loop.run_forever, daemon=True).start()


def client_of(job):
    key = json.dumps([job["kind"], job["url"], job["key"], job["options"]])
    with lock:
        if key not in clients:
            made = weir.AsyncClient if job["kind"] == "async" else weir.Client
            options = dict(job["options"])
            if "ca" in options:
                options["ssl_context"] = trusting(options.pop("ca"))
            clients[key] = made(job["url"], job["key"], **options)
        return clients[key]


def trusting(certificate):
    context = ssl.create_default_context(cadata=certificate)
    # From Python 3.13 on, certificates must have more extensions than the one of these tests has.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


def told(error):
    kept = {name: value for name, value in vars(error).items() if not name.startswith("__")}
    return {"class": type(error).__name__, "type": error.type, "text": str(error), **kept}


def say(job, **result):
    with lock:
        print(json.dumps({"id": job["id"], **result}), flush=True)


async def collected(pages):
    return [page async for page in pages]


async def cancelled(call, seconds):
    try:
        await asyncio.wait_for(call, seconds)
    except asyncio.TimeoutError:
        return "cancelled"


class Source:
    """Pieces of a text. ``closed``: it was ended early."""

    def __init__(self, texts, fails=False, hangs=False, stop=None):
        self.texts, self.fails, self.hangs, self.stop, self.closed = texts, fails, hangs, stop, False

    def pieces(self):
        try:
            yield from self.texts
            if self.fails:
                raise RuntimeError("the source fails")
        except GeneratorExit:
            self.closed = True
            raise

    async def pieces_later(self):
        try:
            for text in self.texts:
                yield text
            if self.hangs:
                await asyncio.Event().wait()
            if self.fails:
                raise RuntimeError("the source fails")
        except (GeneratorExit, asyncio.CancelledError):
            self.closed = True
            raise


def guard(client, source, named, told):
    with contextlib.closing(client.guard_stream(source.pieces(), **named)) as safe:
        for text in safe:
            told.append(text)
            if len(told) == source.stop:
                break


async def guard_later(client, source, named, told):
    async with contextlib.aclosing(client.guard_stream(source.pieces_later(), **named)) as safe:
        async for text in safe:
            told.append(text)
            if len(told) == source.stop:
                break


def guarded(job, client):
    source, told, raised = Source(**job["source"]), [], None
    try:
        if job["kind"] == "async":
            call = guard_later(client, source, job["named"], told)
            if "cancel" in job:
                call = cancelled(call, job["cancel"])
            asyncio.run_coroutine_threadsafe(call, loop).result()
        else:
            guard(client, source, job["named"], told)
    except weir.WeirViolation as violation:
        raised = {"violated": violation.violated, "answer": violation.answer, "text": str(violation)}
    except weir.WeirError as error:
        raised = {"class": type(error).__name__}
    except RuntimeError as error:
        raised = {"text": str(error)}
    return {"told": told, "closed": source.closed, "raised": raised}


def run(job):
    try:
        client = client_of(job)
        if job["method"] == "guard_stream":
            say(job, value=guarded(job, client))
            return
        method = getattr(client, job["method"])
        if job["method"] == "run_graph_pages":
            pages = method(**job["named"])
            if job["kind"] == "async":
                value = asyncio.run_coroutine_threadsafe(collected(pages), loop).result()
            else:
                value = list(pages)
        elif job["kind"] == "async":
            call = method(*job["arguments"], **job["named"])
            if "cancel" in job:
                call = cancelled(call, job["cancel"])
            value = asyncio.run_coroutine_threadsafe(call, loop).result()
        else:
            value = method(*job["arguments"], **job["named"])
        say(job, value=value)
    except weir.WeirError as error:
        say(job, error=told(error))
    except BaseException as error:
        say(job, crash=repr(error))


def signatures(made):
    methods = {}
    for name, method in inspect.getmembers(made, inspect.isfunction):
        if not name.startswith("_"):
            parameters = list(inspect.signature(method).parameters.values())[1:]
            methods[name] = [[one.name, one.kind.name, str(one.default), one.annotation] for one in parameters]
    return methods


for line in sys.stdin:
    job = json.loads(line)
    if job["method"] == "signatures":
        made = weir.AsyncClient if job["kind"] == "async" else weir.Client
        say(job, value=signatures(made))
    else:
        threading.Thread(target=run, args=(job,), daemon=True).start()
