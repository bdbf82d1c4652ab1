export default function server() {
  return { connect: async () => {} };
}
