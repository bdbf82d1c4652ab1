export default function create() {
  return {};
}
