#!/usr/bin/env node
// SPDX-License-Identifier: LGPL-2.1-or-later
// Replaces the entry point of Tyrum's gateway, and runs every ToolRunner in tyrum-oci.
//
// The gateway starts a ToolRunner as `node ENTRYPOINT toolrunner ...`, where ENTRYPOINT is the file that it was itself
// started from, if that is called index or tyrum. So start the gateway from this file: `toolrunner` goes to `tyrum-oci
// toolrunner`, with the same options and streams; everything else to the real entry point, in this process.
//
//   TYRUM_ENTRYPOINT   the real entry point, Tyrum's packages/gateway/dist/index.mjs (default: index.mjs beside this file)
//   TYRUM_OCI          the program (default: tyrum-oci, found in PATH)
//
// When this process ends, the step ends: signals are forwarded, and if it is killed, the kernel signals tyrum-oci.
import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { constants } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"];

// The gateway uses the file that it was started from as its entry point if it has one of these names.
const NAMES = /^(index|tyrum)\.(mjs|js|ts)$/;

// The first arguments with which the gateway keeps running, as it does without any.
const STAYING = ["start", "all", "edge", "worker", "scheduler", "desktop-runtime"];

function toolrunner(args) {
  const program = process.env.TYRUM_OCI || "tyrum-oci";
  const child = spawn(program, ["toolrunner", "--die-with-parent", ...args], { stdio: "inherit" });

  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    // The form in which a ToolRunner reports its own failure.
    process.stderr.write(`toolrunner error: cannot start '${program}': ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}

// node's exit code when a top-level await can never be settled.
const UNSETTLED = 13;

// Until the gateway has started, no exit is a success, not even one that its own code asks for.
let starting = true;

function fail(message) {
  process.stderr.write(`tyrum: ${message}\n`);
  process.exit(1);
}

// If argv[1] has the name of an entry point, importing it runs the command line. With another name it does not, and
// runCli is called here, once.
async function load(real) {
  const self = process.argv[1];

  process.argv[1] = `${self}.loading`;
  try {
    return await import(pathToFileURL(real).href);
  } finally {
    process.argv[1] = self;
  }
}

function stays(args) {
  const [first] = args;

  if (args.includes("-h") || args.includes("--help") || first === "-v" || first === "--version") return false;
  return !first || first.startsWith("-") || STAYING.includes(first);
}

async function gateway(args) {
  const here = fileURLToPath(import.meta.url);
  const real = resolve(process.env.TYRUM_ENTRYPOINT || join(dirname(here), "index.mjs"));

  if (!NAMES.test(basename(process.argv[1])))
    fail(`started as '${process.argv[1]}', the gateway would not find this file and would contain no step; call it tyrum.mjs`);
  if (!existsSync(real) || realpathSync(real) === realpathSync(here))
    fail(`there is no entry point of the gateway's at '${real}'; set TYRUM_ENTRYPOINT to its dist/index.mjs`);
  process.on("exit", (code) => {
    if (starting && (code === 0 || code === UNSETTLED)) fail(`'${real}' ended before it had started anything`);
  });
  const { runCli } = await load(real);
  if (typeof runCli !== "function")
    fail(`'${real}' exports no runCli, so nothing was started; set TYRUM_ENTRYPOINT to the gateway's dist/index.mjs`);
  starting = stays(args);
  const code = await runCli(args);
  if (!(Number.isInteger(code) && code >= 0 && code <= 255))
    fail(`runCli of '${real}' gave '${code}' and no exit code, so it may have started nothing`);
  if (code !== 0) process.exit(code);
  starting = false;
  // A gateway that keeps running has something to wait for, and ends by process.exit.
  if (stays(args))
    process.on("beforeExit", () => fail("the gateway ended as nothing was left to wait for: it started nothing that stays"));
}

const args = process.argv.slice(2);

if (args[0] === "toolrunner") toolrunner(args.slice(1));
else
  await gateway(args).catch((error) =>
    fail(`the gateway failed: ${error instanceof Error ? error.message : String(error)}`),
  );
