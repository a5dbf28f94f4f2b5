"""A server over HTTP that is odd in one way. It listens at 127.0.0.1:$PORT.

    PORT=7000 python3 odd_http.py KIND [GIVEN]

KIND is one of the functions below that are marked with `@kind`, GIVEN is described in `plain.py`. Such a function gets each request and
notification that is posted. It returns what is answered in place of the plain answer, a pair of a status and a body, or None.
"""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from plain import Plain, Refusal, is_request, refused_version

KINDS = {}
JSON = "application/json"


def kind(name):
    def keep(function):
        KINDS[name] = function
        return function

    return keep


def is_call(message):
    return message["method"] == "tools/call"


class Closed(Exception):
    """The connection is closed without an answer."""


# The era.


@kind("plain")
def plain(exchange, message):
    return None


def fails_with_discover(answer):
    def odd(exchange, message):
        return answer() if message["method"] == "server/discover" else None

    return odd


@kind("discover-is-500")
@fails_with_discover
def discover_is_500():
    return 500, "oops"


@kind("discover-is-502")
@fails_with_discover
def discover_is_502():
    return 502, "<h1>Bad Gateway</h1>"


@kind("discover-is-403")
@fails_with_discover
def discover_is_403():
    return 403, ""


@kind("discover-is-404")
@fails_with_discover
def discover_is_404():
    return 404, "Not Found"


@kind("discover-is-an-error-with-500")
@fails_with_discover
def discover_is_an_error_with_500():
    return 500, {"jsonrpc": "2.0", "id": None, "error": {"code": -32603, "message": "Internal error"}}


@kind("discover-closes-the-connection")
@fails_with_discover
def discover_closes_the_connection():
    raise Closed


@kind("refuses-the-newest-version")
def refuses_the_newest_version(exchange, message):
    try:
        refused_version(message)
    except Refusal as refusal:
        return 400, {"jsonrpc": "2.0", "id": message["id"], "error": refusal.error}


# The session. The first one is forgotten when a call comes.


def forgets(sign):
    def odd(exchange, message):
        is_lost = exchange.session() == "s-1" and (is_call(message) or exchange.server.forgot)
        if not is_lost or message["method"] == "initialize":
            return None
        exchange.server.forgot = True
        return sign(message)

    return odd


@kind("forgets-with-404")
@forgets
def forgets_with_404(message):
    return 404, "Session not found"


@kind("forgets-with-400")
@forgets
def forgets_with_400(message):
    error = {"code": -32000, "message": "Bad Request: No valid session ID provided"}
    return 400, {"jsonrpc": "2.0", "id": None, "error": error}


@kind("forgets-with-410")
@forgets
def forgets_with_410(message):
    return 410, ""


@kind("forgets-with-401")
@forgets
def forgets_with_401(message):
    return 401, {"error": "Invalid session"}


@kind("forgets-with-an-error")
@forgets
def forgets_with_an_error(message):
    return 200, {"jsonrpc": "2.0", "id": message.get("id"), "error": {"code": -32001, "message": "Session not found"}}


# The form of answers.


@kind("ids-as-texts")
def ids_as_texts(exchange, message):
    if is_request(message):
        return 200, exchange.server.plain.answer(message) | {"id": str(message["id"])}


@kind("mark-before-each-answer")
def mark_before_each_answer(exchange, message):
    if is_request(message):
        return 200, "\ufeff" + json.dumps(exchange.server.plain.answer(message))


@kind("type-with-a-charset")
def type_with_a_charset(exchange, message):
    exchange.type = "application/json; charset=utf-8"


@kind("answers-in-streams")
def answers_in_streams(exchange, message):
    if is_request(message):
        exchange.type = "text/event-stream"
        answer = json.dumps(exchange.server.plain.answer(message))
        return 200, f": hello\r\n\r\nevent: message\r\nid: 1\r\ndata: {answer}\r\n\r\n"


@kind("streams-with-a-short-pause")
def streams_with_a_short_pause(exchange, message):
    if is_request(message):
        exchange.type = "text/event-stream"
        return 200, f"retry: 1\n\ndata: {json.dumps(exchange.server.plain.answer(message))}\n\n"


@kind("notifications-are-200")
def notifications_are_200(exchange, message):
    return None if is_request(message) else (200, "")


@kind("notifications-are-204")
def notifications_are_204(exchange, message):
    return None if is_request(message) else (204, "")


@kind("cursor-repeats")
def cursor_repeats(exchange, message):
    if message["method"] == "tools/list":
        answer = exchange.server.plain.answer(message)
        answer["result"]["nextCursor"] = "again"
        return 200, answer


@kind("wants-a-login")
def wants_a_login(exchange, message):
    exchange.more["WWW-Authenticate"] = "Bearer"
    return 401, ""


@kind("is-a-page")
def is_a_page(exchange, message):
    exchange.type = "text/html"
    return 200, "<!doctype html><title>Welcome</title>"


class Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def session(self):
        return self.headers.get("Mcp-Session-Id")

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        self.type, self.more = JSON, {}
        try:
            answer = self.server.odd(self, message)
        except Closed:
            self.close_connection = True
            return
        if answer is None and is_request(message):
            answer = 200, self.server.plain.answer(message)
        status, body = answer or (202, "")
        if status == 200 and message["method"] == "initialize":
            self.more["Mcp-Session-Id"] = "s-2" if self.server.forgot else "s-1"
        self.send(status, body if isinstance(body, str) else json.dumps(body))

    def do_GET(self):
        self.type, self.more = JSON, {}
        self.send(405, "")

    def do_DELETE(self):
        self.do_GET()

    def send(self, status, body):
        body = body.encode()
        self.send_response(status)
        if body:
            self.send_header("Content-Type", self.type)
        for name, value in self.more.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Writes nothing."""


class Listener(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A client that hangs up is no error."""


server = Listener(("127.0.0.1", int(os.environ["PORT"])), Exchange)
server.plain = Plain(sys.argv[2] if len(sys.argv) > 2 else "")
server.odd, server.forgot = KINDS[sys.argv[1]], False
server.serve_forever()
