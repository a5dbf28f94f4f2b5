// The life of servers: starts and stops, registrations, and servers that are added to the configuration.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, configuration, equal, holds, home, mgp, noFaults, open, press, pressInvalid, program, refused, until } from "../harness.mjs";
import { startServer } from "../server.mjs";

export const servers = async (world) => {
  const page = world.admin;
  const state = async (id) => (await mgp("status")).kernels[0].servers.find((server) => server.id === id);
  const processOf = async () => (await mgp("call", "notes_status")).structuredContent?.process_id;
  const button = (name) => page.getByRole("button", { name, exact: true });
  const written = () => readFileSync(configuration, "utf8");
  // The message of a button names the states before and after.
  const became = (text) => page.locator("#messages .message.done").filter({ hasText: text }).first().waitFor();

  await check("a server is started again from the list of servers", async () => {
    const before = await processOf();
    await open(world, page, "/servers");
    await press(world, page, "restart-server", button("Restart notes"));
    await became("notes:");
    const after = await until(processOf, (after) => after !== undefined && after !== before, "another process");
    holds(after > 0, "its id");
    noFaults(world);
  });
  for (const [label, action, asks] of [["Stop after its calls", "drain-server", false], ["Stop now", "stop-server", true]]) {
    await check(`a server is stopped by "${label}", and started`, async () => {
      await open(world, page, "/servers?id=notes");
      await press(world, page, action, button(`${label} notes`), { asks });
      await until(() => state("notes"), ({ stopped }) => stopped, "the stop");
      holds((await mgp("call", "notes_status")).error, "a call fails");
      await press(world, page, "start-server", button("Start notes"));
      await until(() => state("notes"), ({ state }) => state === "connected", "the start");
      await button("Restart notes").waitFor();
      noFaults(world);
    });
  }

  const commandFields = async () => {
    const labels = ["Id in this gateway", "Program", "Arguments, one on each line (optional)"];
    return Promise.all(labels.map((label) => page.getByLabel(label, { exact: true }).inputValue()));
  };
  const answer = page.locator("#registered");
  const started = page.locator("#started");
  // A registered server is confined, and writes into its private folder.
  const own = (id) => ["embedded-server", "notes", "--db", `${id}.sqlite3`];
  const fillCommand = async (id, command, args) => {
    await open(world, page, "/servers?view=add&from=command");
    await page.getByLabel("Id in this gateway").fill(id);
    await page.getByLabel("Program", { exact: true }).fill(command);
    await page.getByLabel("Arguments, one on each line").fill(args.join("\n"));
  };
  const register = async () => {
    await fillCommand("extra", program, own("extra"));
    await page.getByLabel("Environment variables").fill("COLOUR=blue");
    await page.getByLabel("Permissions that all of its tools need").fill("memory.read");
    await page.getByLabel("Reason, for the trail").fill("a test");
    await press(world, page, "preview-registration", button("Preview"));
  };
  // The boxes hold the program and each of its arguments.
  const runs = async (place, expected) => {
    await place.locator(".boxes").first().waitFor();
    equal(await place.locator(".boxes li").allTextContents(), expected, "the program and its arguments");
  };
  await check("a registration is previewed, and registers nothing", async () => {
    await register();
    await runs(answer, [program, ...own("extra")]);
    for (const text of ["COLOUR", "memory.read"]) await answer.getByText(text).waitFor();
    equal(await state("extra"), undefined, "the server");
    await page.getByLabel("Reason, for the trail").fill("another test");
    await button("Register and start").waitFor({ state: "detached" });
    noFaults(world);
  });
  await check("a registration without a program is not sent", async () => {
    await fillCommand("nothing", "", []);
    await pressInvalid(page, button("Preview"), page.getByLabel("Program", { exact: true }));
    noFaults(world);
  });
  await check("a program with its arguments in one field is split by a button", async () => {
    await fillCommand("extra", [program, ...own("extra")].join(" "), []);
    await press(world, page, "preview-registration", button("Preview"));
    await answer.getByText("The name of this program has a space.").waitFor();
    await press(world, page, "preview-registration", button("Split it into program and arguments"));
    await answer.getByText("The name of this program has a space.").waitFor({ state: "detached" });
    await runs(answer, [program, ...own("extra")]);
    equal(await commandFields(), ["extra", program, own("extra").join("\n")], "fields");
    noFaults(world);
  });
  await check("a server is registered as it was previewed, and its start is followed", async () => {
    await register();
    await press(world, page, "register-server", button("Register and start"));
    await answer.getByText("sandboxed").waitFor();
    const { registered, trust_level: trust } = await until(() => state("extra"), (server) => server?.registered, "the registration");
    equal([registered, trust], [true, "sandboxed"], "the server");
    const { permissions } = await until(() => mgp("approve"), ({ permissions }) => permissions.some(({ server_id: id }) => id === "extra"), "its question");
    holds(permissions.some(({ permission }) => permission === "memory.read"), "the permission is asked for");
    await started.getByText(/^Connected\. It has \d+ tools\.$/).waitFor();
    const { tool_count: count } = await state("extra");
    equal(await started.locator("p").first().textContent(), `Connected. It has ${count} tools.`, "the answer");
    noFaults(world);
  });
  await check("what a registered server runs is changed in the form of it, filled in", async () => {
    await open(world, page, "/servers?id=extra");
    const card = page.getByRole("region", { name: "What it runs" });
    await runs(card, [program, ...own("extra"), "COLOUR"]);
    await card.getByRole("link", { name: "Change", exact: true }).click();
    await page.waitForURL(/change=extra/);
    equal(await commandFields(), ["extra", program, own("extra").join("\n")], "fields");
    equal(await page.getByLabel("Environment variables").inputValue(), "COLOUR=", "variables, without their values");
    equal(await page.getByLabel("Permissions that all of its tools need").inputValue(), "memory.read", "permissions");
    noFaults(world);
  });
  await check("what a server of the configuration runs leads to its line", async () => {
    await open(world, page, "/servers?id=notes");
    await runs(page.getByRole("region", { name: "What it runs" }), [program, "embedded-server", "notes", "--db", join(home, "notes.sqlite3")]);
    await page.getByRole("link", { name: "Change it in the settings" }).click();
    await page.waitForURL(/settings.*#L\d+$/);
    const place = (area) => area.value.slice(area.selectionStart).startsWith('[[servers]]\nid = "notes"');
    await until(() => page.getByLabel("Text of the file").evaluate(place), (isThere) => isThere, "the cursor at the table of the server");
    noFaults(world);
  });
  await check("a registered server is removed in the browser", async () => {
    await open(world, page, "/servers?id=extra");
    await press(world, page, "remove-server", button("Remove extra"), { asks: true });
    await page.getByText("The server is removed.").waitFor();
    await until(() => state("extra"), (server) => server === undefined, "the removal");
    noFaults(world);
  });
  await check("a server that does not start says so, and is changed until it starts", async () => {
    const registerIt = async () => {
      await press(world, page, "preview-registration", button("Preview"));
      await press(world, page, "register-server", button("Register and start"));
    };
    try {
      await fillCommand("broken", "/bin/false", ["--quick"]);
      await registerIt();
      const failure = started.locator(".error");
      await failure.getByText("It does not start").waitFor();
      holds((await failure.locator(".foreign").first().textContent()).length > 0, "the error of the server");
      await failure.getByRole("link", { name: "Change it" }).click();
      await page.waitForURL(/change=broken/);
      equal(await commandFields(), ["broken", "/bin/false", "--quick"], "fields");
      await press(world, page, "remove-server", button("Remove the old one broken"), { asks: true });
      await page.locator("#removed").getByText("The old server is removed.").waitFor();
      await until(() => state("broken"), (server) => server === undefined, "the removal");
      await page.getByLabel("Program", { exact: true }).fill(program);
      await page.getByLabel("Arguments, one on each line").fill(own("broken").join("\n"));
      await registerIt();
      await started.getByText("Connected.").waitFor();
      equal((await state("broken")).state, "connected", "the state");
      noFaults(world);
    } finally {
      await mgp("servers", "remove", "broken");
    }
  });

  const before = written();
  // Puts the file back, and waits until the gateway has only its servers.
  const restore = async (id) => {
    writeFileSync(configuration, before);
    await mgp("reload");
    await until(() => state(id), (server) => server === undefined, "the end of the server");
  };
  await check("a package is previewed with its command, and nothing is written", async () => {
    await open(world, page, "/servers?view=add&from=package");
    await page.getByLabel("Name of the package or image, with its version").fill("@example/notes@1.0.0");
    await page.getByLabel("Arguments, one on each line").fill("--root\n/srv");
    await press(world, page, "preview-server", button("Preview"));
    await page.locator("#preview-package").getByText("npx -y @example/notes@1.0.0 --root /srv").waitFor();
    await page.locator("#preview-package").getByText(configuration).waitFor();
    equal(written(), before, "the configuration");
    noFaults(world);
  });
  await check("a server at a URL is previewed, tried and added", async () => {
    const server = await startServer();
    try {
      await open(world, page, "/servers?view=add&from=url");
      await page.getByLabel("URL of a server over HTTP").fill(server.url);
      await page.getByText("Id, keys, confinement and trial").click();
      await page.getByLabel("Id in this gateway").fill("far");
      await press(world, page, "preview-server", button("Preview"));
      await page.locator("#preview-url").getByText(server.url).waitFor();
      equal(written(), before, "the configuration after the preview");
      await press(world, page, "add-server", button("Try it and add it"));
      await page.locator("#preview-url").getByRole("row", { name: /^echo/ }).waitFor();
      holds(written().includes('id = "far"'), "the configuration has the server");
      await until(() => state("far"), (server) => server?.state === "connected", "the start");
      noFaults(world);
    } finally {
      await restore("far");
      server.stop();
    }
  });
  await check("a server that does not start is not added, and the error has advice", async () => {
    const server = await startServer();
    server.stop();
    await open(world, page, "/servers?view=add&from=url");
    await page.getByLabel("URL of a server over HTTP").fill(server.url);
    await press(world, page, "preview-server", button("Preview"));
    await press(world, page, "add-server", button("Try it and add it"), { status: 422 });
    await refused(page, "#preview-url", "does not start");
    equal(written(), before, "the configuration");
    noFaults(world);
  });
  await check("a server of a registry is found, previewed and added without a trial", async () => {
    const server = await startServer();
    try {
      writeFileSync(configuration, `${before}\n[discovery]\nregistry = "${server.origin}"\n`);
      await open(world, page, "/servers?view=add");
      await page.getByLabel("Words").fill("echo");
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByRole("link", { name: "com.example/echo" }).click();
      await page.getByText("Id, keys, confinement and trial").click();
      await page.getByLabel("Without a trial").check();
      await press(world, page, "preview-server", button("Preview"));
      await page.locator("#preview-1").getByText(server.url).waitFor();
      await press(world, page, "add-server", button("Try it and add it"));
      await page.locator("#preview-1").getByText("Added. The gateway starts it at once.").waitFor();
      holds(written().includes('id = "echo"'), "the configuration has the server");
      noFaults(world);
    } finally {
      await restore("echo");
      server.stop();
    }
  });
  await check("a registry that does not answer is an error with advice, and the search stays", async () => {
    const server = await startServer();
    server.stop();
    writeFileSync(configuration, `${before}\n[discovery]\nregistry = "${server.origin}"\n`);
    try {
      await open(world, page, "/servers?view=add&q=echo");
      await refused(page, "#page", server.origin);
      equal(await page.getByLabel("Words").inputValue(), "echo", "the words");
      noFaults(world);
    } finally {
      writeFileSync(configuration, before);
    }
  });
};
