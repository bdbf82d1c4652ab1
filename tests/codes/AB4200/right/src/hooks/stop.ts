export default async function stop() {
  return { outcome: 'continue' };
}
