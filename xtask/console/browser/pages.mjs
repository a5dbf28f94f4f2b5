// Each page in three forms: nothing that axe-core finds, nothing that is refused, and a picture where it is wanted.
import { axe, check, equal, holds, noFaults, open, PAGES, screens } from "./harness.mjs";

const FORMS = [
  { name: "light", scheme: "light", width: 1280 },
  { name: "dark", scheme: "dark", width: 1280 },
  { name: "phone", scheme: "light", width: 390 },
];
const PARTS = ["/approvals?view=decided", "/servers?id=notes", "/servers?view=add", "/tools?name=add_note", "/settings?view=doctor"];

export const pages = async (world) => {
  const page = world.admin;
  for (const path of [...PAGES, ...PARTS]) {
    await check(`${path} has no violation of accessibility`, async () => {
      const answer = await open(world, page, path);
      equal(answer.status(), 200, "status");
      for (const { name, scheme, width } of FORMS) {
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
        await page.setViewportSize({ width, height: 900 });
        const found = await page.evaluate(`(() => { ${axe}; return axe.run({ resultTypes: ["violations"] }); })()`);
        equal(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), [], `violations in ${name}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        holds(!wide, `the page is wider than the window in ${name}`);
        // To hide the caret, the picture would change styles in the page.
        if (screens && PAGES.includes(path)) await page.screenshot({ path: `${screens}/${path.slice(1)}-${name}.png`, caret: "initial" });
      }
      await page.setViewportSize({ width: 1280, height: 900 });
      noFaults(world);
    });
    await check(`${path} has one heading of the first level and no inline code`, async () => {
      const found = await page.evaluate(() => ({
        headings: document.querySelectorAll("h1").length,
        styles: document.querySelectorAll("[style], style").length,
        scripts: [...document.scripts].filter((script) => !script.src || !script.nonce).length,
        handlers: [...document.querySelectorAll("*")].filter((one) => one.getAttributeNames().some((name) => name.startsWith("on"))).length,
      }));
      equal(found, { headings: 1, styles: 0, scripts: 0, handlers: 0 }, "parts of the document");
    });
  }
};
