export const config = { uri: };
