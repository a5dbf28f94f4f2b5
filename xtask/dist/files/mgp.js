#!/usr/bin/env node
// Runs the program of the package for this platform, with the same stdin, stdout, stderr and arguments.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const path = require("node:path");
const { name, version, optionalDependencies, repository } = require("../package.json");

function fail(lines) {
  process.stderr.write(`${name}: ${lines.join("\n  ")}\n`);
  process.exit(1);
}

function program() {
  const platform = `@${name}/${process.platform}-${process.arch}`;
  const known = Object.keys(optionalDependencies);
  if (!known.includes(platform)) {
    fail([
      `there is no package for ${process.platform} ${process.arch}: expected one of ${known.join(", ")}`,
      `build the program from its source: ${repository.url}`,
    ]);
  }
  try {
    const folder = path.dirname(require.resolve(`${platform}/package.json`));
    return path.join(folder, "bin", process.platform === "win32" ? "mgp.exe" : "mgp");
  } catch {
    fail([
      `the package ${platform} is missing, which holds the program for this platform`,
      `install it: npm install ${platform}@${version}`,
      "npm leaves it out with --omit=optional or --no-optional, and if node_modules was copied from another platform",
    ]);
  }
}

const file = program();
const child = spawn(file, process.argv.slice(2), { stdio: "inherit", windowsHide: true });

// A terminal sends these to the program itself too, which would take a second one as a request to stop at once.
const ofTerminals = ["SIGINT", "SIGQUIT", "SIGHUP"];
const passed = process.platform === "win32" ? [] : ["SIGTERM", "SIGUSR1", "SIGUSR2", ...ofTerminals];
const forward = (signal) => {
  if (!(process.stdin.isTTY && ofTerminals.includes(signal))) {
    child.kill(signal);
  }
};
for (const signal of passed) {
  process.on(signal, forward);
}

child.on("error", (error) => {
  const reason = error.code === "ENOENT" ? "it, or the loader that it needs, is missing (it is built for glibc, not for musl)" : error.message;
  fail([`failed to run ${file}: ${reason}`]);
});
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exit(code);
  }
  // A shell and a host see the same end as without this script.
  for (const other of passed) {
    process.removeListener(other, forward);
  }
  process.exitCode = 128 + (constants.signals[signal] ?? 0);
  process.kill(process.pid, signal);
});
