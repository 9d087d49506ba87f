/** The platform's front page while the dashboard is not there: what runs here, and where its work is done meanwhile. */
import { htmlPage } from './page-style.ts';

export const page = htmlPage('Platform', `<h1>Metergate</h1>
<p>The platform is running. It has no dashboard in this version. Whoever operates it works with the command, in Metergate's folder
on its machine:</p>
<pre><code>npx --no-install metergate key create --org default
npx --no-install metergate calls list --org default
npx --no-install metergate usage --org default --by key
npx --no-install metergate cap list --org default
npx --no-install metergate token create --org default --role admin
npx --no-install metergate doctor</code></pre>
<p>From elsewhere, scripts do the same with a management token, as the <a href="/platform/v1/openapi.json">OpenAPI document</a>
says. Whoever is signed in reads in this browser, as far as their role goes: <a href="/platform/v1/usage?by=model">usage by model</a>,
<a href="/platform/v1/usage?by=key">by key</a>, <a href="/platform/v1/caps">caps</a>, <a href="/platform/v1/calls?limit=20">calls</a>.
What each plan may send is under <a href="/limits">rate limits</a>.</p>`);
