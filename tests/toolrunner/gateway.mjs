// SPDX-License-Identifier: LGPL-2.1-or-later
// Starts ToolRunners as the step executor of Tyrum's gateway does, and makes of what they print what it makes of it:
//
// - node (process.execPath) with its own options, the entry point, `toolrunner`, and the gateway's options; the whole
//   environment; the payload on standard input and its end
// - of each stream 4 MiB are kept; more makes the step fail, and ends nothing
// - SIGTERM at the timeout, SIGKILL five seconds later
// - the step's result is, in this order: the signal that ended the process; standard error, if the exit code is not 0; the
//   JSON that is all of standard output
// - postconditions are evaluated on evidence.json: a step that has none is paused
//
//   node gateway.mjs ENTRYPOINT HOME TIMEOUT_MS [kill] <PAYLOAD
//   node gateway.mjs ENTRYPOINT HOME each <STEPS
//
// prints what came of it as one line of JSON. With "kill" it is SIGKILL at once, as when the gateway's host runs out of
// memory. With "each" standard input has one JSON text per line, [PAYLOAD, TIMEOUT_MS], and there is one line for each.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const CAP = 4 * 1024 * 1024;
const GRACE_MS = 5000;

class Kept {
  chunks = [];
  bytes = 0;
  cut = false;

  add(chunk) {
    const room = CAP - this.bytes;
    this.cut ||= chunk.length > room;
    this.chunks.push(chunk.subarray(0, room));
    this.bytes += Math.min(chunk.length, room);
  }

  text() {
    return Buffer.concat(this.chunks).toString("utf-8");
  }
}

function failure(error) {
  return { success: false, error };
}

function stepResult(code, signal, stdout, stderr) {
  if (signal) return failure(`toolrunner terminated by signal ${signal}`);
  if (code !== 0) return failure(stderr.text().trim() || `toolrunner exited with code ${code}`);
  if (stdout.cut || stderr.cut) return failure(`toolrunner transport exceeded ${CAP} bytes`);
  try {
    return JSON.parse(stdout.text().trim());
  } catch (error) {
    return failure(`toolrunner returned invalid json: ${error.message}`);
  }
}

export function runStep(entrypoint, home, timeout, way, payload) {
  const words = ["toolrunner", "--home", home, "--db", `${home}/gateway.db`, "--migrations-dir", "/srv/migrations"];
  const child = spawn(process.execPath, [...process.execArgv, entrypoint, ...words], { env: process.env, stdio: "pipe" });
  const stdout = new Kept();
  const stderr = new Kept();
  const begun = Date.now();
  const signals = [];
  const end = (signal) => {
    signals.push(signal);
    child.kill(signal);
  };
  const timers = [setTimeout(() => end(way === "kill" ? "SIGKILL" : "SIGTERM"), Number(timeout))];

  if (way !== "kill") timers.push(setTimeout(() => end("SIGKILL"), Number(timeout) + GRACE_MS));
  child.stdout.on("data", (chunk) => stdout.add(chunk));
  child.stderr.on("data", (chunk) => stderr.add(chunk));
  child.stdin.on("error", () => {}); // it may end before it has read everything
  child.stdin.end(payload);
  return new Promise((done) => {
    child.on("close", (code, signal) => {
      timers.forEach(clearTimeout);
      const answer = stepResult(code, signal, stdout, stderr);
      const paused = answer.success && answer.evidence?.json === undefined;
      const said = { stdout: stdout.text(), stderr: stderr.text() };
      done({ code, signal, signals, ms: Date.now() - begun, answer, paused, ...said });
    });
  });
}

if (basename(process.argv[1]) === "gateway.mjs") {
  const [entrypoint, home, timeout, way] = process.argv.slice(2);
  const input = readFileSync(0);
  const steps = timeout === "each" ? input.toString().trim().split("\n").map(JSON.parse) : [[input, timeout]];

  for (const [payload, ms] of steps)
    process.stdout.write(`${JSON.stringify(await runStep(entrypoint, home, ms, way, payload))}\n`);
}
