"""A server over stdio that is odd in one way.

    python3 odd_stdio.py KIND [GIVEN]

KIND is one of the functions below that are marked with `@kind`, GIVEN is described in `plain.py`. Such a function gets each request and
notification. It returns what is written in place of the plain answer, or None for the plain answer. What it returns is a list, of which texts
and bytes are written as they are, and anything else as a line of JSON.
"""

import json
import os
import sys
import time

from plain import Plain, Refusal, is_request, notification, refused_version, text, tool

KINDS = {}


def kind(name):
    def keep(function):
        KINDS[name] = function
        return function

    return keep


def line(message):
    return json.dumps(message) + "\n"


def write(parts):
    for part in parts:
        part = part if isinstance(part, (str, bytes)) else line(part)
        sys.stdout.buffer.write(part.encode() if isinstance(part, str) else part)
        sys.stdout.buffer.flush()


def is_call(message):
    return message["method"] == "tools/call"


# The form of messages.


@kind("plain")
def plain(server, message):
    return None


@kind("mark-before-each-line")
def mark_before_each_line(server, message):
    return ["\ufeff" + line(server.answer(message))] if is_request(message) else None


@kind("lines-of-windows")
def lines_of_windows(server, message):
    return [line(server.answer(message)).replace("\n", "\r\n")] if is_request(message) else None


@kind("empty-lines")
def empty_lines(server, message):
    return ["\n", "  \n", server.answer(message), "\n"] if is_request(message) else None


@kind("noise-on-stdout")
def noise_on_stdout(server, message):
    noise = "Server is listening ...\n{not json}\n[\n"
    return [noise, server.answer(message), noise] if is_request(message) else None


@kind("bytes-that-are-no-text")
def bytes_that_are_no_text(server, message):
    return [b"\xff\xfe\x80\n", server.answer(message)] if is_request(message) else None


@kind("ids-as-texts")
def ids_as_texts(server, message):
    return [server.answer(message) | {"id": str(message["id"])}] if is_request(message) else None


@kind("ids-with-a-fraction")
def ids_with_a_fraction(server, message):
    return [server.answer(message) | {"id": float(message["id"])}] if is_request(message) else None


@kind("members-that-are-null")
def members_that_are_null(server, message):
    nulls = {"error": None, "result": None, "method": None, "params": None}
    return [nulls | server.answer(message)] if is_request(message) else None


@kind("notifications-with-a-null-id")
def notifications_with_a_null_id(server, message):
    if not is_call(message):
        return None
    server.tools = [*server.tools, tool("late")]
    changed = notification("notifications/tools/list_changed")
    return [changed | {"id": None}, server.answer(message)]


@kind("notifications-with-null-params")
def notifications_with_null_params(server, message):
    if not is_call(message):
        return None
    server.tools = [*server.tools, tool("late")]
    return [notification("notifications/tools/list_changed") | {"params": None}, server.answer(message)]


@kind("notifications-that-nobody-knows")
def notifications_that_nobody_knows(server, message):
    strange = [notification("notifications/of/nobody", a=1), notification("$/progress"), notification("")]
    return [*strange, server.answer(message)] if is_request(message) else None


@kind("each-answer-twice")
def each_answer_twice(server, message):
    return [server.answer(message)] * 2 if is_request(message) else None


@kind("answers-to-nothing")
def answers_to_nothing(server, message):
    strays = [{"jsonrpc": "2.0", "id": id, "result": {}} for id in (987654, "nothing", None)]
    return [*strays, server.answer(message)] if is_request(message) else None


@kind("answers-in-pieces")
def answers_in_pieces(server, message):
    if not is_request(message):
        return None
    answer = json.dumps(server.answer(message), ensure_ascii=False).encode() + b"\n"
    # Pieces end within characters too.
    return [answer[at : at + 7] for at in range(0, len(answer), 7)]


@kind("members-that-nobody-knows")
def members_that_nobody_knows(server, message):
    return [{"x": 1} | server.answer(message) | {"_y": [None]}] if is_request(message) else None


# The handshake.


@kind("ends-when-it-is-probed")
def ends_when_it_is_probed(server, message):
    if message["method"] == "server/discover":
        sys.exit(1)


@kind("refuses-the-newest-version")
def refuses_the_newest_version(server, message):
    refused_version(message)


@kind("talks-before-the-handshake")
def talks_before_the_handshake(server, message):
    if message["method"] == "initialize":
        return [notification("notifications/message", level="info", data="hello"), server.answer(message)]


@kind("pings-in-the-handshake")
def pings_in_the_handshake(server, message):
    """Answers only once the client has answered its own request."""
    if message["method"] == "initialize":
        write([{"jsonrpc": "2.0", "id": "p", "method": "ping"}])
        server.held = [server.answer(message)]
        return []


@kind("asks-what-nobody-knows")
def asks_what_nobody_knows(server, message):
    """Answers a call only once its own request was refused."""
    if is_call(message):
        write([{"jsonrpc": "2.0", "id": "q", "method": "of/nobody", "params": {}}])
        server.held = [server.answer(message)]
        return []


@kind("asks-for-roots-at-once")
def asks_for_roots_at_once(server, message):
    if message["method"] == "notifications/initialized":
        return [{"jsonrpc": "2.0", "id": "r", "method": "roots/list"}]


@kind("never-answers-the-handshake")
def never_answers_the_handshake(server, message):
    return []


# The process.


@kind("floods-stderr")
def floods_stderr(server, message):
    if message["method"] in ("initialize", "tools/call"):
        sys.stderr.write("x" * 4000 + "\n" * 1000)
        for _ in range(500):
            sys.stderr.write("y" * 4000 + "\n")
        sys.stderr.flush()


@kind("fails-to-start")
def fails_to_start(server, message):
    sys.stderr.write("the database is not there\n")
    sys.exit(3)


@kind("fails-to-start-seven-times")
def fails_to_start_seven_times(server, message):
    if message["method"] not in ("server/discover", "initialize") or server.is_up:
        return
    with open("starts", "a", encoding="utf-8") as starts:
        starts.write("x")
    if os.path.getsize("starts") <= 7:
        sys.exit(1)
    server.is_up = True


@kind("ends-without-error-after-each-call")
def ends_without_error_after_each_call(server, message):
    if is_call(message):
        write([server.answer(message)])
        sys.exit(0)


@kind("dies-in-a-call")
def dies_in_a_call(server, message):
    if is_call(message) and message["params"]["name"] == "odd":
        sys.stderr.write("out of cheese\n")
        sys.stderr.flush()
        sys.exit(7)


@kind("dies-once-in-a-call")
def dies_once_in_a_call(server, message):
    if is_call(message) and not os.path.exists("died"):
        open("died", "w", encoding="utf-8").close()
        os._exit(9)


@kind("closes-stdout-in-a-call")
def closes_stdout_in_a_call(server, message):
    if is_call(message):
        os.close(1)
        return []


# Lists.


def pages(server, message, cursor):
    if message["method"] == "tools/list":
        at = (message.get("params") or {}).get("cursor")
        listed = {"tools": server.tools if at is None else []} | cursor(at)
        return [{"jsonrpc": "2.0", "id": message["id"], "result": listed}]


@kind("cursor-is-empty")
def cursor_is_empty(server, message):
    return pages(server, message, lambda at: {"nextCursor": ""})


@kind("cursor-is-null")
def cursor_is_null(server, message):
    return pages(server, message, lambda at: {"nextCursor": None})


@kind("cursor-is-a-number")
def cursor_is_a_number(server, message):
    return pages(server, message, lambda at: {"nextCursor": 1})


@kind("cursor-repeats")
def cursor_repeats(server, message):
    return pages(server, message, lambda at: {"nextCursor": "again"})


@kind("cursor-without-end")
def cursor_without_end(server, message):
    return pages(server, message, lambda at: {"nextCursor": f"{at}x"})


@kind("cursor-is-not-known")
def cursor_is_not_known(server, message):
    """Sends the same page whatever the cursor is."""
    if message["method"] == "tools/list":
        at = (message.get("params") or {}).get("cursor", "0")
        listed = {"tools": server.tools, "nextCursor": str(int(at) + 1)}
        return [{"jsonrpc": "2.0", "id": message["id"], "result": listed}]


@kind("tools-are-not-declared")
def tools_are_not_declared(server, message):
    """Never answers a request that its capabilities exclude."""
    return [] if message["method"] == "tools/list" else None


@kind("resources-fail")
def resources_fail(server, message):
    if message["method"].startswith("resources/"):
        raise Refusal(-32603, "no database")


@kind("templates-are-not-known")
def templates_are_not_known(server, message):
    if message["method"] == "resources/templates/list":
        raise Refusal(-32601, "Method not found")


@kind("list-changes-by-a-call")
def list_changes_by_a_call(server, message):
    if is_call(message):
        server.tools = [*server.tools, tool("late")]
        return [notification("notifications/tools/list_changed"), server.answer(message)]


@kind("list-changes-a-thousand-times")
def list_changes_a_thousand_times(server, message):
    if is_call(message):
        return [line(notification("notifications/tools/list_changed")) * 1000, server.answer(message)]


# Calls.


def in_calls(answer):
    """Makes a kind of what stands in place of the answer to a call of `odd`."""

    def odd(server, message):
        if is_call(message) and message["params"]["name"] == "odd":
            return answer(server, message)
        return None

    return odd


@kind("error-is-a-text")
@in_calls
def error_is_a_text(server, message):
    return [{"jsonrpc": "2.0", "id": message["id"], "error": "no"}]


@kind("error-without-a-message")
@in_calls
def error_without_a_message(server, message):
    return [{"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32000}}]


@kind("error-of-the-server")
@in_calls
def error_of_the_server(server, message):
    raise Refusal(-32050, "the printer is on fire", {"printer": 7})


@kind("error-with-a-number-of-the-kernel")
@in_calls
def error_with_a_number_of_the_kernel(server, message):
    raise Refusal(-32001, "no such field", {"error_type": "FieldValidation"})


@kind("answer-without-a-result")
@in_calls
def answer_without_a_result(server, message):
    return [{"jsonrpc": "2.0", "id": message["id"]}]


@kind("logs-without-end")
@in_calls
def logs_without_end(server, message):
    log = line(notification("notifications/message", level="debug", data="x" * 100))
    return [log * 2000, server.answer(message)]


@kind("progress-of-nobody")
@in_calls
def progress_of_nobody(server, message):
    tokens = [None, "nobody", 77, {}]
    progress = [notification("notifications/progress", progressToken=token, progress="half") for token in tokens]
    return [*progress, server.answer(message)]


@kind("waits-and-reports-progress")
@in_calls
def waits_and_reports_progress(server, message):
    """Takes longer than the limit of a call, and reports its progress meanwhile."""
    token = message["params"].get("_meta", {}).get("progressToken")
    for step in range(12):
        time.sleep(0.25)
        write([notification("notifications/progress", progressToken=token, progress=step)])
    return None


@kind("never-answers-a-call")
@in_calls
def never_answers_a_call(server, message):
    return []


@kind("long-text")
@in_calls
def long_text(server, message):
    return [server.answer(message) | {"result": text("swan " * 20_000 + "end")}]


def main():
    server = Plain(sys.argv[2] if len(sys.argv) > 2 else "")
    server.held, server.is_up = [], False
    odd = KINDS[sys.argv[1]]
    for read in sys.stdin.buffer:
        message = json.loads(read)
        if "method" not in message:
            # The client has answered.
            write(server.held)
            server.held = []
            continue
        try:
            parts = odd(server, message)
        except Refusal as refusal:
            parts = [{"jsonrpc": "2.0", "id": message.get("id"), "error": refusal.error}]
        if parts is None and is_request(message):
            parts = [server.answer(message)]
        write(parts or [])


main()
