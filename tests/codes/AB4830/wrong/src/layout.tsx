export const config = {};

export default function Layout({ children }) {
  return children;
}
