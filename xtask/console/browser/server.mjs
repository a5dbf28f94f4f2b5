// A server over HTTP with one tool, whose description a test changes. It is also a registry that has the server.
import { createServer } from "node:http";

const NAME = "com.example/echo";

const answer = (server, { method, params }) => {
  const schema = { type: "object", properties: { word: { type: "string" } }, required: ["word"] };
  const tool = { name: "echo", description: server.description, inputSchema: schema, annotations: { readOnlyHint: true } };
  switch (method) {
    case "initialize":
      return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "echo", version: "1" } };
    case "tools/list":
      return { tools: [tool] };
    case "tools/call":
      return { content: [{ type: "text", text: params.arguments.word }] };
    default:
      return {};
  }
};

// Answers the requests of a registry's client.
const registry = (server, url) => {
  const entry = { server: { name: NAME, description: "Repeats a word", version: "1.0.0", remotes: [{ type: "streamable-http", url: server.url }] } };
  if (url.startsWith("/v0.1/servers?")) return { servers: [entry], metadata: { count: 1 } };
  return url.startsWith(`/v0.1/servers/${encodeURIComponent(NAME)}/`) ? entry : undefined;
};

// Starts the server at a free port of this machine.
export const startServer = async () => {
  const server = { description: "Repeats a word" };
  const http = createServer(async (request, response) => {
    const send = (value) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
    let text = "";
    for await (const part of request) text += part;
    if (request.method === "GET") {
      const found = registry(server, request.url);
      return found ? send(found) : response.writeHead(405).end();
    }
    const message = request.method === "POST" ? JSON.parse(text) : {};
    if (message.id === undefined) return response.writeHead(202).end();
    send({ jsonrpc: "2.0", id: message.id, result: answer(server, message) });
  });
  await new Promise((listening) => http.listen(0, "127.0.0.1", listening));
  server.origin = `http://127.0.0.1:${http.address().port}`;
  server.url = `${server.origin}/mcp`;
  server.stop = () => (http.closeAllConnections(), http.close());
  return server;
};
