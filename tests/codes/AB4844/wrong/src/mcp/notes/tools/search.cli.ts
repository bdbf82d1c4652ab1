export const config = { comand: ['find'] };
