#!/usr/bin/env node
/**
 * The `metergate` command: runs the built product where it is of these very sources, else `src/main.ts`, on the Node that `choose-runtime.mjs`
 * picks: in this very process where it is that Node already, else in a child that shares its streams, gets its signals and hands its end back.
 * Plain JavaScript that Node 18 reads. Without a usable Node: one sentence, exit 1.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { builtMain } from './built-product.mjs';
import { chooseRuntime, runtimePackages } from './choose-runtime.mjs';

/** What the system's loader ends with where a library is missing. The product itself never does. */
const loaderFailed = 127;
const main = builtMain(fileURLToPath(new URL('..', import.meta.url))) ?? fileURLToPath(new URL('../src/main.ts', import.meta.url));
/**
 * Where Node keeps what it made of the sources, so that the next start need not strip and compile them again: half of the time of a short
 * command. Beside the dependencies, which are as trusted as the sources; a place that cannot be written is done without.
 */
const compileCache = process.env.NODE_COMPILE_CACHE ?? fileURLToPath(new URL('../../../node_modules/.cache/metergate', import.meta.url));
const execPath = realpathSync(process.execPath);
const choice = chooseRuntime({
  version: process.versions.node,
  execPath,
  bundledPath: findBundled(dirname(realpathSync(fileURLToPath(import.meta.url)))),
  floors: JSON.parse(readFileSync(new URL('../src/config/runtime-floor.json', import.meta.url), 'utf8')),
});

if ('refusal' in choice) {
  process.stderr.write(`${choice.refusal}\n`);
  process.exitCode = 1;
} else if (choice.path === execPath) {
  module.enableCompileCache?.(compileCache);
  // For its threads, which look for the place by themselves.
  process.env.NODE_COMPILE_CACHE ??= compileCache;
  await import(pathToFileURL(main).href);
} else {
  await runOn(choice.path);
}

/** The Node that npm brought: in the nearest `node_modules` above this file that has it. Null: none. */
function findBundled(from) {
  const name = runtimePackages[`${process.platform}-${process.arch}`];
  if (name === undefined) return null;
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name, 'bin', file);
    if (existsSync(path)) return realpathSync(path);
    if (dirname(folder) === folder) return null;
  }
}

/**
 * The channel closes when this process is gone without a word: the child then ends too, holding no port and no lock.
 * A terminal sends its interrupt to the whole group, so the child has it already; sent on as well, it would count twice.
 */
async function runOn(path) {
  const { spawn } = await import('node:child_process');
  const child = spawn(path, [main, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env: { ...process.env, METERGATE_LAUNCHED: '1', NODE_COMPILE_CACHE: compileCache },
  });
  const atTerminal = process.stdin.isTTY === true || process.stdout.isTTY === true || process.stderr.isTTY === true;
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
  for (const signal of signals) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !atTerminal) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    process.stderr.write(`metergate could not start the Node at ${path} (${error.code ?? 'unknown reason'}). Run npm ci again.\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (code === loaderFailed) {
      process.stderr.write(`The Node that npm brought cannot run on this machine: a library it needs is missing, most often libatomic.so.1 `
        + '(Debian, Ubuntu: apt-get install libatomic1). Install it, or a Node of your own at or above the security floor.\n');
      process.exit(1);
    }
    if (signal === null) process.exit(code ?? 1);
    for (const each of signals) process.removeAllListeners(each);
    process.kill(process.pid, signal);
    setTimeout(() => process.exit(128 + (constants.signals[signal] ?? 0)), 1_000);
  });
}
