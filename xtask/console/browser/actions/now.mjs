// What commands change, on the present page.
import { check, equal, mgp, noFaults, open, until } from "../harness.mjs";

export const now = async (world) => {
  const page = world.admin;
  await check("the number of refused calls leads to their events", async () => {
    const refused = page.locator(".counts").getByRole("link", { name: /^Refused: \d+, Trail$/ });
    await until(async () => {
      await open(world, page, "/now");
      return refused.count();
    }, (count) => count === 1, "the number");
    await refused.click();
    await page.waitForURL((url) => url.pathname === "/trail" && url.searchParams.get("result") === "BLOCKED");
    const results = await page.locator("table.events [data-state]").allTextContents();
    equal([...new Set(results)], ["Refused"], "results of the events");
    noFaults(world);
  });
  await check("calls appear on the present page as they happen", async () => {
    await open(world, page, "/now");
    await page.mouse.move(0, 0);
    const lines = page.locator("#calls li");
    await until(async () => {
      await mgp("call", "search_notes", '{"text":"Bread"}');
      return lines.count();
    }, (count) => count > 0, "a line");
    noFaults(world);
  });
};
