/**
 * Where the focus goes when a dialog closes that was opened from a menu. The library gives it back to the item that was chosen, which is gone by
 * then: whoever works with the keyboard would begin again at the top of the page.
 */
let last: HTMLElement | null = null;

/** Notes what has the focus outside of menus and dialogs. */
export function followFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && target.closest('[aria-modal="true"], [role="menu"]') === null) last = target;
  });
}

/** After a dialog has closed, and after the library has given the focus back where it can. */
export function focusAgain(): void {
  setTimeout(() => {
    if (document.activeElement === document.body && last?.isConnected === true) last.focus({ preventScroll: true });
  }, 50);
}
