/** `metergate export-config`: an organization's configuration as the file that `apply` takes. Decision 76; docs/config-file.md. */
import { exportConfiguration } from '@metergate/platform/use-cases/configuration/export.ts';
import { command } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { showing } from '../command-line/on-store.ts';
import { configurationText } from '../configuration/configuration-text.ts';

export const exportConfig = command({
  description: "Print an organization's configuration for apply, without secrets",
  args: { org: orgArgument },
  run: ({ org }, tools) => showing(tools, (context) => exportConfiguration(context, org),
    (exported) => ({ json: exported.configuration, text: configurationText(exported) })),
});
