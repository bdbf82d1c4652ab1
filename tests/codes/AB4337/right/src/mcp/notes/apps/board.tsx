export const config = { resourceUri: 'ui://notes/board', targets: ['claude'] };

export default function Board() {
  return null;
}
