/** Every page of the dashboard that a session opens. */
export const pagePaths = [
  '/', '/explore', '/explore?by=model&and=day', '/calls', '/runs', '/baseline', '/caps', '/alerts', '/projects', '/statement', '/exports',
  '/start', '/keys', '/providers', '/members', '/tokens', '/audit',
  '/settings', '/settings?tab=you',
] as const;
