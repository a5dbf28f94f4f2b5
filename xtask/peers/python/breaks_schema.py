"""A server whose definitions, answers and greeting break MCP's schema in every way that its generator finds. Needs no package.

The one argument is the seed. Every list begins and ends with a valid entry: `first` and `last`. The tool `answer` gives the odd answer of the
number `n`, and so does the prompt `first`.
"""

import copy
import json
import random
import sys

TOOLS, OTHERS = 3000, 300

SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {"a": {"type": "string"}, "b": {"$ref": "#/$defs/b"}, "c": {"type": "integer", "minimum": 1}},
    "required": ["a"],
    "$defs": {"b": {"enum": ["x", "y"]}},
    "additionalProperties": False,
}
ICONS = [{"src": "https://a.example/i.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}]
NOTES = {"audience": ["user"], "priority": 0.5, "lastModified": "2026-01-31T12:00:00Z"}
TOOL = {
    "name": "odd",
    "title": "t",
    "description": "d",
    "inputSchema": SCHEMA,
    "outputSchema": SCHEMA,
    "annotations": {"title": "t", "readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False},
    "execution": {"taskSupport": "forbidden"},
    "icons": ICONS,
    "_meta": {"a": 1},
}
RESOURCE = {
    "uri": "odd://r",
    "name": "r",
    "title": "t",
    "description": "d",
    "mimeType": "text/plain",
    "size": 7,
    "annotations": NOTES,
    "icons": ICONS,
    "_meta": {"a": 1},
}
PROMPT = {
    "name": "odd",
    "title": "t",
    "description": "d",
    "arguments": [{"name": "a", "title": "t", "description": "d", "required": False}],
    "icons": ICONS,
    "_meta": {"a": 1},
}
TEXT = {"type": "text", "text": "t", "annotations": NOTES, "_meta": {"a": 1}}
ANSWER = {
    "content": [
        TEXT,
        {"type": "image", "data": "AA==", "mimeType": "image/png"},
        {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "odd://r", "text": "t", "mimeType": "text/plain"}},
        {"type": "resource_link", "uri": "odd://r", "name": "r", "size": 7},
    ],
    "structuredContent": {"a": [1]},
    "isError": False,
    "_meta": {"a": 1},
}
MESSAGES = {"description": "d", "messages": [{"role": "user", "content": TEXT}, {"role": "assistant", "content": TEXT}]}

VALUES = [
    None, True, False, 0, 1, -7, 1.5, 2**53 + 1, "", "text", "object", "true", "a b", "\ud800", "x\udc00y",
    "data:image/png;base64,AA-_", [], [None], ["text", 7, {}], ["object", "null"], [TEXT], {}, {"type": "object"}, {"type": "strin"},
    {"type": ["null", "object"], "required": None, "properties": {"a": True, "b": False, "c": None}},
    {"type": "object", "properties": {"a": {"minLength": "3", "enum": None}}}, {"anyOf": [{"required": ["a"]}]},
    {"$ref": "#/$defs/none"}, {"type": "text", "text": None}, {"type": "video", "url": "u:v"}, {"uri": "not a uri", "text": "t"},
    {"\udfff": "\udfff"},
]  # fmt: skip


def change(value, numbers):
    """Makes one change somewhere in a value, and returns it."""
    if isinstance(value, dict) and value and numbers.random() < 0.8:
        key = numbers.choice(sorted(value))
        kind = numbers.randrange(8)
        if kind == 0:
            del value[key]
        elif kind == 1:
            value[key] = [value[key]]
        elif kind == 2:
            value["unknown"] = copy.deepcopy(numbers.choice(VALUES))
        elif kind in (3, 4):
            value[key] = copy.deepcopy(numbers.choice(VALUES))
        else:
            value[key] = change(value[key], numbers)
        return value
    if isinstance(value, list) and value and numbers.random() < 0.8:
        at = numbers.randrange(len(value))
        value[at] = change(value[at], numbers)
        return value
    return copy.deepcopy(numbers.choice(VALUES))


def odd(valid, seed):
    """Returns an object that was made of a valid one by one to four changes."""
    numbers = random.Random(seed)
    value = copy.deepcopy(valid)
    for _ in range(numbers.randint(1, 4)):
        changed = change(value, numbers)
        value = changed if isinstance(changed, dict) else copy.deepcopy(valid)
    return value


def entries(valid, key, count, seed):
    """Returns a list of odd definitions between two valid ones. Each has an identity of its own, where a change has left it one."""

    def named(definition, name):
        if isinstance(definition.get(key), str) and definition[key] == valid[key]:
            definition[key] = f"odd://{name}" if key == "uri" else name
        return definition

    among = [named(odd(valid, f"{seed} {key} {at}"), f"odd_{at}") for at in range(count)]
    ends = [named(copy.deepcopy(valid), name) for name in ("first", "last")]
    return [ends[0], *among, ends[1]]


def main(seed):
    answer_tool = {"name": "answer", "inputSchema": {"type": "object"}}

    def reply(method, params):
        if method == "initialize":
            return {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
                "serverInfo": {"name": None, "version": 7},
                "instructions": ["odd"],
            }
        if method == "ping":
            return {}
        if method == "tools/list":
            return {"tools": [answer_tool, *entries(TOOL, "name", TOOLS, seed)]}
        if method == "resources/list":
            return {"resources": entries(RESOURCE, "uri", OTHERS, seed)}
        if method == "resources/templates/list":
            return {"resourceTemplates": []}
        if method == "prompts/list":
            return {"prompts": entries(PROMPT, "name", OTHERS, seed)}
        if method == "tools/call":
            return odd(ANSWER, f"{seed} answer {params['arguments']['n']}")
        if method == "prompts/get":
            return odd(MESSAGES, f"{seed} prompt")
        return None

    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        result = reply(message["method"], message.get("params") or {})
        answer = {"jsonrpc": "2.0", "id": message["id"]}
        if result is None:
            answer["error"] = {"code": -32601, "message": "unknown method"}
        else:
            answer["result"] = result
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
