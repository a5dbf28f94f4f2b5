// The actions of the console, of which none is left out.
import { readdirSync, readFileSync } from "node:fs";
import { check, equal, holds, posted } from "../harness.mjs";

const folder = new URL("../../../../mgp-console/src/actions/", import.meta.url);

// Returns the names of the actions in the lists `ALL` of the console's pages.
const names = () => {
  const files = readdirSync(folder).filter((name) => name.endsWith(".rs"));
  const text = files.map((name) => readFileSync(new URL(name, folder), "utf8")).join("\n");
  const lists = [...text.matchAll(/\bALL: &\[&Action\] =\s*&\[([^\]]*)\]/g)].map(([, list]) => list);
  const constants = lists.flatMap((list) => [...list.matchAll(/&(\w+)/g)].map(([, constant]) => constant));
  return constants.map((constant) => {
    const [, name] = new RegExp(`\\b${constant}(?:: Action = Action \\{\\s*name:| =) "([a-z-]+)"`).exec(text) ?? [];
    holds(name, `the action ${constant} has a name`);
    return name;
  });
};

export const all = async () => {
  await check("every action of the console was carried out from a page", async () => {
    const listed = names();
    equal(listed.filter((name) => !posted.has(name)), [], "actions that no page has carried out");
    equal([...posted].filter((name) => !listed.includes(name)), [], "actions that are in no list");
  });
};
