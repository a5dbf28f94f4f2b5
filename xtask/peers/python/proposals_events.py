"""Serves the extension proposals' server of events as a server of MGP over stdio.

Theirs has an interface of its own over HTTP: subscribe, a stream of server-sent events, unsubscribe. This script answers MGP's methods by it, and
passes on the events that come on the stream. The events are those of their demo, which it writes where the demo's own client has them written.

The one argument is the path of the demo.
"""

import asyncio
import importlib.util
import json
import sys

sys.dont_write_bytecode = True

spec = importlib.util.spec_from_file_location("sse_subscription_demo", sys.argv[1])
demo = importlib.util.module_from_spec(spec)
spec.loader.exec_module(demo)


def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


async def events(port, subscription, wanted):
    reader, _ = await demo.sse_client_connect(port, f"/events/{subscription}")
    written = demo.demo_events(subscription)
    await asyncio.sleep(0.3)
    for event in written:
        demo.subscriptions[subscription]["writer"].write(f"data: {json.dumps(event)}\n\n".encode())
    for event in await demo.read_sse_events(reader, len(written)):
        params = event["params"]
        if params["event_type"] in wanted:
            told = {"subscription_id": params["subscription_id"], "channel": params["event_type"]}
            say(method="notifications/mgp.event", params={**told, "timestamp": params["timestamp"], "data": params["payload"]})


async def main():
    theirs = await asyncio.start_server(demo.handle_client, "127.0.0.1", 0)
    port = theirs.sockets[0].getsockname()[1]
    loop = asyncio.get_running_loop()
    streams = {}

    async def subscribe(params):
        asked = {"events": params["channels"], "filter": params.get("filter", {})}
        _, body = await demo.http_client_request(port, "POST", "/subscribe", asked)
        there = json.loads(body)
        every = "*" in params["channels"]
        known = [event for event in there["supported_events"] if every or event in params["channels"]]
        unknown = [channel for channel in params["channels"] if channel != "*" and channel not in known]
        subscription = there["subscription_id"]
        streams[subscription] = asyncio.create_task(events(port, subscription, known))
        return {"subscription_id": subscription, "subscribed": known, "unsupported": unknown}

    async def unsubscribe(params):
        subscription = params["subscription_id"]
        status, _ = await demo.http_client_request(port, "POST", "/unsubscribe", {"subscription_id": subscription})
        if subscription in streams:
            streams.pop(subscription).cancel()
        return {"subscription_id": subscription, "removed": status == 200}

    async def initialize(_):
        capabilities = {"tools": {}, "mgp": {"version": "0.3.0", "extensions": ["events"]}}
        return {"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": {"name": "git", "version": "1"}}

    async def tools(_):
        return {"tools": []}

    methods = {
        "initialize": initialize,
        "tools/list": tools,
        "mgp/events/subscribe": subscribe,
        "mgp/events/unsubscribe": unsubscribe,
    }
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        if method := methods.get(message["method"]):
            say(id=message["id"], result=await method(message.get("params", {})))
        else:
            say(id=message["id"], error={"code": -32601, "message": "Method not found"})


asyncio.run(main())
