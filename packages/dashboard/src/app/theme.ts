/** Colors, type and defaults of every component. Dimmed text and links keep a contrast of 4.5 and more on every surface. */
import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';
import { focusAgain } from './lost-focus.ts';

const tide: MantineColorsTuple = [
  '#e8f6f5',
  '#d0ebe8',
  '#a3d8d3',
  '#74c4bd',
  '#4fb4ac',
  '#36a99f',
  '#1f988e',
  '#128177',
  '#0c6e66',
  '#075b54',
];
/** Greys with a little of the brand's green; dark surfaces use the last ones. */
const dark: MantineColorsTuple = [
  '#d5dbdd',
  '#b9c2c6',
  '#9aa6ac',
  '#7e8b92',
  '#4a555b',
  '#343d42',
  '#272e32',
  '#1b2023',
  '#14181a',
  '#0e1112',
];

/** Its list scrolls, and not a box in it: a list can be scrolled by its own keys. */
const listed = { defaultProps: { withScrollArea: false }, styles: { options: { maxHeight: '16rem', overflowY: 'auto' } } } as const;

/** A dialog's head is not a landmark of the page, and its close button has a label. */
const dialog = {
  closeButtonProps: { 'aria-label': 'Close' }, attributes: { header: { role: 'presentation' } }, onExitTransitionEnd: focusAgain,
};

export const theme = createTheme({
  primaryColor: 'tide',
  primaryShade: { light: 8, dark: 7 },
  colors: { tide, dark },
  black: '#15201f',
  fontFamily: 'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.125rem' }, h3: { fontSize: '1rem' } } },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: {
      defaultProps: { ...dialog, centered: true, overlayProps: { backgroundOpacity: 0.5 }, transitionProps: { duration: 120 } },
    },
    // What opens over a page belongs to it, so that nothing of a page is outside of its landmarks.
    Portal: { defaultProps: { target: '#over-page' } },
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Select: listed,
    Autocomplete: listed,
    TagsInput: listed,
    Alert: {
      defaultProps: { variant: 'light', color: 'yellow' },
      styles: { message: { color: 'var(--mantine-color-text)' }, title: { color: 'var(--mantine-color-text)' } },
    },
    Drawer: { defaultProps: { ...dialog, transitionProps: { duration: 120 } } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Tooltip: { defaultProps: { openDelay: 150, withArrow: true } },
    Table: { defaultProps: { verticalSpacing: 8, horizontalSpacing: 'md' } },
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#55615f',
    '--mantine-color-anchor': 'var(--mantine-color-tide-8)',
    '--mantine-color-body': '#ffffff',
    '--page': '#f6f8f8',
    '--line': '#e1e7e6',
    '--mantine-color-placeholder': '#66716f',
    '--mantine-color-error': '#b42318',
    '--bad': '#b42318',
    '--good': '#087443',
    '--warn': '#8a4b00',
    '--bar': '#d6ebe8',
    '--series-1': '#0c6e66',
    '--series-2': '#3b5bdb',
    '--series-3': '#c2255c',
    '--series-4': '#b35c00',
    '--series-5': '#6741d9',
    '--series-6': '#1971c2',
    '--series-7': '#5c7d00',
    '--series-8': '#868e96',
  },
  dark: {
    '--mantine-color-dimmed': '#a5b0b4',
    '--mantine-color-anchor': 'var(--mantine-color-tide-3)',
    '--mantine-color-body': '#14181a',
    '--page': '#0e1112',
    '--line': '#2a3236',
    '--mantine-color-placeholder': '#95a1a6',
    '--mantine-color-error': '#ff9a90',
    '--mantine-color-yellow-light': 'rgba(255, 192, 120, 0.11)',
    '--mantine-color-red-light': 'rgba(255, 154, 144, 0.12)',
    '--mantine-color-green-light': 'rgba(102, 209, 158, 0.12)',
    '--bad': '#ff9a90',
    '--good': '#66d19e',
    '--warn': '#ffc078',
    '--bar': '#0f3d3a',
    '--series-1': '#4fb4ac',
    '--series-2': '#8ea8ff',
    '--series-3': '#ff8fb4',
    '--series-4': '#ffb868',
    '--series-5': '#b9a2ff',
    '--series-6': '#74c0fc',
    '--series-7': '#b2d84b',
    '--series-8': '#adb5bd',
  },
});

/** Paper is white in every scheme: what is printed has the light colors, before any part of the page is drawn for it. */
export function lightOnPaper(): void {
  const scheme = 'data-mantine-color-scheme';
  const { documentElement: root } = document;
  let shown: string | null = null;
  addEventListener('beforeprint', () => {
    shown ??= root.getAttribute(scheme);
    root.setAttribute(scheme, 'light');
  });
  addEventListener('afterprint', () => {
    if (shown !== null) root.setAttribute(scheme, shown);
    shown = null;
  });
}
