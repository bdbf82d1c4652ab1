export function main(args: string[]) {
  console.log(args.join(' '));
}
