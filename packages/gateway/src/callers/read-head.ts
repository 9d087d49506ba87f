/**
 * What the stages of a call read of a request's head, each thing once. A connection's next request mostly comes with the same head but for the length
 * of its body (`repeated-head.ts`): what was read of that holds for it too. Decision 0275.
 */
import { framingFaultOf, type FramingFault } from '@metergate/core/call/framing.ts';
import type { HeaderPairs } from '@metergate/core/call/header-pairs.ts';
import { labelsOf, projectOf, type Labels } from '@metergate/core/call/labels.ts';
import { routeOf, type Route } from '@metergate/core/call/route.ts';
import { presentedServiceKey } from '@metergate/core/call/service-key.ts';
import type { SessionHeaders } from '@metergate/core/call/session.ts';
import { presentedAtUpstream } from '@metergate/core/call/upstream-key.ts';
import { runDeclarationOf, type RunDeclaration, type RunDeclarationRefusal } from '@metergate/core/run/declaration.ts';
import type { ShownKey } from './shown-key.ts';

/** A head as the parser gave it. */
interface HeadLines {
  readonly method: string;
  /** The target as it came. */
  readonly target: string;
  readonly pairs: HeaderPairs;
  readonly majorVersion: number;
  readonly minorVersion: number;
}

export class ReadHead {
  readonly #lines: HeadLines;
  readonly fault: FramingFault | null;
  /** Null for a path that leads nowhere, and where the framing is at fault. */
  readonly route: Route | null;
  /** Another request of its connection came with it: what is made of it is worth keeping. */
  comesAgain = false;
  /** The key that it shows, once that was hashed. */
  shown: ShownKey | null = null;
  #presented: { readonly key: string | null | undefined } | null = null;
  #labels: Labels | null = null;
  #project: string | null | undefined;
  #session: string | null | undefined;
  #run: RunDeclaration | RunDeclarationRefusal | null | undefined;

  constructor(lines: HeadLines) {
    this.#lines = lines;
    const { method, target, pairs, majorVersion, minorVersion } = lines;
    this.fault = framingFaultOf({ rawTarget: target, headers: pairs, httpMajorVersion: majorVersion, httpMinorVersion: minorVersion });
    this.route = this.fault === null ? routeOf(method, target) : null;
  }

  /** The service key that it shows; null: nothing of its form. Undefined: on the path of a named upstream it shows nothing at all. */
  presented(): string | null | undefined {
    return (this.#presented ??= { key: this.#findKey() }).key;
  }

  #findKey(): string | null | undefined {
    const { pairs, target } = this.#lines;
    return (this.route?.upstream ?? null) === null ? presentedServiceKey(pairs) : presentedAtUpstream(pairs, target);
  }

  labels(): Labels {
    return this.#labels ??= labelsOf(this.#lines.pairs);
  }

  project(): string | null {
    if (this.#project === undefined) this.#project = projectOf(this.#lines.pairs);
    return this.#project;
  }

  /** @param headers the same for all requests of a node */
  session(headers: SessionHeaders): string | null {
    if (this.#session === undefined) this.#session = headers.of(this.#lines.pairs);
    return this.#session;
  }

  /** What it declares about a run; null: nothing. */
  run(): RunDeclaration | RunDeclarationRefusal | null {
    if (this.#run === undefined) this.#run = runDeclarationOf(this.#lines.pairs);
    return this.#run;
  }
}
