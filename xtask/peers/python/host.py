"""Plays a host with the official Python SDK: connects, lists the tools, makes the calls it is told.

The one argument is JSON: {"command": [...], "env": {...}} or {"url": ...}, and "calls": [{"tool", "arguments"}]. The last
line on stdout is a JSON list: the list of tools, then the result of each call.
"""

import asyncio
import json
import sys
from contextlib import asynccontextmanager

from mcp import ClientSession, StdioServerParameters
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
        async with stdio_client(server) as (read, write):
            yield read, write


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def main(told):
    async with streams(told) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        answers = [plain(await session.list_tools())]
        for call in told["calls"]:
            answers.append(plain(await session.call_tool(call["tool"], call["arguments"])))
        await session.send_ping()
    print(json.dumps(answers))


asyncio.run(main(json.loads(sys.argv[1])))
