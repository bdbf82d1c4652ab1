export const config = { positionals: ['qery'] };
