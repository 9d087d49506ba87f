/** The plans (spec: Limits). */

/** Plans of the spec (Limits). */
export const plans = ['free', 'developer', 'team', 'growth', 'scale', 'enterprise'] as const;

export type Plan = (typeof plans)[number];
