/** The identity of the plugin and its package, put in when the plugin is compiled. */
export interface AgentBundleMeta {
  readonly name: string;
  readonly version: string;
  readonly packageName: string;
  readonly packageVersion: string;
}

export const name: string;
export const version: string;
export const packageName: string;
export const packageVersion: string;
export const meta: AgentBundleMeta;
export default meta;
