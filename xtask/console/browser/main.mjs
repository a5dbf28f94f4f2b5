// Runs all tests of the console, and prints their number on the last line.
import { finish, start } from "./harness.mjs";
import { pages } from "./pages.mjs";
import { sessions } from "./sessions.mjs";
import { hostile } from "./hostile.mjs";
import { keyboard } from "./keyboard.mjs";
import { all } from "./actions/all.mjs";
import { agents } from "./actions/agents.mjs";
import { approvals } from "./actions/approvals.mjs";
import { now } from "./actions/now.mjs";
import { servers } from "./actions/servers.mjs";
import { settings } from "./actions/settings.mjs";
import { tools } from "./actions/tools.mjs";
import { trail } from "./actions/trail.mjs";

const world = await start();
const actions = [approvals, tools, now, servers, agents, trail, settings];
for (const tests of [sessions, ...actions, keyboard, hostile, pages, all]) await tests(world);
await finish(world);
