/** Actions of the audit as people read them: `revokeKey` → `revoke key`. */
export function auditWords(action: string): string {
  return action.replaceAll(/([A-Z])/g, ' $1').toLowerCase();
}
