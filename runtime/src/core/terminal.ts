export type AgentTerminalSurface = 'cli' | 'mcp' | 'hook' | 'script' | 'workbench';
export type AgentTerminalStreamKind = 'tty' | 'pipe' | 'none';
export type AgentTerminalColor = 'none' | 'basic' | '256' | 'truecolor';

export interface AgentTerminalStream {
  readonly kind: AgentTerminalStreamKind;
  readonly color: AgentTerminalColor;
  readonly columns?: number;
  readonly rows?: number;
}

/** Where output meant for a person goes. `sharesTarget`: stdout and stderr end in the same place. */
export interface AgentTerminal {
  readonly hostSurface: AgentTerminalSurface;
  readonly stdout: AgentTerminalStream;
  readonly stderr: AgentTerminalStream;
  readonly sharesTarget: boolean;
}

const NO_STREAM: AgentTerminalStream = Object.freeze({ kind: 'none', color: 'none' });

/** The terminal of a surface that has none: its output is protocol. */
export function absentTerminal(hostSurface: AgentTerminalSurface): AgentTerminal {
  return Object.freeze({ hostSurface, stdout: NO_STREAM, stderr: NO_STREAM, sharesTarget: false });
}
