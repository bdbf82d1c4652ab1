export const config = { command: ['find'] };
