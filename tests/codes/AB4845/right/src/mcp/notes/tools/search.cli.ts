export const config = { positionals: ['query'] };
