/** The wires whose providers the sandbox plays. */
import type { Wire } from '@metergate/core/wire/wire.ts';

export type SandboxWire = Exclude<Wire, 'upstream'>;
