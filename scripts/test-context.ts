/**
 * Which test a callback belongs to, without a hook at every promise. Node's test runner finds the test by an asynchronous hook of its own: each
 * promise, timer and socket of a test process is noted when it is made and again when it is collected, which takes a tenth of the processor time
 * of tests that mostly await. A context that Node hands on anyway says the same.
 */
import { AsyncLocalStorage, type AsyncResource, type HookCallbacks } from 'node:async_hooks';

/** The test or suite in whose function the running code began. */
const current = new AsyncLocalStorage<AsyncResource>();

/**
 * Call it before anything imports `node:test`, which keeps the functions that it finds at its first import. If the runner asks for no hook, nothing
 * changes.
 */
export function followTestsByContext(): void {
  const hooks = process.getBuiltinModule('node:async_hooks');
  const { createHook, executionAsyncId, AsyncResource: { prototype } } = hooks;
  const { runInAsyncScope } = prototype;
  let note: HookCallbacks['init'];
  const given = {
    createHook(callbacks: HookCallbacks) {
      note = callbacks.init;
      const hook = { enable: () => hook, disable: () => hook };
      return hook;
    },
    executionAsyncId: () => current.getStore()?.asyncId() ?? executionAsyncId(),
  };
  Object.assign(hooks, given);
  process.getBuiltinModule('node:test');
  Object.assign(hooks, { createHook, executionAsyncId });
  prototype.runInAsyncScope = function runInContext(this: AsyncResource, run, thisArg, ...args) {
    if (note === undefined || !isTest(this)) return Reflect.apply(runInAsyncScope, this, [run, thisArg, ...args]) as never;
    note(this.asyncId(), 'Test', this.triggerAsyncId(), this);
    // Inside, because entering the scope brings the context back in which the test was declared.
    return Reflect.apply(runInAsyncScope, this, [() => current.run(this, () => run.apply(thisArg as never, args))]) as never;
  };
}

/** Tests, suites and their hooks are resources of one class, which is not exported. */
function isTest(resource: AsyncResource): boolean {
  return 'subtests' in resource;
}
