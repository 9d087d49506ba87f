/**
 * The log of a running server on standard error: one line per event, as JSON or as a sentence for people (`SVC_LOG_FORMAT`), from a minimum
 * level (`SVC_LOG_LEVEL`). Fields are ids and figures, never a secret or content.
 */

/** Most urgent first. */
export const logLevels = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

type LogFields = Readonly<Record<string, string | number | boolean | null>>;

interface LogOptions {
  readonly format: 'json' | 'text';
  readonly level: LogLevel;
  /** Wall time, milliseconds since the epoch. */
  readonly nowMs: () => number;
  /** Takes one line without its end. */
  readonly write: (line: string) => void;
}

/** Logs an event: `message` is a sentence that can stand alone. */
export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;

export function createLog({ format, level, nowMs, write }: LogOptions): Log {
  const least = logLevels.indexOf(level);
  return (of, message, fields = {}) => {
    if (logLevels.indexOf(of) > least) return;
    if (format === 'json') {
      write(JSON.stringify({ time: new Date(nowMs()).toISOString(), level: of, message, ...fields }));
    } else {
      const shown = Object.entries(fields).filter(([, value]) => value !== null).map(([name, value]) => `${name}=${shownValue(value!)}`);
      write([`metergate: ${message}`, ...shown].join(' '));
    }
  };
}

/** A value with spaces or control characters is quoted, so that a line stays one line. */
function shownValue(value: string | number | boolean): string {
  const text = String(value);
  return /^[\x21\x23-\x7e]+$/.test(text) ? text : JSON.stringify(text);
}
