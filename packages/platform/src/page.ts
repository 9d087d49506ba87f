/** The platform's front page while the dashboard is not there: what runs here, and the commands that do its work meanwhile. */
export const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Metergate</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 4rem auto; padding: 0 1rem; color: #1a1a1a; background: #fff }
pre { background: #f3f3f3; padding: 1rem; overflow-x: auto }
</style>
<h1>Metergate</h1>
<p>The platform is running. It has no dashboard in this version; the command line does its work on the same machine:</p>
<pre>npx --no-install metergate key create --org default
npx --no-install metergate calls list --org default
npx --no-install metergate doctor</pre>
</html>
`;
