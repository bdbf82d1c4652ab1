import { Agent, type AgentLayoutProps } from '@agent-bundle/runtime';

/** Every answer says which operation made it, so that a transcript can be read back later. */
export default function RootLayout({ children, route }: AgentLayoutProps) {
  return <Agent.Result metadata={{ 'field-notes/operation': route.id }}>{children}</Agent.Result>;
}
