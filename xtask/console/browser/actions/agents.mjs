// Rules, keys, and programs that use the gateway.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, configuration, done, equal, holds, home, mgp, noFaults, open, press, pressInvalid, program, refused, until } from "../harness.mjs";

export const agents = async (world) => {
  const page = world.admin;
  const rules = async () => (await mgp("access", "list", "--agent", "ann")).entries;
  const keys = async () => (await mgp("keys", "list")).keys.filter(({ name }) => name === "laptop");
  const hoursUntil = (end) => Math.round((Date.parse(end) - Date.now()) / 3600_000);

  const ruleForm = page.getByRole("region", { name: "New rule" });
  const makeRule = ruleForm.getByRole("button", { name: "Make this rule" });
  const doubt = page.locator("#rule-doubt");
  const fillRule = async (tool, rule) => {
    await open(world, page, "/agents?view=rules");
    await ruleForm.getByLabel("Agent").fill("ann");
    await ruleForm.getByLabel("Server").fill("notes");
    await ruleForm.getByLabel("Tool").fill(tool);
    if (rule) await ruleForm.getByRole("radio", { name: rule, exact: true }).check();
  };

  await check("a rule that neither allows nor forbids is not sent", async () => {
    await fillRule("delete_note");
    const choice = ruleForm.getByRole("radio", { name: "may", exact: true });
    equal(await ruleForm.getByRole("radio", { checked: true }).count(), 0, "choices that are made already");
    await pressInvalid(page, makeRule, choice);
    equal(await rules(), [], "rules");
    noFaults(world);
  });
  await check("a rule with names that nothing has is doubted, and not made", async () => {
    // Without any agent, there would be nothing to compare.
    await mgp("access", "grant", "local", "notes");
    await fillRule("delete_notes", "may not");
    await press(world, page, "grant", makeRule, { status: 422 });
    const unknown = ["Nothing names this agent yet: ann", "The server has no tool of this name: delete_notes"];
    for (const sentence of unknown) await doubt.getByText(sentence).waitFor();
    equal(await rules(), [], "rules");
    await ruleForm.getByLabel("Tool").fill("delete_note");
    await doubt.locator("button").waitFor({ state: "detached" });
    noFaults(world);
  });
  await check("a rule is made in the browser, all the same for an agent that nothing names", async () => {
    await fillRule("delete_note", "may not");
    await ruleForm.getByLabel("For how long").selectOption("8 hours");
    await ruleForm.getByLabel("Reason").fill("a test");
    await press(world, page, "grant", makeRule, { status: 422 });
    await press(world, page, "grant", doubt.getByRole("button", { name: "Make it all the same" }));
    await done(page, "mgp access grant --deny");
    const made = await until(rules, (rules) => rules.length === 1, "the rule");
    const { server_id: server, tool_name: tool, permission, justification, expires_at: end } = made[0];
    equal([server, tool, permission, justification], ["notes", "delete_note", "deny", "a test"], "the rule");
    equal(hoursUntil(end), 8, "hours until its end");
    equal((await mgp("access", "explain", "ann", "notes", "delete_note")).permission, "deny", "the decision");
    await page.getByRole("row", { name: /ann notes delete_note may not/ }).waitFor();
    noFaults(world);
  });
  await check("a rule until a time of the calendar is made without a doubt, and taken back", async () => {
    await fillRule("search_notes", "may");
    const end = await page.evaluate(() => {
      const day = new Date();
      return `${day.getFullYear() + 1}-02-03T04:05`;
    });
    await ruleForm.getByLabel("Or until").fill(end);
    await press(world, page, "grant", makeRule);
    const made = await until(rules, (rules) => rules.length === 2, "the rule");
    const { permission, expires_at: found } = made.find(({ tool_name: tool }) => tool === "search_notes");
    const expected = await page.evaluate((end) => Date.parse(end), end);
    equal([permission, Math.abs(Date.parse(found) - expected) < 60_000], ["allow", true], `the rule until ${found}`);
    await press(world, page, "revoke", page.locator("#messages").getByRole("button", { name: "Take it back ann" }));
    await done(page, "mgp access revoke");
    await until(rules, (rules) => rules.length === 1, "the removal");
    noFaults(world);
  });
  await check("a rule with a wrong time is refused with advice, and the form keeps its fields", async () => {
    await fillRule("search_notes", "may");
    await ruleForm.getByLabel("Or another duration").fill("soon");
    await press(world, page, "grant", makeRule, { status: 422 });
    await refused(page, "#messages", "soon");
    equal(await ruleForm.getByLabel("Agent").inputValue(), "ann", "the field");
    equal((await rules()).map(({ tool_name: tool }) => tool), ["delete_note"], "rules");
    noFaults(world);
  });
  await check("an explanation leads to the form of a rule, filled in", async () => {
    await open(world, page, "/agents?view=explain&agent=ann&server=notes&tool=search_notes");
    const again = page.locator("details").filter({ hasText: "Ask something else" });
    equal(await again.evaluate((details) => details.open), false, "the form of another question is open");
    await page.getByRole("region", { name: "Answer" }).getByRole("link", { name: "Forbid: ann" }).click();
    await page.waitForURL(/view=rules/);
    const values = ["Agent", "Server", "Tool"].map((label) => ruleForm.getByLabel(label).inputValue());
    equal(await Promise.all(values), ["ann", "notes", "search_notes"], "fields");
    const checked = await ruleForm.getByRole("radio", { name: "may not", exact: true }).isChecked();
    equal(checked, true, "the rule forbids");
    noFaults(world);
  });
  await check("a rule is removed in the browser", async () => {
    await open(world, page, "/agents?view=rules");
    await press(world, page, "revoke", page.getByRole("row", { name: /ann notes delete_note/ }).getByRole("button", { name: /^Revoke/ }), { asks: true });
    await done(page, "mgp access revoke");
    await until(rules, (rules) => rules.length === 0, "the removal");
    noFaults(world);
  });
  await mgp("access", "revoke", "local", "notes");

  await check("a key is made in the browser, and shown once", async () => {
    await open(world, page, "/agents?view=keys");
    const form = page.getByRole("region", { name: "New key" });
    await form.getByLabel("Name of the key").fill("laptop");
    await form.getByLabel("Agent").fill("ann");
    await form.getByLabel("Only for").fill("notes read:*");
    await form.getByLabel("For how long").selectOption("30 days");
    await press(world, page, "add-key", form.getByRole("button", { name: "Make this key" }));
    const text = await page.locator("#key-text pre").textContent();
    holds(text.length > 20, "the text of the key");
    await page.locator("#made-key").getByText(`Authorization: Bearer ${text}`).waitFor();
    const made = (await keys()).map(({ agent, scopes, expires_at: end }) => [agent, scopes, hoursUntil(end) / 24]);
    equal(made, [["ann", ["notes", "read:*"], 30]], "keys, with the days until their ends");
    await page.getByRole("link", { name: "I have stored it: show all keys" }).click();
    await page.getByRole("row", { name: /laptop ann/ }).waitFor();
    equal(await page.locator("#made-key pre").count(), 0, "texts of keys");
    noFaults(world);
  });
  await check("a key is replaced in the browser", async () => {
    await open(world, page, "/agents?view=keys");
    await press(world, page, "rotate-key", page.getByRole("button", { name: "Replace laptop" }), { asks: true });
    await page.locator("#made-key").getByText("The text before it is accepted until").waitFor();
    const ends = (await keys()).map(({ expires_at: end }) => hoursUntil(end) / 24);
    equal(ends, [1 / 24, 30], "days until the ends of the keys");
    noFaults(world);
  });
  await check("a key is revoked in the browser", async () => {
    await open(world, page, "/agents?view=keys");
    const buttons = page.getByRole("row", { name: /laptop/ }).getByRole("button", { name: /^Revoke/ });
    await press(world, page, "revoke-key", buttons.first(), { asks: true });
    await done(page, "mgp keys revoke");
    equal(await keys(), [], "keys");
    noFaults(world);
  });

  await check("a key that opens only the console is made in the browser", async () => {
    await open(world, page, "/agents?view=keys");
    const form = page.getByRole("region", { name: "New key" });
    await form.getByLabel("Name of the key").fill("watcher");
    await form.getByLabel("The key", { exact: true }).selectOption("opens only the console, as viewer");
    await press(world, page, "add-key", form.getByRole("button", { name: "Make this key" }));
    await page.locator("#made-key").getByText("opens only the console, as viewer").waitFor();
    const { keys } = await mgp("keys", "list");
    equal(keys.filter(({ name }) => name === "watcher").map(({ console, admin }) => [console, admin ?? false]), [["viewer", false]], "keys");
    await mgp("keys", "revoke", "watcher");
    noFaults(world);
  });

  const file = join(home, ".cursor", "mcp.json");
  const own = JSON.stringify({ mcpServers: { paper: { command: program, args: ["embedded-server", "notes", "--db", join(home, "paper.sqlite3")] } } });
  const before = readFileSync(configuration, "utf8");
  await check("a program is connected in the browser: its servers move to the gateway", async () => {
    mkdirSync(join(home, ".cursor"));
    writeFileSync(file, own);
    await open(world, page, "/agents?view=connect");
    const article = page.getByRole("article", { name: "cursor" });
    await article.getByText(file).waitFor();
    await press(world, page, "connect-host", article.getByRole("button", { name: /^Connect/ }), { asks: true });
    await done(page, "mgp connect --yes --no-wait -- cursor");
    equal(Object.keys(JSON.parse(readFileSync(file, "utf8")).mcpServers), ["mgp"], "servers in the file of the program");
    const { hosts } = await mgp("connect", "--dry-run");
    equal(hosts.map(({ host, state }) => [host, state]), [["cursor", "already_connected"]], "programs");
    holds(readFileSync(configuration, "utf8").includes('id = "paper"'), "the configuration has its server");
    await article.getByText("connected", { exact: true }).waitFor();
    noFaults(world);
  });
  await check("a program is disconnected in the browser, and gets its file back", async () => {
    await open(world, page, "/agents?view=connect");
    await page.getByRole("article", { name: "cursor" }).getByRole("link", { name: "Disconnect" }).click();
    await press(world, page, "disconnect-host", page.getByRole("button", { name: "Put it back" }), { asks: true });
    await done(page, "mgp disconnect --yes -- cursor");
    equal(readFileSync(file, "utf8"), own, "the file");
    writeFileSync(configuration, before);
    await mgp("reload");
    noFaults(world);
  });
};
