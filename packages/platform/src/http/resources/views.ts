/** Views of Explore that the calling person saved by name. */
import { z } from '@hono/zod-openapi';
import { listViews, removeView, saveView, viewFields } from '../../use-cases/views.ts';
import { operation } from '../operation.ts';
import { pageOf, pageOfShortList, shortListQuery } from '../paging.ts';
import { idParams, instant } from './fields.ts';

const viewSchema = z.object({ id: z.string(), name: z.string(), query: z.string(), savedAt: instant }).openapi('SavedView');

export const viewOperations = [
  operation({
    id: 'listViews', method: 'get', path: '/views', role: 'viewer', tag: 'views', summary: "Your own saved views, by name",
    query: shortListQuery, answer: pageOf(viewSchema),
    run: ({ context, actor, query }) => pageOfShortList({ list: 'views', organization: actor.organization }, listViews(context, actor), query),
  }),
  operation({
    id: 'saveView', method: 'post', path: '/views', role: 'viewer', tag: 'views', status: 201,
    summary: 'Save a view, replacing one with the same name', refuses: ['forbidden', 'invalid_name', 'too_many_views'],
    body: viewFields, answer: viewSchema,
    run: ({ context, actor, body }) => saveView(context, actor, body),
  }),
  operation({
    id: 'removeView', method: 'delete', path: '/views/{id}', role: 'viewer', tag: 'views', summary: 'Remove a saved view', refuses: ['unknown_view'],
    params: idParams, answer: z.object({ id: z.string(), removed: z.literal(true) }).openapi('RemovedView'),
    run: ({ context, actor, params }) => removeView(context, actor, params.id),
  }),
] as const;
