import { cp, mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** The tools of examples/field-notes, in the order of their names. */
export const noteTools = ['add', 'archive', 'between', 'read', 'search', 'summarize'];

/** The built field-notes root that the tests install. */
export function artifactFolder() {
  const folder = process.env.AGENT_BUNDLE_ARTIFACT;
  if (!folder) throw new Error('AGENT_BUNDLE_ARTIFACT must name a built examples/field-notes root');
  return resolve(folder);
}

export async function readIndex(root) {
  return JSON.parse(await readFile(join(root, 'agent-bundle.manifest.json'), 'utf8'));
}

/**
 * A throw-away folder for one test: a copy of the artifact far from its sources and from any node_modules, an empty home
 * and an empty project. The names hold spaces, because the folders of real users do.
 */
export async function sandbox(t) {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'agent bundle ')));
  t.after(() => rm(base, { recursive: true, force: true, maxRetries: 5 }));
  const root = join(base, 'plugin root');
  const home = join(base, 'home');
  const project = join(base, 'project');
  await cp(artifactFolder(), root, { recursive: true, verbatimSymlinks: true });
  await mkdir(home);
  await mkdir(project);
  const index = await readIndex(root);
  return { base, root, home, project, index };
}

/** The documents of one host, as the artifact's own index names them. */
export function projection(index, host) {
  const found = index.projections.find((row) => (row.builtInHost ?? row.host) === host);
  if (!found) throw new Error(`the artifact has no ${host} projection`);
  return found;
}

/** Where a client of the portable format installs from: the folder of its plugin.json. */
export function portableRoot(root, index) {
  return join(root, dirname(projection(index, 'portable').documents.plugin));
}

/** The absolute path of a generated server's entry. */
export function serverEntry(root, index, name) {
  const server = index.executables.mcpServers.find((row) => row.name === name);
  if (!server?.launch) throw new Error(`the artifact has no generated server ${name}`);
  return join(root, server.launch.entry);
}
