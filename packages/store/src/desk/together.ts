/** Collects items that arrive one by one within a turn and processes them together, so that the fixed cost is paid once. */

/** `work` gets everything that arrived before it runs, at most `most` items at once. Each item's promise settles when all of its batch are done. */
export function together<Item>(most: number, work: (items: readonly Item[]) => Promise<unknown>): (item: Item) => Promise<void> {
  let waiting: Item[] = [];
  let working: Promise<void> = Promise.resolve();
  const workOnAll = async (): Promise<void> => {
    const all = waiting;
    waiting = [];
    await Promise.all(Array.from({ length: Math.ceil(all.length / most) }, (_, at) => work(all.slice(at * most, (at + 1) * most))));
  };
  return (item) => {
    if (waiting.push(item) === 1) working = Promise.resolve().then(workOnAll);
    return working;
  };
}
