import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyOperatorEnv, pluginRoots, resolveCodeRoot, setProcessRoots } from '#core';
import { StartError, failStart } from './start-error.ts';
import { redirectConsoleToStderr } from './stdout.ts';

export interface BootOptions {
  /** `import.meta.url` of the entry module. */
  readonly entryUrl: string;
  /** Names the server on stderr. */
  readonly label: string;
  /** The literal environment that the host document carries for this server. */
  readonly manifestEnv?: Readonly<Record<string, string>>;
}

/**
 * Prepares the process before any module of the plugin evaluates: stdout is kept for the protocol, the operator's
 * environment is applied, and the plugin's roots are fixed. Exits with 1 when the host has left a placeholder where the
 * server needs a value, rather than run with a path or a secret named `${…}`.
 */
export function bootStdio({ entryUrl, label, manifestEnv = {} }: BootOptions): void {
  redirectConsoleToStderr();
  const code = resolveCodeRoot({ entryDirectory: dirname(fileURLToPath(entryUrl)) });
  applyOperatorEnv({ manifestEnv, pluginRoot: code.root });
  setProcessRoots(pluginRoots(code));
  const unexpanded = findUnexpanded(manifestEnv);
  if (unexpanded.length > 0) {
    failStart(
      label,
      new StartError(
        `the host did not expand the placeholder in ${unexpanded.join(', ')}; set it in the host's configuration or in the plugin's .env.local`,
      ),
    );
  }
}

function findUnexpanded(manifestEnv: Readonly<Record<string, string>>): string[] {
  // The two roots have a rule of their own: a placeholder counts as unset.
  const roots = new Set(['AGENT_BUNDLE_PLUGIN_ROOT', 'AGENT_BUNDLE_STATE_ROOT']);
  const variables = Object.keys(manifestEnv).filter((key) => !roots.has(key) && process.env[key]?.includes('${'));
  const positions = process.argv
    .slice(2)
    .flatMap((argument, index) => (argument.includes('${') ? [`argument ${index + 1}`] : []));
  return [...variables, ...positions];
}
