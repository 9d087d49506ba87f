/** The platform's front page while the dashboard is not there: what runs here, and where its work is done meanwhile. */
import { htmlPage } from './http/pages/page-style.ts';

export const page = htmlPage('Platform', `<h1>Metergate</h1>
<p>The platform is running. It has no dashboard in this version. Its work is done with the command, in Metergate's folder on this
machine:</p>
<pre><code>npx --no-install metergate key create --org default
npx --no-install metergate calls list --org default
npx --no-install metergate cap list --org default
npx --no-install metergate token create --org default --role admin
npx --no-install metergate doctor</code></pre>
<p>Scripts do the same from elsewhere with a management token, as the <a href="/platform/v1/openapi.json">OpenAPI document</a>
says. What each plan may send is under <a href="/limits">rate limits</a>.</p>`);
