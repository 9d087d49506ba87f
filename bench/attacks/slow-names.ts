/**
 * A resolver whose name servers do not answer for some names: a preloaded library stands in for the system's function, which takes twenty
 * seconds for them and passes all others on. Linux with a C compiler; elsewhere such names do not exist, and say so at once.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const slowNameSuffix = '.black-hole.example';

const source = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
  static int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
  if (real == NULL) real = dlsym(RTLD_NEXT, "getaddrinfo");
  if (name != NULL && strstr(name, "${slowNameSuffix}") != NULL) { sleep(20); return EAI_AGAIN; }
  return real(name, service, hints, found);
}
`;

/** The environment of a product for which such names are slow; empty if that is not possible. `directory`: the library is written there. */
export function slowNames(directory: string): Record<string, string> {
  if (process.platform !== 'linux') return {};
  const [code, library] = [join(directory, 'slow-names.c'), join(directory, 'slow-names.so')];
  writeFileSync(code, source);
  return spawnSync('cc', ['-shared', '-fPIC', '-o', library, code, '-ldl']).status === 0 ? { LD_PRELOAD: library } : {};
}
