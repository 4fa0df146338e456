// SPDX-License-Identifier: LGPL-2.1-or-later
// Stands in for the entry point of Tyrum's gateway, packages/gateway/dist/index.mjs, as far as the drop-in and the
// gateway's home are concerned:
//
// - It exports runCli(argv), argv without node and the file, which gives a promise of an exit code. It calls that itself
//   only where argv[1] is called index.mjs, index.js or index.ts.
// - `start` imports the plugins of the home, listens, and resolves with 0; the process stays, and ends by process.exit at a
//   signal.
// - It starts ToolRunners from argv[1] where that is called index or tyrum, and else from its own file.
//
// `start --home H` prints one line, { argv, entrypoint, plugins, port }. What is sent to the port is the payload of a step;
// what came of it is the answer. Other commands: `--version`, `throw`, `code N`, and `start --nothing`, which listens to nothing.
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runStep } from "./gateway.mjs";

const OWN = ["index.mjs", "index.js", "index.ts"];
const RUNNABLE = [...OWN, "tyrum.mjs", "tyrum.js", "tyrum.ts"];

function entrypoint() {
  const started = process.argv[1];
  return RUNNABLE.includes(basename(started)) && existsSync(started) ? started : fileURLToPath(import.meta.url);
}

// Owned by this user or root, and not writable by everybody: no more is asked of a plugin.
function trusted(where) {
  const { uid, mode } = statSync(where);
  return (uid === process.getuid() || uid === 0) && (mode & 0o002) === 0;
}

async function loadPlugins(home) {
  const root = join(home, "plugins");
  const loaded = [];

  if (!existsSync(root) || !trusted(realpathSync(root))) return loaded;
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    const dir = join(root, entry.name);
    if (!entry.isDirectory() || !trusted(dir) || !existsSync(join(dir, "plugin.json"))) continue;
    const manifest = JSON.parse(readFileSync(join(dir, "plugin.json"), "utf-8"));
    const { registerPlugin } = await import(pathToFileURL(join(dir, manifest.entry)).href);
    registerPlugin({ manifest });
    loaded.push(manifest.id);
  }
  return loaded;
}

async function start(argv) {
  const home = argv[argv.indexOf("--home") + 1];
  const plugins = await loadPlugins(home);
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const chunks = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("end", async () => {
      const done = await runStep(entrypoint(), home, 30000, "", Buffer.concat(chunks));
      socket.end(JSON.stringify(done));
    });
  });

  process.once("SIGTERM", () => process.exit(0));
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  console.log(JSON.stringify({ argv, entrypoint: entrypoint(), plugins, port: server.address().port }));
}

export async function runCli(argv = process.argv.slice(2)) {
  const [command] = argv;

  if (command === "--version") console.log("1");
  else if (command === "throw") throw new Error("no such database");
  else if (command === "code") return Number(argv[1]);
  else if (command === "start" && !argv.includes("--nothing")) await start(argv);
  return 0;
}

if (OWN.includes(basename(process.argv[1] ?? "")))
  void runCli(process.argv.slice(2)).then((code) => {
    if (code !== 0) process.exit(code);
  });
