export default function clock() {
  return Date.now(;
}
