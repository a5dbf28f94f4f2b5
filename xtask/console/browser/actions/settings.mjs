// The configuration, and what the doctor mends.
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, configuration, equal, holds, home, mgp, noFaults, open, press, pressAndRefuse, program, refused, state, until } from "../harness.mjs";

export const settings = async (world) => {
  const page = world.admin;
  const before = readFileSync(configuration, "utf8");
  const written = () => readFileSync(configuration, "utf8");
  const servers = async () => (await mgp("status")).kernels[0].servers.map(({ id }) => id);
  const database = join(home, "second.sqlite3");
  const more = `${before}\n[[servers]]\nid = "second"\ncommand = "${program}"\nargs = ["embedded-server", "notes", "--db", "${database}"]\n`;
  const editor = page.getByLabel("Text of the file");
  const answer = page.locator("#check");
  const button = (name) => page.getByRole("button", { name, exact: true });

  // A page with a changed text asks before it is left.
  const putBack = async () => editor.fill(await editor.evaluate((area) => area.defaultValue));

  await check("a text with a mistake is checked, and its link leads to the line", async () => {
    await open(world, page, "/settings");
    await editor.fill(`${before}\n[kernel_]\n`);
    await press(world, page, "check-settings", button("Check"));
    const line = before.split("\n").length + 1;
    await answer.getByRole("link", { name: `Line ${line}:` }).click();
    const at = await editor.evaluate((area) => area.value.slice(0, area.selectionStart).split("\n").length);
    equal(at, line, "line of the cursor");
    equal(await button("Save and reload").count(), 0, "buttons that save it");
    equal(written(), before, "the file");
    await putBack();
    noFaults(world);
  });
  await check("a page with a changed text asks before it is left, and not after the text is put back", async () => {
    const leave = page.getByRole("link", { name: "Trail", exact: true });
    await open(world, page, "/settings");
    await editor.click();
    await editor.fill(more);
    await pressAndRefuse(world, leave, "beforeunload");
    equal([new URL(page.url()).pathname, await editor.inputValue()], ["/settings", more], "the page");
    await putBack();
    await leave.click();
    await page.waitForURL("**/trail");
    noFaults(world);
  });
  await check("a setting is inserted below its table, which is made if there is none", async () => {
    await open(world, page, "/settings");
    const insert = async (name) => {
      await page.getByLabel("Search by name or purpose").fill(name);
      const button = page.getByRole("button", { name: `Insert ${name}`, exact: true });
      const line = await button.evaluate(({ dataset }) => dataset.insert);
      await button.click();
      equal(await editor.evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd)).then((text) => text.split("\n").at(-1)), line, "the selected line");
      return line;
    };
    const first = await insert("kernel.max_retries");
    const second = await insert("telemetry.metrics_tools");
    const expected = `${before.replace("[kernel]\n", `[kernel]\n${first}\n`)}\n[telemetry]\n${second}\n`;
    equal(await editor.inputValue(), expected, "the text");
    await press(world, page, "check-settings", button("Check"));
    await answer.getByRole("heading", { name: "Difference" }).waitFor();
    await putBack();
    noFaults(world);
  });
  await check("a text is checked, saved and taken over by the gateway", async () => {
    await open(world, page, "/settings");
    await editor.fill(more);
    await press(world, page, "check-settings", button("Check"));
    equal(await answer.locator("ins").first().textContent(), "+", "the first added line");
    equal(await answer.locator("dd").allTextContents(), ["second "], "servers that start");
    equal(written(), before, "the file after the check");
    await press(world, page, "save-settings", button("Save and reload"));
    await answer.getByText("Saved and reloaded").waitFor();
    equal(written(), more, "the file");
    await until(servers, (ids) => ids.includes("second"), "the start");
    noFaults(world);
  });
  await check("a text that loosens a protection is saved only after a question", async () => {
    const policy = `${more}\n[permissions]\npolicy = "auto_approve"\n`;
    await open(world, page, "/settings");
    await editor.fill(policy);
    await press(world, page, "check-settings", button("Check"));
    await pressAndRefuse(world, button("Save and reload"), "Open permissions will be approved at once");
    equal(written(), more, "the file after a no");
    const looser = more.replace('id = "second"', 'id = "second"\ndefault_policy = "opt-out"');
    await editor.fill(looser);
    await press(world, page, "check-settings", button("Check"));
    await press(world, page, "save-settings", button("Save and reload"), { asks: true });
    equal(world.asked, "Agents without a rule will be allowed to use tools. Save it?", "the question");
    await answer.getByText("Saved and reloaded").waitFor();
    equal(written(), looser, "the file after a yes");
    writeFileSync(configuration, more);
    await mgp("reload");
    noFaults(world);
  });
  await check("a file that was changed meanwhile is not overwritten, and the error has advice", async () => {
    await open(world, page, "/settings");
    await editor.fill(`${more}# a remark\n`);
    await press(world, page, "check-settings", button("Check"));
    writeFileSync(configuration, `${more}# of another editor\n`);
    await press(world, page, "save-settings", button("Save and reload"), { status: 422 });
    await refused(page, "#check", "changed");
    equal(written(), `${more}# of another editor\n`, "the file");
    await putBack();
    noFaults(world);
  });
  await check("the configuration is reloaded by a button", async () => {
    await open(world, page, "/settings");
    writeFileSync(configuration, before);
    await press(world, page, "reload", button("Reload"));
    await answer.getByText("Servers that stop after their calls").waitFor();
    equal(await answer.locator("dd").allTextContents(), ["second "], "servers that stop");
    await until(servers, (ids) => !ids.includes("second"), "the stop");
    noFaults(world);
  });

  const log = join(state, "logs");
  const hosts = join(home, ".cursor");
  const file = join(hosts, "mcp.json");
  const mode = () => statSync(log).mode & 0o777;
  const entry = (command) => JSON.stringify({ mcpServers: { mgp: { command, args: ["serve", "--config", configuration] } } });
  // Breaks what the doctor mends, and waits until it finds only that: it mends what other programs of the account left, too.
  const broken = async (ids) => {
    chmodSync(log, 0o755);
    mkdirSync(hosts, { recursive: true });
    writeFileSync(file, entry("/nowhere/mgp"));
    const fixable = async () => (await mgp("doctor")).findings.filter(({ fixable }) => fixable).map(({ id }) => id).sort();
    await until(fixable, (found) => JSON.stringify(found) === JSON.stringify(ids), "exactly the own findings");
    await open(world, page, "/settings?view=doctor");
  };
  await check("one finding of the doctor is mended in the browser", async () => {
    await broken(["host-program-missing", "state-file-open"]);
    await press(world, page, "mend", page.getByRole("button", { name: /^Mend state: state-file-open/ }));
    await page.locator("#findings .findings").getByText("Mended").waitFor();
    equal(mode(), 0o700, "mode of the folder");
    equal(readFileSync(file, "utf8"), entry("/nowhere/mgp"), "the file of the program");
    noFaults(world);
  });
  await check("all findings that are safe to mend are mended by one button", async () => {
    await broken(["host-program-missing", "state-file-open"]);
    await press(world, page, "mend-all", button("Mend all 2 that are safe to mend"), { asks: true });
    await page.locator("#findings .findings").getByText("Mended").nth(1).waitFor();
    equal(mode(), 0o700, "mode of the folder");
    equal(JSON.parse(readFileSync(file, "utf8")).mcpServers.mgp.command, program, "program in the file");
    const { findings } = await mgp("doctor");
    holds(findings.every(({ fixable }) => !fixable), "nothing is left to mend");
    noFaults(world);
  });
  rmSync(hosts, { recursive: true, force: true });
};
