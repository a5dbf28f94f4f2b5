// Plays a host with the official TypeScript SDK, in either era of the protocol.
//
// It is told and prints what `python/host_sdk2.py` is told and prints, and is told the folder of its packages beside it.

import { createRequire } from "node:module";

const told = JSON.parse(process.argv[2]);
const require = createRequire(`${told.packages}/package.json`);
const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");

function transport() {
  if (told.url) {
    return new StreamableHTTPClientTransport(new URL(told.url));
  }
  const [command, ...args] = told.command;
  return new StdioClientTransport({ command, args, env: told.env, stderr: "inherit" });
}

const mode = told.era === "stateless" ? "auto" : "legacy";
const capabilities = told.agrees ? { elicitation: { form: {} } } : {};
const client = new Client({ name: "peers", version: "1.0.0" }, { capabilities, versionNegotiation: { mode } });
if (told.agrees) {
  client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: {} }));
}
await client.connect(transport());
const played = { version: client.getNegotiatedProtocolVersion(), tools: await client.listTools(), calls: [] };
const { resources, prompts } = client.getServerCapabilities();
if (resources) {
  played.resources = await client.listResources();
}
if (prompts) {
  played.prompts = await client.listPrompts();
}
for (const { tool, arguments: given } of told.calls) {
  played.calls.push(await client.callTool({ name: tool, arguments: given }));
}
await client.close();
console.log(JSON.stringify(played));
