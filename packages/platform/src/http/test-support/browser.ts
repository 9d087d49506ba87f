/** What a browser does at the platform and at an identity provider: it keeps cookies, and follows where it is sent. */
import assert from 'node:assert/strict';
import type { TestIdentityProvider } from '@metergate/testkit/identity-provider.ts';

/** A browser's cookies for one site. */
export class Jar {
  readonly #cookies = new Map<string, string>();

  take(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
  }

  get header(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}

/** From the address that a sign-in begins with to the one that the provider sends the browser back to. `subject`: who presses the button. */
export async function comingBackFrom(
  idp: TestIdentityProvider, subject: string | null, { location, publicUrl }: { readonly location: string; readonly publicUrl: string },
): Promise<URL> {
  idp.next = subject;
  const theirs = new Jar();
  let at = new URL(location);
  for (let hops = 0; hops < 10; hops += 1) {
    const answer = await fetch(at, { redirect: 'manual', headers: { cookie: theirs.header } });
    theirs.take(answer.headers);
    const page = await answer.text();
    const next = answer.headers.get('location') ?? /href="([^"]+)"/.exec(page)?.[1];
    assert.ok(next !== undefined, `${answer.status} ${page.slice(0, 300)}`);
    at = new URL(next, at);
    if (at.origin === publicUrl) return at;
  }
  throw new Error('the provider sent the browser nowhere');
}
