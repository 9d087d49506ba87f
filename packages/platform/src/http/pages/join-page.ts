/**
 * The page behind a one-time link: set an email and a password, and be a member. Design 3, row 16.
 * Self-contained: no asset but what is in it. The token stands behind `#`, which no browser sends to a server; the script
 * takes it out of the address before anything else. The script runs by its hash alone.
 */
import { createHash } from 'node:crypto';
import { passwordRule } from '../../auth/passwords.ts';
import { securityHeaders } from '../security-headers.ts';
import { htmlPage } from './page-style.ts';

const script = `
const token = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
const form = document.querySelector('form'), said = document.querySelector('#said'), button = form.querySelector('button');
const say = (text) => { said.textContent = text; };
if (token === '') { button.disabled = true; say('This address is not complete. Open the whole link again.'); }
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (form.password.value !== form.again.value) return say('The two passwords are not the same.');
  button.disabled = true;
  say('');
  try {
    const response = await fetch('/platform/v1/auth/invitations/accept', {
      method: 'POST', headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, email: form.email.value.trim(), password: form.password.value }),
    });
    const answer = await response.json();
    if (response.status !== 201) { say(answer.error.message); return; }
    document.querySelector('main').innerHTML = '<h1>Welcome</h1><p>You are signed in as <b></b>.</p><p><a href="/">Go on to Metergate</a></p>';
    document.querySelector('main b').textContent = answer.email + ' (' + answer.role + ')';
  } catch { say('The platform did not answer. Try again.'); } finally { button.disabled = false; }
});
`;

const scriptHash = createHash('sha256').update(script).digest('base64');

export const joinPageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': `${securityHeaders['content-security-policy']}; script-src 'sha256-${scriptHash}'`,
};

export function joinPage(): string {
  return htmlPage('Join', `<h1>Set up your account</h1>
<p>This link works once. Choose the email and password that you will sign in with. If you have an account here already, give
its email and password.</p>
<form>
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="254">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required maxlength="256" aria-describedby="rule">
<small id="rule">${passwordRule}</small>
<label for="again">Password again</label>
<input id="again" name="again" type="password" autocomplete="new-password" required maxlength="256">
<p class="bad" id="said" role="alert"></p>
<button>Set up</button>
</form>
<noscript><p class="bad">This page needs JavaScript.</p></noscript>
<script>${script}</script>`);
}
