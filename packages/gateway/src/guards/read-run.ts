/**
 * What a call declares about its run → its part in a run, or the 400 that says which header cannot be read (spec: Errors 400).
 * A grant must verify and be for this organization and run, on every call that carries one; whether it has expired counts
 * only when the run is made (rule 15), and is checked then.
 */
import type { Refusal } from '@metergate/core/refusal.ts';
import type { RunDeclaration, RunDeclarationRefusal } from '@metergate/core/run/declaration.ts';
import { grantBinds } from '@metergate/core/run/grant.ts';
import type { HeldKey } from './held-key.ts';
import type { RunCall } from './runs.ts';
import type { VerifyGrant } from './verify-grant.ts';

/** Null: the call carries no run header. */
export function readRun(
  declaration: RunDeclaration | RunDeclarationRefusal | null, held: HeldKey, verifyGrant: VerifyGrant,
): RunCall | Refusal | null {
  if (declaration === null || 'kind' in declaration) return declaration;
  if (declaration.grant === null) return { held, declaration, grant: null, run: null, asked: null };
  const { id: organization, grantKeys } = held.organization;
  const grant = verifyGrant(declaration.grant, grantKeys);
  if (grant === null || !grantBinds(grant, { organization, run: declaration.id, nowMs: 0, creating: false })) return { kind: 'run_grant_invalid' };
  return { held, declaration, grant, run: null, asked: null };
}
