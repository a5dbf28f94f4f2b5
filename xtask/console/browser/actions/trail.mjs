// The check of the trail.
import { check, equal, holds, mgp, noFaults, open, press } from "../harness.mjs";

export const trail = async (world) => {
  const page = world.admin;
  const verify = async (head, status) => {
    await open(world, page, "/trail");
    await page.getByLabel("Head").fill(head);
    await press(world, page, "verify-trail", page.getByRole("button", { name: "Check the trail" }), { status });
  };

  await check("events are found by a time of the calendar, and have words for their types", async () => {
    await open(world, page, "/trail?tool=search_notes");
    // A field of the calendar has minutes. The browser's zone is not UTC.
    const since = await page.evaluate(() => {
      const time = new Date(Date.now() - 86400_000);
      time.setSeconds(0, 0);
      const shifted = new Date(time - time.getTimezoneOffset() * 60_000);
      return { utc: time.toISOString(), local: shifted.toISOString().slice(0, 16) };
    });
    await page.locator("#f-since").fill(since.local);
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get("since") === since.utc);
    equal(await page.locator("#f-since").inputValue(), since.local, "the field afterwards");
    const called = page.locator("table.events").getByTitle("TOOL_EXECUTED").first();
    equal(await called.textContent(), "Call made", "the type of an event");
    noFaults(world);
  });
  await check("the charts say how many calls were tried, and what became of them", async () => {
    await open(world, page, "/trail?view=charts");
    const { calls, failed, refused } = (await mgp("audit", "count", "--since", "24h")).total;
    holds(failed > 0 && refused > 0, "some calls failed, and some were refused");
    await page.getByText(`${calls + refused} attempts: ${calls} made, ${failed} of them failed; ${refused} refused`).waitFor();
    noFaults(world);
  });
  await check("the trail is checked in the browser, from the head of an earlier check", async () => {
    const { intact, head } = await mgp("audit", "verify");
    equal(intact, true, "the trail is intact");
    await verify(head, 200);
    const answer = page.locator("#verified");
    await answer.getByText("Every event is as it was stored.").waitFor();
    await answer.getByText(/^\d+:[0-9a-f]{64}$/).waitFor();
    noFaults(world);
  });
  await check("a head that the trail never had is a problem", async () => {
    const { head } = await mgp("audit", "verify");
    const other = `${head.split(":")[0]}:${"0".repeat(64)}`;
    equal((await mgp("audit", "verify", "--head", other)).intact, false, "the command finds it");
    await verify(other, 200);
    await page.locator("#verified").getByText(/^1 problem$/).waitFor();
    noFaults(world);
  });
};
