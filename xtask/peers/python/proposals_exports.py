"""Serves the extension proposals' server of data behind references, which speaks HTTP and no MCP, and two MCP tools that ask it for exports.

The one argument is the path of the proposals' demo, whose handler answers the requests for data; the demo itself is not played. The
port is PORT.
"""

import asyncio
import importlib.util
import json
import os
import sys

from fastmcp import FastMCP

sys.dont_write_bytecode = True

spec = importlib.util.spec_from_file_location("data_reference_demo", sys.argv[1])
demo = importlib.util.module_from_spec(spec)
spec.loader.exec_module(demo)
demo.port_a = int(os.environ["PORT"])

server = FastMCP("exports")
listening = []


async def exported(path):
    if not listening:
        listening.append(await asyncio.start_server(demo.handle_server_a, "127.0.0.1", demo.port_a))
    _, body = await demo.http_post(f"http://127.0.0.1:{demo.port_a}{path}", "{}")
    return json.loads(body)


@server.tool
async def export() -> dict:
    """Exports the tickets, and answers with a reference to them."""
    return await exported("/export")


@server.tool
async def export_expired() -> dict:
    """Answers with a reference whose time is over."""
    return await exported("/export-short-ttl")


@server.tool
def count(rows: list) -> str:
    """Counts rows."""
    return f"{len(rows)} rows"


server.run(show_banner=False)
