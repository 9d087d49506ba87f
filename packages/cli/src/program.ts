/**
 * Every command by its first word. Each is loaded on demand, so that a short one does not wait for the servers' code.
 */
import manifest from '../package.json' with { type: 'json' };
import type { Program } from './command-line/run.ts';

export const program: Program = {
  name: 'metergate',
  description: 'Meter and forward calls to language model providers',
  version: manifest.version,
  commands: {
    start: async () => (await import('./commands/serve.ts')).start,
    gateway: async () => (await import('./commands/serve.ts')).gateway,
    platform: async () => (await import('./commands/serve.ts')).platform,
    org: async () => (await import('./commands/org.ts')).org,
    key: async () => (await import('./commands/key.ts')).key,
    provider: async () => (await import('./commands/provider.ts')).provider,
    cap: async () => (await import('./commands/cap.ts')).cap,
    reconcile: async () => (await import('./commands/reconcile.ts')).reconcileCommand,
    reprice: async () => (await import('./commands/reprice.ts')).reprice,
    correction: async () => (await import('./commands/correction.ts')).correction,
    alert: async () => (await import('./commands/alert.ts')).alert,
    budget: async () => (await import('./commands/budget.ts')).budget,
    webhook: async () => (await import('./commands/webhook.ts')).webhook,
    run: async () => (await import('./commands/run.ts')).run,
    grant: async () => (await import('./commands/grant.ts')).grant,
    upstream: async () => (await import('./commands/upstream.ts')).upstream,
    baseline: async () => (await import('./commands/baseline.ts')).baseline,
    calls: async () => (await import('./commands/calls.ts')).calls,
    usage: async () => (await import('./commands/usage.ts')).usage,
    refusals: async () => (await import('./commands/refusals.ts')).refusals,
    export: async () => (await import('./commands/export.ts')).exportCommand,
    receipts: async () => (await import('./commands/receipts.ts')).receipts,
    month: async () => (await import('./commands/month.ts')).month,
    allocation: async () => (await import('./commands/allocation.ts')).allocation,
    statement: async () => (await import('./commands/statement.ts')).statement,
    seed: async () => (await import('./commands/seed.ts')).seed,
    prices: async () => (await import('./commands/prices.ts')).prices,
    apply: async () => (await import('./commands/apply.ts')).apply,
    'export-config': async () => (await import('./commands/export-config.ts')).exportConfig,
    audit: async () => (await import('./commands/audit.ts')).audit,
    user: async () => (await import('./commands/user.ts')).user,
    token: async () => (await import('./commands/token.ts')).token,
    'master-key': async () => (await import('./commands/master-key.ts')).masterKey,
    upgrade: async () => (await import('./commands/upgrade.ts')).upgrade,
    doctor: async () => (await import('./commands/doctor.ts')).doctor,
  },
};
