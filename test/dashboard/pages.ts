/** Every page of the dashboard that a session opens. */
export const pagePaths = [
  '/', '/?by=model', '/?metric=refusals', '/?metric=lacks', '/?model=gpt-5-mini', '/explore',
  '/explore?by=model&and=day', '/calls', '/calls?live=on', '/calls?status=error',
  '/refusals', '/runs', '/baseline', '/caps', '/alerts', '/projects', '/statement', '/exports', '/month',
  '/start', '/keys', '/connect', '/providers', '/members', '/tokens', '/audit',
  '/nodes', '/settings', '/settings?tab=you',
] as const;

/** The pages that are loaded directly by address when axe checks them: no other test begins there. */
export const loadedHere: readonly string[] = [
  '/calls?live=on', '/projects', '/month', '/statement', '/start', '/connect', '/providers', '/tokens', '/audit', '/settings?tab=you',
];
