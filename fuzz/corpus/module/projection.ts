export const config = { command: ['a'], flags: { q: { name: 'n', default: [1] } }, input: 'json' };
export async function mapInput() {}
