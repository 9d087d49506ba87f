/**
 * Options and environment → settings (spec, Tap client wrapper 5 to 7). An option overrides its variable; an empty one counts as
 * not given, and so does anything of another type: a wrong setting never throws.
 */

/** What a caller may pass; each replaces its environment variable. */
export interface TapOptions {
  /** The tap key; else `SVC_TAP_KEY`. */
  readonly key?: string | undefined;
  /** The whole URL that events are posted to; else `SVC_TAP_ENDPOINT`, else that of a Metergate on this machine. */
  readonly endpoint?: string | undefined;
  /** Print batches on stderr and send nothing; else `SVC_TAP_INSPECT`. Both true and false override the variable. */
  readonly inspect?: boolean | undefined;
}

export interface TapSettings {
  /** Null if none is configured, or if it cannot be a header. */
  readonly key: string | null;
  /** Null unless it is an http or https URL without user name and password. */
  readonly endpoint: string | null;
  readonly inspecting: boolean;
}

export const defaultEndpoint = 'http://127.0.0.1:8081/tap/v1/events';

export function tapSettingsOf(options: TapOptions = {}, environment: (name: string) => string | undefined): TapSettings {
  const chosen = (option: unknown, name: string): string => textOf(option) || textOf(environment(`SVC_TAP_${name}`));
  const key = chosen(options.key, 'KEY');
  const endpoint = chosen(options.endpoint, 'ENDPOINT') || defaultEndpoint;
  const { inspect } = options;
  return {
    key: /^[!-~]+$/.test(key) ? key : null,
    endpoint: /^https?:\/\/[^\s/?#@]+([/?#]\S*)?$/i.test(endpoint) ? endpoint : null,
    inspecting: typeof inspect === 'boolean' ? inspect : /^(1|true|yes|on)$/i.test(chosen('', 'INSPECT')),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
