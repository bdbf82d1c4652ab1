export function main() {
  console.log('a report');
}
