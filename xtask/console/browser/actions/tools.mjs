// Calls of tools, and judgements on them.
import { check, equal, mgp, noFaults, open, press } from "../harness.mjs";

export const tools = async (world) => {
  const page = world.admin;
  await mgp("approve", "notes", "memory.write");
  await mgp("call", "add_note", '{"title":"Bread","text":"two loaves"}');
  const made = async () => (await mgp("audit", "--last", "100", "--tool", "search_notes", "--type", "TOOL_EXECUTED")).events.length;

  await check("the tools of an agent are chosen from the agents with rules", async () => {
    await mgp("access", "grant", "--deny", "eve", "notes", "search_notes");
    await open(world, page, "/tools?server=notes");
    const agent = page.getByLabel("Agent");
    equal(await agent.locator("option").first().textContent(), "local (default)", "the first choice");
    const search = page.getByRole("link", { name: /(^|__)search_notes$/ });
    equal(await search.count(), 1, "links to the tool");
    await agent.selectOption("eve");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page.waitForURL(/agent=eve/);
    equal(await agent.inputValue(), "eve", "the chosen agent");
    equal(await search.count(), 0, "links to the tool, which the agent may not call");
    await mgp("access", "revoke", "eve", "notes", "search_notes");
    noFaults(world);
  });
  await check("a tool is called in the browser, and the trail has the call", async () => {
    await open(world, page, "/tools?name=search_notes");
    await page.getByLabel(/^text/).fill("Bread");
    await press(world, page, "call-tool", page.getByRole("button", { name: "Call", exact: true }));
    await page.locator("#answer").getByText("Bread").first().waitFor();
    const { events } = await mgp("audit", "--last", "5", "--tool", "search_notes");
    equal(events.at(-1).result, "SUCCESS", "result in the trail");
    noFaults(world);
  });
  await check("a dry run judges a call, and does not make it", async () => {
    const before = await made();
    await open(world, page, "/tools?name=search_notes");
    await page.getByLabel(/^text/).fill("Bread");
    await press(world, page, "check-tool", page.getByRole("button", { name: "Dry run" }));
    await page.locator("#answer").getByText("The call would be made", { exact: true }).waitFor();
    equal(await made(), before, "calls in the trail");
    noFaults(world);
  });
  await check("a dry run names the question that a dangerous call leads to", async () => {
    await open(world, page, "/tools?name=delete_note");
    await page.getByLabel(/^id/).fill("1");
    await press(world, page, "check-tool", page.getByRole("button", { name: "Dry run" }));
    await page.locator("#answer").getByText("The call would be made after these questions are answered with yes").waitFor();
    noFaults(world);
  });
  await check("a call that changes something asks first, and its refusal has advice", async () => {
    await open(world, page, "/tools?name=delete_note");
    await page.getByLabel(/^id/).fill("990");
    await press(world, page, "call-tool", page.getByRole("button", { name: "Call", exact: true }), { asks: true, status: 422 });
    const error = page.locator("#answer .error").filter({ hasText: "waits for an approval" });
    await error.locator(".help").waitFor();
    await error.getByRole("link", { name: "Approvals" }).waitFor();
    const waits = (await mgp("approve")).confirmations.filter(({ arguments: { id } }) => id === 990);
    equal(waits.map(({ tool_name: tool }) => tool), ["delete_note"], "open questions");
    await mgp("approve", waits[0].request_id, "--deny");
    noFaults(world);
  });
};
