/** Facts about this installation that the dashboard and scripts need before anybody signs in. Nothing about any organization. */
import { z } from '@hono/zod-openapi';
import { openOperation } from '../operation.ts';

export const productOperations = [
  openOperation({
    id: 'showProduct', method: 'get', path: '/product', role: null, tag: 'product', summary: 'Where callers reach the gateway, and what it stands on',
    answer: z.object({ gatewayUrl: z.url(), platformUrl: z.url(), sandbox: z.boolean() }).openapi('Product'),
    run: async ({ parts: { gatewayUrl, publicUrl, sandbox } }) => ({ gatewayUrl, platformUrl: publicUrl, sandbox }),
  }),
] as const;
