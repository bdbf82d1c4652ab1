import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where programs that tests need are kept, outside the clone. */
export function cacheFolder() {
  const { AGENT_BUNDLE_TEST_CACHE, XDG_CACHE_HOME } = process.env;
  return AGENT_BUNDLE_TEST_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'agent-bundle-tests');
}

export function exists(path) {
  return access(path).then(
    () => true,
    () => false,
  );
}
