import { Agent } from '@agent-bundle/runtime';

export default function Report() {
  return <Agent.Result value={{}} />;
}

export function main() {
  console.log('a report');
}
