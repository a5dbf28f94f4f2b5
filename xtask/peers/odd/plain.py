"""A plain server of MCP, which the odd ones are made of: its lists and answers, as a row of the table gives them.

A row gives a JSON object. `tool` is merged into the definition of the tool `odd`, a member that is not null in `capabilities`, `serverInfo`,
`instructions`, `protocolVersion`, `tools`, `resources`, `resourceTemplates` and `prompts` stands in place of the plain one, and `result` is the
result of a call of `odd`. The tool `even` answers with its arguments as JSON. The word "ABSENT" removes a member.
"""

import json

SUPPORTED = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
LISTS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}


class Refusal(Exception):
    """An error of JSON-RPC."""

    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.error = {"code": code, "message": message} | ({} if data is None else {"data": data})


def tool(name, **members):
    return {"name": name, "inputSchema": {"type": "object"}} | members


def text(words):
    return {"content": [{"type": "text", "text": words}]}


def merged(definition, members):
    return {name: value for name, value in (definition | members).items() if value != "ABSENT"}


class Plain:
    """What the server lists and answers."""

    def __init__(self, given):
        self.given = json.loads(given or "{}")
        self.tools = self.given.get("tools", [merged(tool("odd"), self.given.get("tool", {})), tool("even")])

    def greeting(self, params):
        asked = params.get("protocolVersion")
        declared = {"tools": {"listChanged": True}}
        for member, area in [("resources", "resources"), ("resourceTemplates", "resources"), ("prompts", "prompts")]:
            if member in self.given:
                declared[area] = {}
        greeting = {
            "protocolVersion": asked if asked in SUPPORTED else SUPPORTED[-1],
            "capabilities": declared,
            "serverInfo": {"name": "odd", "version": "1"},
        }
        names = ["protocolVersion", "capabilities", "serverInfo", "instructions"]
        return merged(greeting, {name: self.given[name] for name in names if name in self.given})

    def called(self, params):
        if params.get("name") == "even":
            return text(json.dumps(params.get("arguments", "no arguments")))
        return self.given.get("result", text("done"))

    def result(self, message):
        """Returns the result of a request, or raises a refusal."""
        method, params = message["method"], message.get("params") or {}
        if method == "initialize":
            return self.greeting(params)
        if method == "tools/call":
            return self.called(params)
        if method == "ping":
            return {}
        if method in LISTS:
            member = LISTS[method]
            return {member: self.tools if member == "tools" else self.given.get(member, [])}
        raise Refusal(-32601, "Method not found")

    def answer(self, message):
        """Returns the answer to a request."""
        answer = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            return answer | {"result": self.result(message)}
        except Refusal as refusal:
            return answer | {"error": refusal.error}


def is_request(message):
    return "method" in message and message.get("id") is not None


def notification(method, **params):
    return {"jsonrpc": "2.0", "method": method, "params": params}


def refused_version(message):
    """Refuses every version but an old one, and names the versions that it has."""
    asked = (message.get("params") or {}).get("protocolVersion")
    if message["method"] == "initialize" and asked != "2025-03-26":
        data = {"supported": ["2024-11-05", "2025-03-26"], "requested": asked}
        raise Refusal(-32602, "Unsupported protocol version", data)
