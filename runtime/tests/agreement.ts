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
type Handle = Exclude<keyof runtime.AgentHandle, 'provider' | 'lineage'>;
type Alike =
  | 'Agent'
  | 'DEFAULT_AGENT_RENDER_LIMITS'
  | 'MarkdownContent'
  | 'renderToMarkdown'
  | 'renderToMarkdownStream'
  | 'resolvePluginRoot';

export const agreement = [
  true satisfies Assignable<Pick<typeof core, Alike>, Pick<typeof runtime, Alike>>,
  true satisfies Assignable<core.AgentDocument, runtime.AgentDocument>,
  true satisfies Assignable<core.AgentRenderEvent, runtime.AgentRenderEvent>,
  true satisfies Assignable<Pick<core.AgentHandle, Handle>, Pick<runtime.AgentHandle, Handle>>,
  true satisfies Assignable<Pick<typeof core, keyof typeof launch>, typeof launch>,
  true satisfies Assignable<Pick<typeof mcp, keyof typeof entry>, typeof entry>,
];
