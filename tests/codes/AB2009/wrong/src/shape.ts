export const shape = { parse: (value: unknown) => value };
