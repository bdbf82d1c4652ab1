export const config = { resourceUri: 'notes/board' };

export default function Board() {
  return null;
}
