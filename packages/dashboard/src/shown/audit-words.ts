/** Actions of the audit as people read them: `revokeKey` → `revoke key`. */
export function wordsOf(action: string): string {
  return action.replaceAll(/([A-Z])/g, ' $1').toLowerCase();
}
