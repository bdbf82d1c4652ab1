/**
 * Fills unset variables of `process.env` from `.env` and `.env.local` in the plugin root, or from the files that
 * `AGENT_BUNDLE_ENV_FILE` lists (`none` for no file). A variable that still equals its manifest default counts as unset.
 */
export function applyOperatorEnv(options: {
  readonly manifestEnv?: Readonly<Record<string, string>>;
  readonly pluginRoot: string;
}): void;

/** The plugin root for an executable in `directory`, which is where its `.env` files lie. */
export function operatorEnvPluginRoot(directory: string): string;
