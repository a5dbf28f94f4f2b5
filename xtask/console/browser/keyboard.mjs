// Decisions without a mouse.
import { check, equal, holds, mgp, open, until } from "./harness.mjs";

export const keyboard = async (world) => {
  const page = world.admin;
  await check("the first key leads past the navigation", async () => {
    await open(world, page, "/now");
    await page.keyboard.press("Tab");
    equal(await page.evaluate(() => document.activeElement.className), "skip", "focused element");
    await page.keyboard.press("Enter");
    equal(await page.evaluate(() => document.activeElement.id), "page", "focused element");
  });
  await check("a server is stopped and started by keys alone", async () => {
    for (const [name, running] of [["Stop", false], ["Start", true]]) {
      await open(world, page, "/servers?id=notes");
      world.accepts = true;
      const button = page.getByRole("button", { name: new RegExp(`^${name}\\b`) }).first();
      await button.focus();
      await page.keyboard.press("Enter");
      const state = async () => (await mgp("status")).kernels[0].servers.find(({ id }) => id === "notes");
      await until(state, ({ stopped }) => !stopped === running, name);
      world.accepts = false;
    }
  });
  await check("every button and field of a page can be reached", async () => {
    await open(world, page, "/approvals");
    const wanted = await page.evaluate(() => document.querySelectorAll("a[href], button:not(:disabled), input:not([type=hidden]), select, textarea, summary").length);
    const seen = new Set();
    for (let left = wanted + 20; left > 0; left -= 1) {
      await page.keyboard.press("Tab");
      seen.add(await page.evaluate(() => [...document.querySelectorAll("*")].indexOf(document.activeElement)));
    }
    holds(seen.size >= 5, "elements that can be reached");
  });
};
