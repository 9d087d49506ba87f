/** `metergate apply`: an organization's configuration from a file, with a plan before anything is changed. Decision 76; docs/config-file.md. */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { CredentialReference } from '@metergate/platform/use-cases/configuration/configuration.ts';
import { applyPlan, planConfiguration, type ConfigurationPlan } from '@metergate/platform/use-cases/configuration/plan.ts';
import type { MadeSecret, PlannedChange, Problem } from '@metergate/platform/use-cases/configuration/planned-change.ts';
import type { UseCaseContext } from '@metergate/platform/use-cases/context.ts';
import { isRefusal, type AdministrationRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { command, CommandFault, type CommandAnswer, type CommandTools } from '../command-line/command.ts';
import { countOf } from '../command-line/counts.ts';
import { onStore } from '../command-line/on-store.ts';
import { settingsOfServer } from '../command-line/settings-of-server.ts';
import { plain } from '../command-line/table.ts';
import { readTextFile } from '../command-line/text-file.ts';
import { readTypedLine } from '../command-line/typed-line.ts';
import { planText } from '../configuration/plan-text.ts';
import { openSecretsFile } from '../configuration/secrets-file.ts';
import { readYaml, type LinedProblem, type ReadDocument } from '../configuration/yaml-document.ts';

export const fileBytesMax = 1024 * 1024;

export const apply = command({
  description: 'Apply a configuration file to an organization, after showing the plan',
  args: {
    file: {
      type: 'string', alias: 'f', required: true, valueHint: 'FILE',
      description: 'The configuration, YAML or JSON, as export-config writes it; -f for short',
    },
    org: { type: 'string', valueHint: 'ORG', description: 'Organization, by id or unique name, instead of the one that the file names' },
    prune: { type: 'boolean', description: 'Also remove entries that are not in the sections of the file' },
    'dry-run': { type: 'boolean', description: 'Only show the plan' },
    yes: { type: 'boolean', description: 'Do not ask for confirmation; needed without a terminal' },
    secrets: { type: 'string', valueHint: 'FILE',
      description: 'A new file for the secrets that are created; needed without a terminal or with --json' },
  },
  run: async (values, tools) => {
    const path = resolve(tools.cwd, values.file);
    const document = readConfiguration(await readTextFile(path, fileBytesMax), path);
    return onStore(tools, async (context, config) => {
      const { upstreamAllow } = await settingsOfServer(context.store, config, tools.env);
      const plan = () => planned(context, { document, path, tools, values, allow: upstreamAllow });
      const first = await plan();
      if (isRefusal(first)) return first;
      const dryRun = values['dry-run'] === true;
      if (dryRun || first.steps.length === 0) return answer(first, { applied: first.steps.length === 0, dryRun });
      checkSecrets(first, values.secrets, tools);
      await confirm(first, values.yes === true, tools);
      const now = await plan();
      if (isRefusal(now)) return now;
      if (JSON.stringify(changesOf(now)) !== JSON.stringify(changesOf(first))) {
        throw new CommandFault('changed_meanwhile', 'The organization was changed since the plan was shown. Nothing was done. Run it again.');
      }
      await carryOut(context, now, { secrets: values.secrets, tools, file: values.file });
      return answer(now, { applied: true, dryRun: false });
    });
  },
});

/** @throws CommandFault for a file that is no YAML */
export function readConfiguration(text: string, path: string): ReadDocument {
  const document = readYaml(text);
  if ('problems' in document) throw invalidConfiguration(path, document.problems);
  return document;
}

interface Given {
  readonly document: ReadDocument;
  readonly path: string;
  readonly tools: CommandTools;
  readonly values: { readonly org: string | undefined; readonly prune: boolean };
  readonly allow: readonly string[];
}

async function planned(context: UseCaseContext, { document, path, tools, values, allow }: Given): Promise<ConfigurationPlan | AdministrationRefusal> {
  const found = await planConfiguration(context, {
    document: document.value, organization: values.org, prune: values.prune === true, rules: { allow },
    credentialOf: (reference) => credentialOf(reference, dirname(path), tools),
  });
  if (!('problems' in found)) return found;
  throw faultOfProblems(path, document, found.problems);
}

/** What is wrong with sections of the file, each with its line and field. */
export function faultOfProblems(path: string, document: ReadDocument, problems: readonly Problem[]): CommandFault {
  return invalidConfiguration(path, problems.map((problem) => ({ line: document.lineOf(problem.path), sentence: placed(problem) })));
}

/** Every problem, each with its line and field. */
function invalidConfiguration(path: string, problems: readonly LinedProblem[]): CommandFault {
  const lines = problems.map(({ line, sentence }) => `  ${line === null ? '' : `line ${line}: `}${sentence}`);
  const found = `${plain(path)} has ${countOf(problems.length, 'problem')}, and nothing was changed:`;
  return new CommandFault('invalid_configuration', [found, ...lines].join('\n'));
}

function placed({ path, sentence }: Problem): string {
  const field = path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${plain(part)}`)).join('');
  return field === '' ? sentence : `${field}: ${sentence}`;
}

async function credentialOf(
  { env, file }: CredentialReference, directory: string, tools: CommandTools,
): Promise<{ readonly credential: string } | { readonly sentence: string }> {
  if (env !== undefined) {
    const value = tools.env[env]?.trim() ?? '';
    return value === '' ? { sentence: 'The variable that should hold the credential is not set.' } : { credential: value };
  }
  try {
    const credential = (await readFile(resolve(directory, file!), 'utf8')).trim();
    return credential === '' ? { sentence: 'The file that should hold the credential is empty.' } : { credential };
  } catch (error) {
    return { sentence: `The file that should hold the credential cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}).` };
  }
}

/** A secret is shown to a person, or written to the file that a person named. */
function checkSecrets({ steps }: ConfigurationPlan, file: string | undefined, tools: CommandTools): void {
  const makes = steps.filter(({ makesSecret }) => makesSecret).length;
  if (makes === 0 || file !== undefined || (tools.isTerminal && tools.wantsJson !== true)) return;
  throw new CommandFault('secrets_unplaced', `${makes === 1 ? 'A key or webhook' : `${makes} keys and webhooks`} would be made, whose secret is `
    + 'shown once. Without a terminal, or with --json, say where it goes: --secrets FILE. Nothing was changed.');
}

/** Shows the plan and asks. @throws CommandFault if nobody agrees to it */
async function confirm(plan: ConfigurationPlan, agreed: boolean, tools: CommandTools): Promise<void> {
  if (agreed) return;
  if (!tools.isTerminal || !tools.stdin.isTTY || tools.wantsJson === true) {
    throw new CommandFault('not_confirmed', 'Nothing was changed. See the plan with --dry-run, and apply it with --yes.');
  }
  tools.stderr(`${planText(changesOf(plan), plan.left)}\n`);
  if (/^y(?:es)?$/i.test(await readTypedLine(tools, `Apply this to ${plain(plan.organization.name)}? (yes or no) `))) return;
  throw new CommandFault('not_confirmed', 'Nothing was changed.');
}

async function carryOut(
  context: UseCaseContext, plan: ConfigurationPlan,
  { secrets, tools, file }: { readonly secrets: string | undefined; readonly tools: CommandTools; readonly file: string },
): Promise<void> {
  const makes = plan.steps.some(({ makesSecret }) => makesSecret);
  const secretsFile = secrets !== undefined && makes ? await openSecretsFile(resolve(tools.cwd, secrets)) : null;
  const keep = secretsFile === null ? async (secret: MadeSecret) => showSecret(secret, tools) : secretsFile.keep;
  try {
    const stopped = await applyPlan(plan, (change) => actingOn(context, { change, tools, file }), keep);
    if (stopped === null) return;
    throw new CommandFault('stopped', `${stopped.done} of ${countOf(plan.steps.length, 'change')} made; the next was refused: ${
      stopped.refusal.refused.message} Run it again to go on: what was made is not made twice.`);
  } finally {
    await secretsFile?.close();
  }
}

/** The context of one change, whose audit row describes it. */
function actingOn(
  context: UseCaseContext, { change, tools, file }: { readonly change: PlannedChange; readonly tools: CommandTools; readonly file: string },
): UseCaseContext {
  const fields = Object.fromEntries(change.fields.map(({ field, to }) => [field, to]));
  const actor = { kind: 'operator', id: null, name: tools.operator ?? null } as const;
  return { ...context, store: context.store.acting({ actor, detail: { file, [change.kind]: change.name, ...fields } }) };
}

function showSecret({ kind, name, id, secret }: MadeSecret, tools: CommandTools): void {
  tools.stdout(`${kind} ${plain(name)} (${id}): ${secret}\nKeep it now: it is not shown again.\n`);
}

function answer(plan: ConfigurationPlan, { applied, dryRun }: { readonly applied: boolean; readonly dryRun: boolean }): CommandAnswer {
  const changes = changesOf(plan);
  const text = planText(changes, plan.left);
  const done = changes.length === 0 || dryRun ? text : `${text}\nAll of it is done.`;
  return { json: { organization: plan.organization, dryRun, applied, changes, left: plan.left }, text: done };
}

function changesOf({ steps }: ConfigurationPlan): PlannedChange[] {
  return steps.map(({ change }) => change);
}
