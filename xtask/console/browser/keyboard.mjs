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
  await check("a server is stopped and started by keys", async () => {
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
  await check("on a phone, the menu opens and closes by keys", async () => {
    await open(world, page, "/now");
    await page.setViewportSize({ width: 390, height: 900 });
    const hidden = [page.getByRole("link", { name: "Settings", exact: true }), page.locator("#theme"), page.getByRole("button", { name: "Sign out" })];
    const shown = () => Promise.all(hidden.map((one) => one.isVisible()));
    equal(await shown(), [false, false, false], "parts that are seen with a closed menu");
    const menu = page.getByRole("button", { name: "Menu" });
    await menu.focus();
    await page.keyboard.press("Enter");
    equal(await shown(), [true, true, true], "parts that are seen with an open menu");
    equal(await menu.getAttribute("aria-expanded"), "true", "the state of the button");
    await page.getByRole("link", { name: "Trail", exact: true }).focus();
    await page.keyboard.press("Escape");
    equal(await shown(), [false, false, false], "parts that are seen after Escape");
    equal(await page.evaluate(() => document.activeElement.id), "menu", "focused element");
    await page.setViewportSize({ width: 1280, height: 900 });
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
