/** Which prices calls are priced by. They are the operator's, and the same for all organizations. Rule 6e. */
import { z } from '@hono/zod-openapi';
import { showPricesInForce } from '../../use-cases/price-import.ts';
import { operation } from '../operation.ts';

export const priceOperations = [
  operation({
    id: 'showPrices', method: 'get', path: '/prices', role: 'viewer', tag: 'prices',
    summary: 'The price list in force, where it is from and of which day',
    answer: z.object({
      list: z.object({
        id: z.string().openapi({ description: 'As records name it', example: '2026-09-23/e1be6c33689d68f7' }), source: z.string(),
        version: z.string(), date: z.iso.date(),
        dated: z.enum(['list', 'import']).openapi({ description: 'What `date` is the day of: the list, or its import if that is not known' }),
        hash: z.string(), models: z.int(),
        shipped: z.boolean().openapi({ description: 'The list that this version was made with; otherwise it was imported' }),
      }).openapi('PriceList'),
      overlay: z.string().nullable().openapi({ description: "The operator's own prices, which take precedence over the list; null: none" }),
    }).openapi('PricesInForce'),
    run: ({ context }) => showPricesInForce(context),
  }),
] as const;
