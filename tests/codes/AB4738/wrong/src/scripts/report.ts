export default function report() {
  console.log('a report');
}
