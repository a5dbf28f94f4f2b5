"""Serves one of the three servers of the extension proposals' saga demo as a server of MCP over stdio.

Theirs answer `tools/call` over HTTP, and neither a handshake nor a list, so that no client could learn that they have tools. This script
answers these two, and passes every call on to theirs, which listens on a port of its own, and its answer back as it is.

Arguments: the path of the demo, the name of the server (jira, confluence, slack), and optionally the number of calls after which it is shut
down, as the demo's second scenario does it.
"""

import asyncio
import importlib.util
import json
import sys

sys.dont_write_bytecode = True


def load(path):
    spec = importlib.util.spec_from_file_location("saga_demo", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def tool(name, argument, **more):
    schema = {"type": "object", "required": [argument], "properties": {argument: {"type": "string"}}}
    return {"name": name, "inputSchema": schema, **more}


# What the demo's client knows of the tools.
UNDO = {"tool": "delete_ticket", "parameters": {"ticket_id": "$result/ticket/id"}}
# The hint keeps the rollback from asking about a call that undoes another.
TOOLS = [
    tool("create_ticket", "title", _meta={"compensation": UNDO}),
    tool("delete_ticket", "ticket_id", annotations={"destructiveHint": False}),
]


def answer(message, **end):
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], **end})


async def main(path, name, most=None):
    demo = load(path)
    theirs = await asyncio.start_server(getattr(demo, f"handle_{name}"), "127.0.0.1", 0)
    url = "http://127.0.0.1:%d" % theirs.sockets[0].getsockname()[1]
    left = None if most is None else int(most)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        message = json.loads(line)
        if "id" not in message:
            continue
        if message["method"] == "initialize":
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": name, "version": "1"}}
            said = answer(message, result=result)
        elif message["method"] == "tools/list":
            said = answer(message, result={"tools": TOOLS})
        elif message["method"] == "tools/call":
            if left == 0:
                theirs.close()
                await theirs.wait_closed()
            left = None if left is None else left - 1
            try:
                said = await demo.http_post(url, line)
            except OSError:
                said = answer(message, error={"code": -32603, "message": "Connection refused"})
        else:
            said = answer(message, error={"code": -32601, "message": "Method not found"})
        print(said, flush=True)


asyncio.run(main(*sys.argv[1:]))
