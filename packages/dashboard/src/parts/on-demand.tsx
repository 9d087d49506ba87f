/**
 * A component whose script is loaded when it is first drawn, or ahead of that. React's own `lazy` stands in a `Suspense`, which keeps a placeholder
 * for at least 300 ms once it is shown, however soon the script comes; this draws the component as soon as it is there.
 */
import { startTransition, useEffect, useState, type ComponentType, type ReactNode } from 'react';

interface Waiting {
  /** Shown until the script is there; absent: nothing. */
  readonly waiting?: ReactNode;
}

export type OnDemand<Props extends object> = ComponentType<Props & Waiting> & {
  /** Loads the script if it is not there yet. @throws whatever the loading threw; the next one tries again. */
  readonly ahead: () => Promise<void>;
};

/** A script that does not come is thrown where the component is drawn, for the part around it to tell. */
export function onDemand<Props extends object>(load: () => Promise<ComponentType<Props>>): OnDemand<Props> {
  let Part: ComponentType<Props> | undefined;
  let loading: Promise<void> | undefined;
  const loaded = async (): Promise<void> => {
    try {
      Part = await load();
    } catch (fault) {
      loading = undefined;
      throw fault;
    }
  };
  const ahead = (): Promise<void> => (loading ??= loaded());
  function PartOnDemand({ waiting = null, ...props }: Props & Waiting): ReactNode {
    const isThere = Part !== undefined;
    const [ended, end] = useState<{ readonly fault?: unknown } | null>(null);
    useEffect(() => {
      if (isThere) return;
      ahead().then(() => startTransition(() => end({})), (fault: unknown) => end({ fault }));
    }, []);
    if (Part !== undefined) return <Part {...(props as unknown as Props)} />;
    if (ended !== null) throw ended.fault;
    return waiting;
  }
  return Object.assign(PartOnDemand, { ahead });
}
