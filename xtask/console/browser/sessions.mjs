// Who gets in, and what other sites and other roles cannot do.
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { check, equal, holds, open, PAGES, signedIn, signInAddress } from "./harness.mjs";

// Sends a request as no browser would: with any headers.
const send = (world, { method = "GET", path = "/now", headers = {}, body = "" }) =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(world.origin);
    const sent = httpRequest({ hostname, port, method, path, headers: { host: `${hostname}:${port}`, ...headers } }, (answer) => {
      let text = "";
      answer.on("data", (part) => (text += part));
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });

// Sends lines as they are, and returns the status.
const sendRaw = (world, lines) =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(world.origin);
    const socket = connect(Number(port), hostname, () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
    socket.on("data", (part) => (resolve(Number(String(part).split(" ")[1])), socket.destroy()));
    socket.on("error", reject);
  });

const FORM = "application/x-www-form-urlencoded";

export const sessions = async (world) => {
  const cookies = await world.admin.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const token = await world.admin.evaluate(() => JSON.parse(document.body.getAttribute("hx-headers"))["x-page-token"]);
  const change = (headers, path = "/do/reload") =>
    send(world, { method: "POST", path, headers: { "content-type": FORM, ...headers }, body: "" });
  const own = { cookie, origin: world.origin, "x-page-token": token };

  await check("a token opens one session", async () => {
    const address = await signInAddress();
    const body = `token=${new URL(address).hash.slice(1)}`;
    const headers = { "content-type": FORM, origin: world.origin };
    const first = await send(world, { method: "POST", path: "/sign-in", headers, body });
    const second = await send(world, { method: "POST", path: "/sign-in", headers, body });
    equal([first.status, second.status], [204, 403], "statuses");
    holds(/HttpOnly; SameSite=Strict/.test(first.headers["set-cookie"][0]), "the cookie is bound to the site and hidden from scripts");
  });
  await check("a session that was chosen by somebody else is not taken over", async () => {
    const name = cookies[0].name;
    const address = await signInAddress();
    const headers = { "content-type": FORM, origin: world.origin, cookie: `${name}=${"0".repeat(64)}` };
    const body = `token=${new URL(address).hash.slice(1)}`;
    const answer = await send(world, { method: "POST", path: "/sign-in", headers, body });
    holds(!answer.headers["set-cookie"][0].includes("0".repeat(64)), "a new secret");
    equal((await send(world, { headers: { cookie: `${name}=${"0".repeat(64)}` } })).status, 303, "status of the chosen secret");
  });
  await check("without a session there is only the page that signs in", async () => {
    for (const path of [...PAGES, "/live", "/trail/export"]) equal((await send(world, { path })).status, 303, path);
    equal((await send(world, { path: "/sign-in" })).status, 200, "/sign-in");
  });
  await check("another name of the host is refused", async () => {
    for (const host of ["attacker.invalid", `attacker.invalid:${new URL(world.origin).port}`, "127.0.0.1"]) {
      equal((await send(world, { headers: { host, cookie } })).status, 421, host);
    }
    const request = ["GET /now HTTP/1.1", `Cookie: ${cookie}`, "Connection: close"];
    const own = `Host: ${new URL(world.origin).host}`;
    equal(await sendRaw(world, [...request, own]), 200, "the own name");
    for (const hosts of [[], ["Host:"], [own, own], [own, "Host: attacker.invalid"]]) {
      holds([400, 421].includes(await sendRaw(world, [...request, ...hosts])), `${hosts.length} hosts are refused`);
    }
  });
  await check("a change needs the origin, the session and the token of a page", async () => {
    for (const [name, headers] of Object.entries({
      "another origin": { ...own, origin: "http://attacker.invalid" },
      "no origin": { cookie, "x-page-token": token },
      "the origin null": { ...own, origin: "null" },
      "another port": { ...own, origin: "http://127.0.0.1:1" },
      "another site": { ...own, "sec-fetch-site": "cross-site" },
      "no token": { cookie, origin: world.origin },
      "another token": { ...own, "x-page-token": "0".repeat(64) },
    })) {
      equal((await change(headers)).status, 403, name);
    }
    const { cookie: _, ...withoutSession } = own;
    equal((await change(withoutSession)).status, 303, "no session");
    holds([200, 422].includes((await change(own)).status), "the page's own change");
  });
  await check("a page cannot be framed, and its scripts need a nonce", async () => {
    const { headers } = await send(world, { headers: { cookie } });
    equal(headers["x-frame-options"], "DENY", "x-frame-options");
    const policy = headers["content-security-policy"];
    for (const part of ["default-src 'self'", "script-src 'nonce-", "frame-ancestors 'none'", "base-uri 'none'", "object-src 'none'"]) {
      holds(policy.includes(part), part);
    }
    holds(!policy.includes("unsafe"), "nothing unsafe");
  });
  await check("a viewer changes nothing", async () => {
    const page = await signedIn(world, "viewer");
    const found = await page.evaluate(async () => {
      const headers = JSON.parse(document.body.getAttribute("hx-headers"));
      const names = ["approve", "deny", "take-back", "start-server", "stop-server", "restart-server", "drain-server", "reload", "mend-all", "save-settings"];
      const answers = names.map((name) => fetch(`/do/${name}`, { method: "POST", headers, body: new URLSearchParams({ id: "x", server: "notes" }) }));
      return (await Promise.all(answers)).map((answer) => answer.status);
    });
    equal([...new Set(found)], [403], "statuses");
    for (const path of PAGES) equal((await open(world, page, path)).status(), 200, path);
    await page.context().close();
    world.faults.splice(0);
  });
  await check("who signs out is out", async () => {
    const page = await signedIn(world, "approver");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL("**/sign-in");
    equal((await open(world, page, "/now")).url().endsWith("/sign-in"), true, "address");
    await page.context().close();
  });
};
