import { createElement, type ReactNode } from 'react';
import { AgentDocumentError } from './errors.ts';
import { toJson } from './json.ts';

interface ResultProps {
  readonly metadata?: unknown;
  readonly value?: unknown;
  readonly children?: ReactNode;
}

function Result({ metadata, value, children }: ResultProps): ReactNode {
  return createElement('agent-result', {
    metadata: encode(metadata, 'Agent.Result metadata'),
    value: encode(value, 'Agent.Result value'),
    children,
  });
}

function Text({ children }: { readonly children: string }): ReactNode {
  return createElement('agent-text', { text: onlyString(children, 'Agent.Text') });
}

function Markdown({ children }: { readonly children: string }): ReactNode {
  return createElement('agent-markdown', { text: onlyString(children, 'Agent.Markdown') });
}

function Context({ children }: { readonly children: string }): ReactNode {
  return createElement('agent-context', { text: onlyString(children, 'Agent.Context') });
}

function Json({ value }: { readonly value: unknown }): ReactNode {
  const json = encode(value, 'Agent.Json value');
  if (json === undefined) throw invalid('Agent.Json needs a value');
  return createElement('agent-json', { value: json });
}

interface ProgressProps {
  readonly completed: number;
  readonly message?: string;
  readonly total?: number;
}

function Progress({ completed, message, total }: ProgressProps): ReactNode {
  count(completed, 'Agent.Progress completed');
  checkProgress(completed, total, 'Agent.Progress');
  if (message !== undefined) nonblank(message, 'Agent.Progress message');
  return createElement('agent-progress', { completed, message, total });
}

interface MediaProps {
  readonly data: string;
  readonly mimeType: string;
}

function Image({ data, mimeType }: MediaProps): ReactNode {
  return createElement('agent-image', {
    data: nonblank(data, 'Agent.Image data'),
    mimeType: nonblank(mimeType, 'Agent.Image mimeType'),
  });
}

function Audio({ data, mimeType }: MediaProps): ReactNode {
  return createElement('agent-audio', {
    data: nonblank(data, 'Agent.Audio data'),
    mimeType: nonblank(mimeType, 'Agent.Audio mimeType'),
  });
}

interface ResourceProps {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
}

function Resource({ uri, name, mimeType }: ResourceProps): ReactNode {
  return createElement('agent-resource', {
    uri: nonblank(uri, 'Agent.Resource uri'),
    name: nonblank(name, 'Agent.Resource name'),
    mimeType: mimeType === undefined ? undefined : nonblank(mimeType, 'Agent.Resource mimeType'),
  });
}

function ErrorNode({ code, children }: { readonly code: string; readonly children: string }): ReactNode {
  return createElement('agent-error', {
    code: nonblank(code, 'Agent.Error code'),
    message: onlyString(children, 'Agent.Error'),
  });
}

/**
 * The `Agent.*` components. Each one checks its props where the author wrote them and renders one protocol element,
 * whose JSON travels as text: React's own serialisation would accept values a document cannot hold.
 */
export const Agent = Object.freeze({
  Result,
  Text,
  Markdown,
  Context,
  Json,
  Progress,
  Image,
  Audio,
  Resource,
  Error: ErrorNode,
});

function encode(value: unknown, path: string): string | undefined {
  return value === undefined ? undefined : JSON.stringify(toJson(value, path));
}

function onlyString(children: unknown, component: string): string {
  if (typeof children === 'string') return children;
  throw invalid(`${component} takes exactly one string child; join the parts in one template literal`);
}

function nonblank(value: unknown, path: string): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw invalid(`${path} must be a nonblank string`);
}

/** Raises `invalid-document` unless the numbers are finite, not negative, and `completed` is within `total`. */
export function checkProgress(completed: number | undefined, total: number | undefined, subject: string): void {
  if (completed !== undefined) count(completed, `${subject} completed`);
  if (total === undefined) return;
  count(total, `${subject} total`);
  if (completed !== undefined && completed > total)
    throw invalid(`${subject} completed is ${completed}, more than its total of ${total}`);
}

function count(value: unknown, path: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw invalid(`${path} must be a finite number of at least 0`);
}

function invalid(detail: string): AgentDocumentError {
  return new AgentDocumentError('invalid-document', detail);
}
