#!/usr/bin/env node
// Stands where Tyrum's gateway has its entry point, and has tyrum-oci contain every ToolRunner.
//
// The gateway starts a ToolRunner as `node ENTRYPOINT toolrunner ...`, where ENTRYPOINT is the file that it was itself
// started from, if that is called index or tyrum. So start the gateway from this file: `toolrunner` goes to `tyrum-oci
// toolrunner`, with the same options and streams; everything else to the real entry point, in this process.
//
//   TYRUM_ENTRYPOINT   the real entry point (default: index.mjs beside this file)
//   TYRUM_OCI          the program (default: tyrum-oci, found in PATH)
//
// Whoever ends this process ends the step: signals are passed on, and should it be killed, tyrum-oci notices.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"];

function toolrunner(words) {
  const program = process.env.TYRUM_OCI || "tyrum-oci";
  const child = spawn(program, ["toolrunner", "--die-with-parent", ...words], { stdio: "inherit" });

  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    // As a ToolRunner reports a failure of its own.
    process.stderr.write(`toolrunner error: cannot start '${program}': ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}

async function gateway() {
  const here = fileURLToPath(import.meta.url);
  const real = resolve(process.env.TYRUM_ENTRYPOINT || join(dirname(here), "index.mjs"));

  if (real === here || !existsSync(real)) {
    process.stderr.write(`tyrum: there is no entry point '${real}'; set TYRUM_ENTRYPOINT\n`);
    process.exitCode = 1;
    return;
  }
  // process.argv stays as it is: the gateway must find this file in it when it starts a ToolRunner.
  await import(pathToFileURL(real).href);
}

if (process.argv[2] === "toolrunner") toolrunner(process.argv.slice(3));
else await gateway();
