/** The entry of the pages: theme, cache of answers, router. Everything else is loaded with the page that needs it. */
import './app/link-token.ts';
import './app/known-locale.ts';
import './app/app.css';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from './api/client.ts';
import { followFocus } from './app/lost-focus.ts';
import { followOtherTabs } from './app/session.ts';
import { goAhead } from './frame/ahead.ts';
import { router } from './frame/router.tsx';
import { cssVariables, lightOnPaper, theme } from './app/theme.ts';

const colorScheme = localStorageColorSchemeManager({ key: 'metergate-color-scheme' });
/** Without this value the browser ignores the components' style elements, because the page's policy forbids them. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
// The library that blocks scrolling behind a dialog looks for it here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

function draw(): void {
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        colorSchemeManager={colorScheme}
        getStyleNonce={() => nonce}>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}

followOtherTabs();
followFocus();
lightOnPaper();
goAhead();
// Once the page is there: React would keep a placeholder for 300 ms that is needed for 50. Not awaited: the page's script takes parts of this one.
void router.load().finally(draw);
