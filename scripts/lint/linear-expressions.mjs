/**
 * A lint rule for oxlint: a regular expression must take time in proportion to its text (decision 0100). Finds what backtracks (`/a+a+$/`),
 * what begins again at every character (`/0+$/`), and expressions that are put together while the program runs, which cannot be judged.
 */
import { analyse } from 'scslre';

/** Judged once for each expression: many files share a few. */
const judged = new Map();

/** Why this expression can take more time than in proportion to its text, or null. Expects a valid expression. */
export function superLinear(source, flags) {
  const key = `${flags}/${source}`;
  if (!judged.has(key)) judged.set(key, judge(source, flags));
  return judged.get(key);
}

function judge(source, flags) {
  const [report] = analyse({ source, flags }, { maxReports: 1 }).reports;
  if (report === undefined) return null;
  const repeated = JSON.stringify(report.character.pick);
  if (report.type === 'Move') return `begins again at every character of a long run of ${repeated}`;
  return `tries a long run of ${repeated} in ${report.exponential ? 'exponentially' : 'quadratically'} many ways`;
}

/** The text of an expression that is put together from constant strings only, or null. */
function constantText(node) {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : node.regex?.pattern ?? null;
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0].value.cooked;
  if (node.type === 'TaggedTemplateExpression' && node.quasi.expressions.length === 0) return node.quasi.quasis[0].value.raw;
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return null;
  const [left, right] = [constantText(node.left), constantText(node.right)];
  return left === null || right === null ? null : left + right;
}

function create(context) {
  const check = (node, source, flags) => {
    const why = superLinear(source, flags);
    if (why !== null) context.report({ node, message: `Not linear: it ${why}. Anchor it, bound it, or use a loop.` });
  };
  const checkMade = (node) => {
    if (node.callee.type !== 'Identifier' || node.callee.name !== 'RegExp') return;
    const [pattern, flags] = node.arguments;
    const source = pattern === undefined ? '' : constantText(pattern);
    const flagText = flags === undefined ? pattern?.regex?.flags ?? '' : constantText(flags);
    if (source === null || flagText === null) {
      context.report({ node, message: 'Put together while the program runs, so nobody can say that it is linear.' });
    } else check(node, source, flagText);
  };
  return {
    Literal(node) {
      if (node.regex) check(node, node.regex.pattern, node.regex.flags);
    },
    NewExpression: checkMade,
    CallExpression: checkMade,
  };
}

export default {
  meta: { name: 'linear' },
  rules: { expressions: { meta: { type: 'problem' }, create } },
};
