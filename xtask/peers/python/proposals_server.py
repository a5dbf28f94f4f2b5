"""Serves the extension proposals' reference server over stdio.

Run by itself, their script plays a demo with itself and reads nothing. It has a function that answers one message, given here each line of
stdin. The first argument is the path of the script, which is not changed; the others are scopes that are granted, as the demo does it.
"""

import asyncio
import importlib.util
import sys

sys.dont_write_bytecode = True


def load(path):
    spec = importlib.util.spec_from_file_location("reference_server", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


server = load(sys.argv[1])
server.permissions.granted_scopes.update(sys.argv[2:])
for line in sys.stdin:
    answer = asyncio.run(server.process_jsonrpc(line))
    if answer:
        print(answer, flush=True)
