"""Plays a host with the first version of the official Python SDK: connects, lists what there is, makes the calls it is told.

The one argument is JSON: {"command": [...], "env": {...}} or {"url": ...}, "calls": [{"tool", "arguments"}], and "agrees": whether
there is a user, who sends off every form. The last line on stdout is a JSON object: the revision that is spoken, the lists, and the result of each call.
"""

import asyncio
import json
import sys
from contextlib import asynccontextmanager

from anyio import BrokenResourceError
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


@asynccontextmanager
async def streams(told):
    if "url" in told:
        async with streamable_http_client(told["url"]) as (read, write, _):
            yield read, write
    else:
        program, *args = told["command"]
        server = StdioServerParameters(command=program, args=args, env=told["env"] or None)
        try:
            async with stdio_client(server) as (read, write):
                yield read, write
        except* BrokenResourceError:
            # What comes in while this SDK closes its streams, a notification say, breaks its reader.
            pass


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def agree(_context, params):
    # A question of the kernel has a choice, whose first answer lets the call go.
    form = getattr(params, "requestedSchema", None) or {}
    choices = form.get("properties", {}).get("decision", {}).get("enum", [])
    return types.ElicitResult(action="accept", content={"decision": choices[0]} if choices else {})


async def main(told):
    user = agree if told["agrees"] else None
    async with streams(told) as (read, write), ClientSession(read, write, elicitation_callback=user) as session:
        greeting = await session.initialize()
        played = {"version": greeting.protocolVersion, "tools": plain(await session.list_tools()), "calls": []}
        if greeting.capabilities.resources:
            played["resources"] = plain(await session.list_resources())
        if greeting.capabilities.prompts:
            played["prompts"] = plain(await session.list_prompts())
        for call in told["calls"]:
            played["calls"].append(plain(await session.call_tool(call["tool"], call["arguments"])))
        await session.send_ping()
    print(json.dumps(played))


asyncio.run(main(json.loads(sys.argv[1])))
