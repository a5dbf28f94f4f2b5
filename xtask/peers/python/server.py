"""A server made with FastMCP: one tool, one resource, one prompt. Over HTTP where PORT is set, otherwise over stdio."""

import os

from fastmcp import FastMCP

server = FastMCP("ten-lines", version="1.0.0")


@server.tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.resource("note://swans", mime_type="text/plain")
def swans() -> str:
    """A note about swans."""
    return "Seven seals, thirty-five swans."


@server.prompt
def greet() -> str:
    """Greets somebody."""
    return "Say hello to the swans."


if "PORT" in os.environ:
    server.run(transport="http", host="127.0.0.1", port=int(os.environ["PORT"]), show_banner=False)
else:
    server.run(show_banner=False)
