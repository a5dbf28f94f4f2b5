// The browser, the commands of the program, and the rows of the tests.
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";

const environment = (name) => process.env[`CONSOLE_${name}`];
const require = createRequire(`${environment("MODULES")}/`);
const { chromium } = require("playwright-core");
const run = promisify(execFile);

export const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
export const PAGES = ["/now", "/approvals", "/servers", "/tools", "/agents", "/trail", "/settings"];
export const groups = Number(environment("GROUPS"));
export const screens = environment("SCREENS");

let passed = 0;
let failed = 0;

// Runs one test, and prints its row.
export const check = async (name, test) => {
  try {
    await test();
    passed += 1;
    console.log(`${name.padEnd(72)} passed`);
  } catch (error) {
    failed += 1;
    console.log(`${name.padEnd(72)} FAILED\n  ${String(error.stack ?? error).replaceAll("\n", "\n  ")}`);
  }
};

export const equal = (found, expected, what) => {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${what}: expected ${right}, found ${left}`);
};

export const holds = (found, what) => {
  if (!found) throw new Error(what);
};

// Runs a command of the program, and returns its JSON. A refusal is returned like an answer.
export const mgp = async (...words) => {
  const options = ["--json", "--trust", "--config", environment("CONFIG"), "--state-dir", environment("STATE")];
  const output = await run(environment("MGP"), [...options, ...words]).catch((error) => error);
  try {
    return JSON.parse(output.stdout);
  } catch {
    throw new Error(`mgp ${words.join(" ")}: ${output.stderr ?? output}`);
  }
};

// Asks until an answer fits: what a button changes is read by another process.
export const until = async (ask, fits, what) => {
  for (let left = 200; left > 0; left -= 1) {
    const answer = await ask();
    if (fits(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what} did not happen`);
};

export const signInAddress = async (role = "admin") => (await mgp("console", "--print", "--role", role)).address;

export const start = async () => {
  const browser = await chromium.launch({ executablePath: environment("CHROMIUM"), args: ["--no-sandbox"] });
  const world = { browser, faults: [] };
  world.address = await signInAddress();
  world.origin = new URL(world.address).origin;
  world.admin = await signedIn(world, "admin", world.address);
  return world;
};

// Opens a browser with a session. What a page requests from elsewhere, logs as an error or may not load is a fault.
export const signedIn = async (world, role, address) => {
  const context = await world.browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => console.error(`refused: ${event.violatedDirective} ${event.blockedURI}`));
  });
  const page = await context.newPage();
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== world.origin && url.protocol !== "data:") world.faults.push(`requested ${url}`);
  });
  page.on("dialog", (dialog) => (world.accepts ? dialog.accept() : (world.faults.push(`asked ${dialog.message()}`), dialog.dismiss())));
  page.on("pageerror", (error) => world.faults.push(`threw ${error}`));
  page.on("console", (message) => {
    // The answer of a refused action is an error of the network, too.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) world.faults.push(message.text());
  });
  await page.goto(address ?? (await signInAddress(role)));
  await page.waitForURL("**/now");
  return page;
};

export const open = async (world, page, path) => {
  const answer = await page.goto(world.origin + path);
  await page.waitForLoadState("load");
  return answer;
};

// Asserts that nothing that a page must not do has happened since the last question.
export const noFaults = (world) => {
  const found = world.faults.splice(0);
  equal(found, [], "faults of the page");
};

export const finish = async (world) => {
  await world.browser.close();
  console.log(`\n${passed} passed, ${failed} failed, 0 skipped`);
  process.exit(failed === 0 ? 0 : 1);
};
