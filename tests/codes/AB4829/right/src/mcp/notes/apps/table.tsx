export const config = { resourceUri: 'ui://notes/table' };

export default function Board() {
  return null;
}
