// Decisions on permissions, on calls and on changed definitions.
import { check, done, equal, holds, mgp, noFaults, open, press, program, refused, until } from "../harness.mjs";
import { startServer } from "../server.mjs";

const NOTE = '{"title":"Bread","text":"two loaves"}';

export const approvals = async (world) => {
  const page = world.admin;
  const questions = () => mgp("approve");
  const addNote = () => mgp("call", "add_note", NOTE);
  const question = (id) => page.locator(`[data-id="${id}"]`);
  const permission = async () => (await mgp("approve", "--all")).permissions.find(({ server_id: server }) => server === "notes");

  // Makes a call that somebody must confirm, and returns the id of its question; undefined if there is none.
  const remove = (number) => mgp("call", "delete_note", JSON.stringify({ id: number }));
  const ask = async (number) => (await remove(number)).error?.answer.data._mgp.details.request_id;
  const hoursUntil = (end) => (end ? Math.round((Date.parse(end) - Date.now()) / 3600_000) : null);
  // Returns the decision on a call: its state, whether it ends with its session, and the hours until its end.
  const decisions = async (ids) => {
    const { confirmations } = await mgp("approve", "--all");
    const found = ids.map((id) => confirmations.find(({ request_id: found }) => found === id));
    return found.map(({ state, session_only: ofSession, expires_at: end }) => [state, ofSession ?? false, hoursUntil(end)]);
  };

  await check("a permission that a call needs is approved in the browser", async () => {
    await addNote();
    const { permissions } = await questions();
    equal(permissions.map(({ server_id, permission }) => [server_id, permission]), [["notes", "memory.write"]], "open questions");
    await open(world, page, "/approvals");
    await press(world, page, "approve", question(permissions[0].request_id).getByRole("button", { name: /^Approve\b/ }).first());
    await done(page, "mgp approve --open");
    await until(questions, ({ permissions }) => permissions.length === 0, "the approval");
    holds(!(await addNote()).error, "the call succeeds now");
    noFaults(world);
  });
  await check("a decision is taken back in the browser, and the next call asks again", async () => {
    await open(world, page, "/approvals?view=decided");
    await press(world, page, "take-back", page.getByRole("button", { name: "Take back notes memory.write" }));
    await done(page, "mgp approve --revoke");
    equal((await addNote()).error.kind, "refused", "the call");
    await until(questions, ({ permissions }) => permissions.length === 1, "the question");
    noFaults(world);
  });
  await check("an approval is taken back by the button of its message", async () => {
    await open(world, page, "/approvals");
    const { request_id: id } = await permission();
    await press(world, page, "approve", question(id).getByRole("button", { name: "For 8 hours notes memory.write" }));
    await done(page, "mgp approve --open --for=8h");
    await press(world, page, "take-back", page.locator("#messages").getByRole("button", { name: "Take back notes memory.write" }));
    await done(page, "mgp approve --revoke");
    await page.locator("#messages").getByText("open again: the next call asks anew").waitFor();
    equal((await addNote()).error.kind, "refused", "the call");
    noFaults(world);
  });
  await check("a permission is denied in the browser", async () => {
    await open(world, page, "/approvals");
    const { request_id: id } = await permission();
    await press(world, page, "deny", question(id).getByRole("button", { name: /^Deny\b/ }));
    await question(id).waitFor({ state: "detached" });
    equal((await permission()).state, "denied", "state");
    equal((await addNote()).error.kind, "refused", "the call");
    noFaults(world);
  });
  await check("a permission is approved for a time that is filled in", async () => {
    await mgp("approve", (await permission()).request_id, "--revoke");
    await addNote();
    const { request_id: id } = await permission();
    await open(world, page, "/approvals");
    await question(id).getByText("Approve for another time").click();
    await question(id).getByLabel("Or another duration").fill("soon");
    await press(world, page, "approve", question(id).locator("details").getByRole("button", { name: "Approve" }), { status: 422 });
    await refused(page, "#messages", "soon");
    await question(id).getByLabel("Or another duration").fill("3h");
    await press(world, page, "approve", question(id).locator("details").getByRole("button", { name: "Approve" }));
    const { state, expires_at: end } = await until(permission, ({ state }) => state === "approved", "the approval");
    equal([state, hoursUntil(end)], ["approved", 3], "state and hours");
    noFaults(world);
  });
  await check("a decision by the command line leaves the page", async () => {
    await mgp("approve", (await permission()).request_id, "--revoke");
    const { permissions } = await until(async () => {
      await addNote();
      return questions();
    }, ({ permissions }) => permissions.length > 0, "another question");
    await open(world, page, "/approvals");
    await question(permissions[0].request_id).waitFor();
    await mgp("approve", permissions[0].request_id);
    await open(world, page, "/approvals");
    equal(await question(permissions[0].request_id).count(), 0, "questions in the page");
  });

  await check("permissions of a server are approved without end, and all at once", async () => {
    const wanted = ["--permission", "memory.read", "--permission", "system.info"];
    await mgp("servers", "add", "greedy", ...wanted, "--", program, "embedded-server", "notes", "--db", "greedy.sqlite3");
    try {
      const waiting = async () => (await questions()).permissions.filter(({ server_id: server }) => server === "greedy").length;
      await until(waiting, (count) => count === 3, "three questions");
      await open(world, page, "/approvals");
      const always = page.getByRole("button", { name: "Always greedy system.info" });
      await press(world, page, "approve", always);
      await done(page, "mgp approve --open --always -- ");
      await always.waitFor({ state: "detached" });
      const all = page.getByRole("button", { name: "Approve all greedy needs 2 permissions" });
      await press(world, page, "approve", all, { asks: true });
      await done(page, "mgp approve --open -- greedy");
      await all.waitFor({ state: "detached" });
      equal(await waiting(), 0, "open questions");
      noFaults(world);
    } finally {
      await mgp("servers", "remove", "greedy");
    }
  });

  await check("an approval of a call ends when its button says", async () => {
    const buttons = [
      ["For 8 hours", false, ["approved", false, 8]],
      ["For this session", false, ["approved", true, 24]],
      ["Always", true, ["approved", false, null]],
    ];
    const ids = await Promise.all(buttons.map((_, at) => ask(100 + at)));
    await open(world, page, "/approvals");
    for (const [at, [label, asks]] of buttons.entries()) {
      await press(world, page, "approve", question(ids[at]).getByRole("button", { name: `${label} notes delete_note` }), { asks });
      await question(ids[at]).waitFor({ state: "detached" });
    }
    const found = await decisions(ids);
    equal(buttons.map(([label], at) => [label, ...found[at]]), buttons.map(([label, , decision]) => [label, ...decision]), "decisions");
    noFaults(world);
  });
  await check("an approval until midnight ends with the day of the browser", async () => {
    const id = await ask(103);
    await open(world, page, "/approvals");
    const midnight = await page.evaluate(() => new Date().setHours(24, 0, 0, 0));
    await press(world, page, "approve", question(id).getByRole("button", { name: "Until midnight notes delete_note" }));
    await question(id).waitFor({ state: "detached" });
    const { state, expires_at: end } = (await mgp("approve", "--all")).confirmations.find(({ request_id: found }) => found === id);
    equal(state, "approved", "state");
    holds(Math.abs(Date.parse(end) - midnight) < 60_000, `${end} is ${new Date(midnight).toISOString()}`);
    noFaults(world);
  });
  await check("a call that was approved once is asked about again after it was made", async () => {
    const id = await ask(110);
    await open(world, page, "/approvals");
    await press(world, page, "approve", question(id).getByRole("button", { name: /^Approve once/ }));
    await done(page, id);
    holds(JSON.stringify(await remove(110)).includes("no note has the id 110"), "the tool answered");
    holds(await ask(110), "another question");
    noFaults(world);
  });
  await check("several calls are decided on by their boxes", async () => {
    const ids = await Promise.all([ask(111), ask(112)]);
    await open(world, page, "/approvals");
    for (const id of ids) await question(id).getByRole("checkbox").check();
    await press(world, page, "deny", page.getByRole("group", { name: "The checked calls:" }).getByRole("button", { name: "Deny" }));
    for (const id of ids) await question(id).waitFor({ state: "detached" });
    equal((await decisions(ids)).map(([state]) => state), ["denied", "denied"], "states");
    noFaults(world);
  });
  await check("the calls that a pattern covers are shown before it is approved", async () => {
    const id = await ask(113);
    await open(world, page, "/approvals");
    await question(id).getByText("Approve calls like this one").click();
    await question(id).getByLabel("Pattern").fill("*");
    await press(world, page, "preview-pattern", question(id).getByRole("button", { name: "Show what it covers" }));
    const { covered, looked_at: all } = await mgp("approve", id, "--like", "*", "--preview");
    holds(covered > 0, "the pattern covers calls");
    await question(id).getByText(`The pattern covers this call and ${covered} of ${all} others of this tool.`).waitFor();
    equal((await decisions([id]))[0][0], "open", "state after the preview");
    await question(id).getByLabel("For how long").selectOption("1 hour");
    await press(world, page, "approve", question(id).getByRole("button", { name: "Approve calls like this" }));
    await question(id).waitFor({ state: "detached" });
    equal(await decisions([id]), [["approved", false, 1]], "decision");
    equal(await ask(114), undefined, "the question about another call");
    await mgp("approve", id, "--revoke");
    noFaults(world);
  });
  await check("the second of two operators is shown the decision of the first", async () => {
    const id = await ask(115);
    await open(world, page, "/approvals");
    const button = question(id).getByRole("button", { name: /^Approve once/ });
    // A page under the pointer is not read again.
    await button.hover();
    await mgp("approve", id, "--deny");
    await press(world, page, "approve", button, { status: 422 });
    await refused(page, "#messages", "denied");
    equal((await decisions([id]))[0][0], "denied", "state");
    noFaults(world);
  });
  await check("a changed definition is compared and accepted, also on the page of its server", async () => {
    const server = await startServer();
    const changes = async () => (await mgp("tools", "diff", "changing")).definitions ?? [];
    const change = async (description) => {
      server.description = description;
      await mgp("servers", "restart", "changing");
      await until(changes, (changes) => changes.length === 1, "the change");
    };
    try {
      await mgp("servers", "add", "changing", "--url", server.url);
      await until(() => mgp("tools", "show", "changing__echo"), ({ pinned }) => pinned?.state === "accepted", "the first definition");
      await change("Repeats a word twice");
      await open(world, page, "/approvals");
      const changed = page.getByRole("article", { name: "changing echo" });
      equal(await changed.locator(".both pre").allTextContents(), ["Repeats a word", "Repeats a word twice"], "before and after");
      await press(world, page, "accept-definition", changed.getByRole("button", { name: /^Accept this definition/ }));
      await changed.waitFor({ state: "detached" });
      equal(await changes(), [], "changed definitions");
      await change("Repeats a word three times");
      await open(world, page, "/servers?id=changing&view=definitions");
      await press(world, page, "accept-definition", page.getByRole("button", { name: "Accept echo" }));
      await page.getByText("All tools are as they were accepted.").waitFor();
      equal(await changes(), [], "changed definitions");
      noFaults(world);
    } finally {
      await mgp("servers", "remove", "changing");
      server.stop();
    }
  });
};
