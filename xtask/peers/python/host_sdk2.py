"""Plays a host with the second version of the official Python SDK, in either era of the protocol.

It is told and prints what `host_sdk1.py` is told and prints, and is told the "era" beside it: "initialize" or "stateless".
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import ElicitResult


def target(told):
    if "url" in told:
        return told["url"]
    program, *args = told["command"]
    return stdio_client(StdioServerParameters(command=program, args=args, env=told["env"] or None))


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def agree(_context, _params):
    return ElicitResult(action="accept", content={})


async def main(told):
    # Whoever speaks the later era is asked for it, and falls back where it is not there: the version tells.
    mode = "auto" if told["era"] == "stateless" else "legacy"
    user = agree if told["agrees"] else None
    async with Client(target(told), mode=mode, elicitation_callback=user) as client:
        played = {"version": client.protocol_version, "tools": plain(await client.list_tools()), "calls": []}
        if client.server_capabilities.resources:
            played["resources"] = plain(await client.list_resources())
        if client.server_capabilities.prompts:
            played["prompts"] = plain(await client.list_prompts())
        for call in told["calls"]:
            played["calls"].append(plain(await client.call_tool(call["tool"], call["arguments"])))
    print(json.dumps(played))


asyncio.run(main(json.loads(sys.argv[1])))
