/** A look at a thing inside the change that is about to alter it. */
import type { StoreRefusal } from '../engine/refusal.ts';

/** Why the change must not be made to `current`; null: it may. Nothing can come between it and the change. */
export type ChangeCheck<Thing> = (current: Thing) => StoreRefusal | null;
