export const U = 'ui://a/b' as const;
export const config = { resourceUri: U, template: `./a.html`, targets: ['claude'], n: -1.5e3, ...x, [k]: 1 } satisfies X;
