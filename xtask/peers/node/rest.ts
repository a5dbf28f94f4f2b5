// Calls a tool through the client that is generated from the kernel's document of its tools. It is told the kernel's address, and prints a
// line of JSON for each answer.
import createClient from "openapi-fetch";
import type { paths } from "./schema";

declare const process: { argv: string[] };

async function main() {
  const client = createClient<paths>({ baseUrl: process.argv[2] });
  const say = (response: Response, answer: unknown) => console.log(JSON.stringify({ status: response.status, answer }));
  const body = { a: 7, b: 35 };
  const added = await client.POST("/tools/add", { body });
  say(added.response, added.data);
  const judged = await client.POST("/tools/add", { body, params: { query: { dry_run: true } } });
  say(judged.response, judged.data);
  // @ts-expect-error The arguments have the types of the tool's schema.
  const wrong = await client.POST("/tools/add", { body: { a: "seven", b: 35 } });
  say(wrong.response, wrong.data ?? wrong.error);
  // @ts-expect-error There is no such tool.
  const missing = await client.POST("/tools/subtract", { body });
  say(missing.response, missing.error);
}

main();
