/** One change as the audit trail records it: what was done, to what, and by whom. */

/** Every change there is. Where the platform's HTTP makes it too, the name is that operation's. */
export const auditActions = [
  'createOrganization', 'setOrganization', 'eraseOrganization', 'createKey', 'setKey', 'rotateKey', 'revokeKey', 'connectProvider',
  'disconnectProvider', 'declareUpstream', 'enableUpstream', 'disableUpstream', 'removeUpstream', 'declareNamedUpstream', 'enableNamedUpstream',
  'disableNamedUpstream', 'removeNamedUpstream', 'setCap', 'removeCap', 'closeRun',
  'mintGrant', 'freeLeases', 'createUser', 'setMemberRole', 'removeMember', 'inviteMember', 'acceptInvitation', 'withdrawInvitation',
  'linkIdentity', 'provideMember', 'withdrawMember', 'endWayIn',
  'changePassword', 'makePasswordLink', 'usePasswordLink', 'createToken', 'revokeToken', 'createAssessment', 'readTapKey', 'rotateTapKey',
  'retireAssessment', 'declareFigure', 'loadPrices', 'importPrices', 'rotateMasterKey', 'rotateReceiptKey',
  'setAlert', 'removeAlert', 'createWebhook', 'setWebhook', 'removeWebhook', 'testWebhook', 'capReached', 'capReset',
  'recordCorrections', 'removeCorrection', 'repriceCalls', 'closeMonth', 'reopenMonth', 'setAllocation', 'removeAllocation',
  'setBudget', 'removeBudget', 'addCell', 'openCell', 'drainCell',
] as const;

export type AuditAction = (typeof auditActions)[number];

/** `operator`: whoever works the command. `system`: the product itself, at its first start say. */
export const actorKinds = ['person', 'token', 'operator', 'system'] as const;

export interface AuditActor {
  readonly kind: (typeof actorKinds)[number];
  /** The person's or token's id; null for the operator and the product. */
  readonly id: string | null;
  /** The person's email, the token's name or prefix, the operator's name on their machine. Null: not known. */
  readonly name: string | null;
}

/** Who acts, and with what. */
export interface AuditIntent {
  readonly actor: AuditActor;
  /** Arguments; no secret among them. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** One change as the trail names it. */
export interface Change {
  readonly action: AuditAction;
  /** Null: the whole product. */
  readonly organization: string | null;
  /** Id of what was changed; the provider's name, for a connection. Null: the whole product. */
  readonly subject: string | null;
  /** The person who did it, where only the change makes them known. */
  readonly person?: { readonly id: string; readonly email: string };
  /** No word goes with it: neither arguments nor the name of a person or token. */
  readonly withoutWords?: boolean;
}

/** How a change is named, from its result where that is needed. Null: nothing was changed after all. */
export type ChangeName<Result> = Change | ((result: Result) => Change | null);
