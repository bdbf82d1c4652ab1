export const nothing = "the same route, spelt in another file";
