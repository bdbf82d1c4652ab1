export const config = { resourceUri: 'ui://notes/board', template: './bord.html' };

export default function Board() {
  return null;
}
