import { defineConfig } from 'agent-bundle/config';

export default defineConfig({
  plugin: { name: 'demo' },
  targets: ['claude', 'codex'],
});
