// SPDX-License-Identifier: LGPL-2.1-or-later
// Starts a ToolRunner as Tyrum's gateway does: node, the entry point, the payload on standard input and its end; at most
// 4 MiB of each stream; SIGTERM at the timeout, SIGKILL five seconds later.
//
//   node gateway.mjs ENTRYPOINT HOME TIMEOUT_MS [kill] <PAYLOAD
//
// prints what came of it as one line of JSON. With "kill" it is SIGKILL at once, as when the gateway's host runs out of
// memory.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const CAP = 4 * 1024 * 1024;

export function runStep(entrypoint, home, timeout, way, payload) {
  const words = ["toolrunner", "--home", home, "--db", `${home}/gateway.db`, "--migrations-dir", "/srv/migrations"];
  const child = spawn(process.execPath, [...process.execArgv, entrypoint, ...words], { env: process.env });
  const said = { stdout: "", stderr: "" };
  const begun = Date.now();
  const signals = [];

  for (const name of ["stdout", "stderr"]) {
    let bytes = 0;
    child[name].on("data", (chunk) => {
      bytes += chunk.length;
      if (bytes > CAP) child.kill("SIGKILL");
      else said[name] += chunk.toString();
    });
  }
  const end = (signal) => {
    signals.push(signal);
    child.kill(signal);
  };
  const timers = [setTimeout(() => end(way === "kill" ? "SIGKILL" : "SIGTERM"), Number(timeout))];
  if (way !== "kill") timers.push(setTimeout(() => end("SIGKILL"), Number(timeout) + 5000));
  child.stdin.end(payload);
  return new Promise((done) => {
    child.on("close", (code, signal) => {
      timers.forEach(clearTimeout);
      let answer = null;
      try {
        answer = JSON.parse(said.stdout);
      } catch {
        // The gateway would call this a failure; the test looks at the rest.
      }
      done({ code, signal, signals, ms: Date.now() - begun, answer, ...said });
    });
  });
}

if (basename(process.argv[1]) === "gateway.mjs") {
  const [entrypoint, home, timeout, way] = process.argv.slice(2);
  process.stdout.write(`${JSON.stringify(await runStep(entrypoint, home, timeout, way, readFileSync(0)))}\n`);
}
