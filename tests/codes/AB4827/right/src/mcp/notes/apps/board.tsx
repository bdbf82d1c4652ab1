export const config = { resourceUri: 'ui://notes/board', template: './board.html' };

export default function Board() {
  return null;
}
