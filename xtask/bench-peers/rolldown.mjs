// Bundles src/server.ts with rolldown, called as a library: its command line loads more than a build needs.
import { rolldown } from 'rolldown';

const bundle = await rolldown({ input: 'src/server.ts', platform: 'node' });
await bundle.write({ file: 'dist/server.js', format: 'cjs' });
await bundle.close();
