// Texts of a server that try to become part of the console.
import { readFileSync } from "node:fs";
import { check, equal, groups, holds, mgp, noFaults, open } from "./harness.mjs";

const texts = JSON.parse(readFileSync(new URL("../../../mgp-console/src/testing/attacks.json", import.meta.url), "utf8"));

const untouched = async (world, page) => {
  equal(await page.evaluate(() => window.hacked ?? null), null, "code of a server ran");
  holds(await page.getByRole("button", { name: "Sign out" }).isVisible(), "the console is covered");
  noFaults(world);
};

export const hostile = async (world) => {
  const page = world.admin;
  for (let group = 0; group < groups; group += 1) {
    await check(`group ${group} stays texts in a tool, its form and its result`, async () => {
      await open(world, page, `/tools?name=group_${group}`);
      await untouched(world, page);
      await page.getByRole("button", { name: "Call", exact: true }).click();
      await page.locator("#answer .foreign").first().waitFor();
      await untouched(world, page);
    });
  }
  await check("every tool of a hostile server is listed as texts", async () => {
    await open(world, page, "/tools?server=hostile");
    for (;;) {
      await untouched(world, page);
      const next = page.getByRole("link", { name: "After", exact: true });
      if ((await next.count()) === 0) break;
      await next.first().click();
      await page.waitForLoadState("load");
    }
  });
  for (const path of ["/now", "/servers", "/servers?id=hostile", "/servers?id=hostile&view=log&last=500", "/tools", "/tools?q=attack", "/agents", "/trail"]) {
    await check(`${path} shows texts of a hostile server as texts`, async () => {
      await open(world, page, path);
      await untouched(world, page);
    });
  }
  await check("hostile arguments of a question stay texts", async () => {
    const { permissions } = await mgp("approve", "--all");
    for (const { request_id: id } of permissions) await mgp("approve", id, "--revoke");
    await mgp("call", "add_note", JSON.stringify({ title: texts.join(" "), text: texts.join("\n") }));
    await open(world, page, "/approvals");
    await untouched(world, page);
  });
};
