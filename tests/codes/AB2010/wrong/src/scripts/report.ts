export function main() {}
