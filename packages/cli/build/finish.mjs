/**
 * What the bundler wrote → what Node runs with the least memory: its own modules taken without the copies of them that an `import` makes.
 */
import { builtinModules } from 'node:module';

/** By their names without `node:`, which only older ones of them have. */
const bareNames = new Set(builtinModules);
const statement = /^import (?:(?<whole>[\w$]+)|\* as (?<space>[\w$]+)|(?:(?<also>[\w$]+), )?\{(?<names>[^}]*)\}) from "(?<module>[^"]+)";\n/gm;

export function asNodeRunsItBest(text) {
  return withNodesModules(withPlainComments(text));
}

/** Of all that the bundler writes only comments may hold other characters than ASCII. One of them, and the file is twice as large in memory. */
function withPlainComments(text) {
  return text.replaceAll(/^([ \t]*(?:\*|\/\*|\/\/)|.*?\/\/ ).*$/gm, (line, before) => {
    const comment = line.slice(before.length).replaceAll(/[^\x00-\x7f]/g, '?');
    return before + comment;
  });
}

/**
 * An `import` of `node:http` reads all that it exports, a client for WebSocket among it: 7 MB and 40 ms of processor time in each thread. What is
 * taken this way is the module itself.
 */
function withNodesModules(text) {
  const lines = [];
  if (/\brequire\b/.test(text)) lines.push(`const require = ${taken('node:module')}.createRequire(import.meta.url);`);
  const rest = text.replaceAll(statement, (...match) => {
    const { whole, space, also, names, module } = match.at(-1);
    if (!module.startsWith('node:') && !bareNames.has(module)) return match[0];
    const own = whole ?? space ?? also;
    if (own !== undefined) lines.push(`const ${own} = ${taken(module)};`);
    if (names !== undefined) lines.push(`const {${names.replaceAll(' as ', ': ')}} = ${taken(module)};`);
    return '';
  }).replaceAll(/^import "node:[^"]+";\n/gm, '');
  if (/^(?:import|export)\b[^;]*\bfrom "node:/m.test(rest)) throw new Error('A bundle takes a module of Node in a way that the build does not know.');
  return lines.map((line) => `${line}\n`).join('') + rest;
}

function taken(module) {
  return `process.getBuiltinModule(${JSON.stringify(module)})`;
}
