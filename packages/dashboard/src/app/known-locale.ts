/**
 * Some browsers give a language that is none by the standard, such as `en-US@posix`, and the chart's library would then throw. American English
 * stands in for it. Imported before anything that formats.
 */
function isKnownLocale(language: string): boolean {
  try {
    return Intl.getCanonicalLocales(language).length === 1;
  } catch {
    return false;
  }
}

if (!isKnownLocale(navigator.language)) Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
