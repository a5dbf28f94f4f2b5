// Texts of a server that try to become part of the console.
import { attacks, check, equal, holds, noFaults, open } from "./harness.mjs";

const untouched = async (world, page) => {
  equal(await page.evaluate(() => window.hacked ?? null), null, "code of a server ran");
  holds(await page.getByRole("button", { name: "Sign out" }).isVisible(), "the console is covered");
  noFaults(world);
};

export const hostile = async (world) => {
  const page = world.admin;
  for (const path of ["/now", "/servers", "/servers?id=hostile", "/servers?id=hostile&view=log", "/tools", "/tools?q=attack", "/agents", "/trail"]) {
    await check(`${path} shows texts of a hostile server as texts`, async () => {
      await open(world, page, path);
      await untouched(world, page);
    });
  }
  for (let number = 0; number < attacks; number += 1) {
    await check(`attack ${number} stays a text in a tool, its form and its result`, async () => {
      await open(world, page, `/tools?name=attack_${number}`);
      await untouched(world, page);
      await page.getByRole("button", { name: "Call", exact: true }).click();
      await page.locator("#answer .foreign").first().waitFor();
      await untouched(world, page);
    });
  }
};
