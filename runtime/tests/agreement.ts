/** Nothing runs here: the type checker compares what core exports with what authors are told. */
import type * as routes from 'agent-bundle/routes';
import type * as runtime from '@agent-bundle/runtime';
import type * as launch from 'agent-bundle/launch-env';
import type * as entry from 'agent-bundle/mcp-entry';
import type * as react from 'react';
import type * as core from '../src/core/index.ts';
import type * as mcp from '../src/mcp/index.ts';

type Names<Module> = Exclude<keyof Module, 'default'>;
type Missing<Declared, Actual> = Exclude<Names<Declared>, keyof Actual>;

export const missing:
  | Missing<typeof routes & typeof runtime & typeof launch & typeof react, typeof core>
  | Missing<typeof entry, typeof mcp> = undefined as never;

type Assignable<Actual, Declared> = Actual extends Declared ? true : false;
type Behaving =
  | 'DEFAULT_AGENT_RENDER_LIMITS'
  | 'agent'
  | 'useAgent'
  | 'renderToMarkdown'
  | 'renderToMarkdownStream'
  | 'resolvePluginRoot';
export const agreement: readonly true[] = [
  true satisfies Assignable<
    Pick<typeof core, Exclude<Behaving, 'agent' | 'useAgent'>>,
    Pick<typeof runtime, Exclude<Behaving, 'agent' | 'useAgent'>>
  >,
  true satisfies Assignable<typeof core.Agent, typeof runtime.Agent>,
  true satisfies Assignable<core.AgentDocument, runtime.AgentDocument>,
  true satisfies Assignable<core.AgentRenderEvent, runtime.AgentRenderEvent>,
  true satisfies Assignable<
    Omit<core.AgentHandle, 'provider' | 'lineage'>,
    Omit<runtime.AgentHandle, 'provider' | 'lineage'>
  >,
  true satisfies Assignable<Pick<typeof core, 'applyOperatorEnv' | 'operatorEnvPluginRoot'>, typeof launch>,
];
