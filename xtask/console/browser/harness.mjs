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
export const program = environment("MGP");
export const configuration = environment("CONFIG");
export const state = environment("STATE");
// The folder of the gateway, which is also its home folder.
export const home = environment("FOLDER");
// The names of the actions that pages posted, and that were carried out.
export const posted = new Set();

// The milliseconds for which a condition is waited for. They are far more than any needs on a busy machine.
const LIMIT = 120_000;

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
  const options = ["--json", "--trust", "--config", configuration, "--state-dir", state];
  const output = await run(program, [...options, ...words]).catch((error) => error);
  try {
    return JSON.parse(output.stdout);
  } catch {
    throw new Error(`mgp ${words.join(" ")}: ${output.stderr ?? output}`);
  }
};

// Asks until an answer fits: what a button changes is read by another process.
export const until = async (ask, fits, what) => {
  const end = Date.now() + LIMIT;
  let answer;
  while (Date.now() < end) {
    answer = await ask();
    if (fits(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  throw new Error(`${what} did not happen; the last answer: ${JSON.stringify(answer)?.slice(0, 2000)}`);
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

// Opens a browser with a session, in another zone than most gateways. What a page requests from elsewhere, logs as an error or may not load
// is a fault.
export const signedIn = async (world, role, address) => {
  const context = await world.browser.newContext({ viewport: { width: 1280, height: 900 }, timezoneId: "Asia/Tokyo" });
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => console.error(`refused: ${event.violatedDirective} ${event.blockedURI}`));
  });
  context.setDefaultTimeout(LIMIT);
  const page = await context.newPage();
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== world.origin && url.protocol !== "data:") world.faults.push(`requested ${url}`);
  });
  page.on("response", (answer) => {
    const [, action] = /^\/do\/([^/]+)$/.exec(new URL(answer.url()).pathname) ?? [];
    if (action && answer.status() === 200) posted.add(action);
  });
  // The question of a page that is left has no words of its own.
  page.on("dialog", (dialog) => (world.asked = dialog.message() || dialog.type()));
  page.on("dialog", (dialog) => (world.accepts ? dialog.accept() : (world.faults.push(`asked ${world.asked}`), dialog.dismiss())));
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

// Presses a button, agrees to the question that it is to ask, and returns when its action has an answer.
export const press = async (world, page, action, button, { asks = false, status = 200 } = {}) => {
  Object.assign(world, { accepts: asks, asked: undefined });
  try {
    const answered = page.waitForResponse((answer) => new URL(answer.url()).pathname === `/do/${action}`);
    const [answer] = await Promise.all([answered, button.click()]);
    equal({ status: answer.status(), asks: world.asked !== undefined }, { status, asks }, action);
  } finally {
    world.accepts = false;
  }
};

// Presses a button whose question is answered with no, and asserts that the question has a text.
export const pressAndRefuse = async (world, button, text) => {
  world.asked = undefined;
  await button.click();
  await until(() => world.asked, (asked) => asked?.includes(text), `the question "${text}"`);
  equal(world.faults.splice(0), [`asked ${world.asked}`], "faults of the page");
};

// Presses a button of a form with a field that may not stay as it is, and asserts that the browser sends nothing and leads to the field.
export const pressInvalid = async (page, button, field) => {
  await page.evaluate(() => {
    window.attempts = { sent: 0, refused: 0 };
    document.addEventListener("htmx:beforeRequest", () => (window.attempts.sent += 1));
    document.addEventListener("invalid", () => (window.attempts.refused += 1), true);
  });
  await button.click();
  const { sent, refused } = await page.evaluate(() => window.attempts);
  equal(sent, 0, "requests of a form that is not filled in");
  holds(refused > 0, "the browser refuses the form");
  equal(await field.evaluate((field) => [field.validity.valid, field === document.activeElement]), [false, true], "the field is valid, and has the focus");
};

// Waits for the message that an action is done, and asserts that it names the command. It takes the place of an earlier one.
export const done = async (page, line) => {
  const commands = () => page.locator("#messages .message.done details code").allTextContents();
  await until(commands, (shown) => shown.length === 1 && shown[0].includes(line), `the message of "${line}"`);
};

// Waits for the error of an action, and asserts that it says what to do next.
export const refused = async (page, place, text) => {
  const error = page.locator(`${place} .error`).filter({ hasText: text }).first();
  await error.waitFor();
  holds((await error.locator(".help").allTextContents()).join("").length > 0, `advice of "${await error.textContent()}"`);
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
