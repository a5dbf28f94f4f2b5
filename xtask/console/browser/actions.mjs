// What buttons change, checked by commands; and what commands change, checked in the browser.
import { check, equal, holds, mgp, noFaults, open, until } from "./harness.mjs";

const NOTE = '{"title":"Bread","text":"two loaves"}';

export const actions = async (world) => {
  const page = world.admin;
  const questions = () => mgp("approve");
  const message = () => page.locator("#messages .message").first();

  await check("a permission that a call needs is approved in the browser", async () => {
    await mgp("call", "add_note", NOTE);
    const { permissions } = await questions();
    equal(permissions.map(({ server_id, permission }) => [server_id, permission]), [["notes", "memory.write"]], "open questions");
    await open(world, page, "/approvals");
    await page.locator(`[data-id="${permissions[0].request_id}"]`).getByRole("button", { name: /^Approve\b/ }).first().click();
    await message().waitFor();
    await until(questions, ({ permissions }) => permissions.length === 0, "the approval");
    holds(!(await mgp("call", "add_note", NOTE)).error, "the call succeeds now");
    noFaults(world);
  });
  await check("a decision by the command line leaves the page", async () => {
    const { permissions: decided } = await mgp("approve", "--all");
    await mgp("approve", decided[0].request_id, "--revoke");
    const { permissions } = await until(async () => {
      await mgp("call", "add_note", NOTE);
      return questions();
    }, ({ permissions }) => permissions.length > 0, "another question");
    const question = page.locator(`[data-id="${permissions[0].request_id}"]`);
    await open(world, page, "/approvals");
    await question.waitFor();
    await mgp("approve", permissions[0].request_id);
    await open(world, page, "/approvals");
    equal(await question.count(), 0, "questions in the page");
  });
  await check("a tool is called in the browser, and the trail has the call", async () => {
    await open(world, page, "/tools?name=search_notes");
    await page.getByLabel(/^(text|query|word)/i).first().fill("Bread");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.locator("#answer").getByText("Bread").first().waitFor();
    const { events } = await mgp("audit", "--last", "5", "--tool", "search_notes");
    equal(events.at(-1).result, "SUCCESS", "result in the trail");
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
