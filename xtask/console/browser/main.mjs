// Runs all tests of the console, and prints their number on the last line.
import { finish, start } from "./harness.mjs";
import { pages } from "./pages.mjs";
import { sessions } from "./sessions.mjs";
import { hostile } from "./hostile.mjs";
import { actions } from "./actions.mjs";
import { keyboard } from "./keyboard.mjs";

const world = await start();
for (const tests of [sessions, actions, keyboard, hostile, pages]) await tests(world);
await finish(world);
