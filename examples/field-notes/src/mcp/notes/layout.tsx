import { Agent, agent, type AgentLayoutProps } from '@agent-bundle/runtime';

/** Somebody who has no notes yet should not take the samples for their own. */
export default async function NotesLayout({ children }: AgentLayoutProps) {
  const notes = await (await agent()).provider('notes');
  return (
    <Agent.Result>
      {children}
      {(await notes.showsSamples()) && (
        <Agent.Context>
          {`These are the sample notes of the plugin: ${notes.folder} holds no notes yet. The add tool writes the first.`}
        </Agent.Context>
      )}
    </Agent.Result>
  );
}
