// Runs the tests that kill the program before each write and each fsync, where `strace` is there or can be installed:
//   node tests/workspace/killed.mjs
import { spawnSync } from 'node:child_process';

const quiet = (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** Why no program can be traced here, if none can. */
function problem() {
  if (quiet('strace', '-o', '/dev/null', 'true')) return undefined;
  if (process.getuid?.() !== 0) return 'strace is not installed, or may not trace';
  const install = () => quiet('apt-get', 'install', '--yes', 'strace');
  // A new machine has no list of packages yet, or an old one.
  const isInstalled = install() || (quiet('apt-get', 'update') && install());
  if (!isInstalled) return 'strace is not installed, and apt-get cannot install it';
  return quiet('strace', '-o', '/dev/null', 'true') ? undefined : 'programs may not be traced here';
}

const reason = problem();
if (reason) {
  console.log(`killed installs: NOT CHECKED: ${reason}`);
  console.log('0 passed, 0 failed, 1 skipped');
} else {
  const tests = ['test', '--test', 'workspace', '--', '--ignored', 'sweep::'];
  process.exitCode = spawnSync('cargo', tests, { stdio: 'inherit' }).status ?? 1;
}
