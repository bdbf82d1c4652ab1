export const config = { resourceUri: 'ui://notes/board' };

export default function Board() {
  return null;
}
