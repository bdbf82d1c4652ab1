export const config = { resourceUri: 'ui://notes/board', targets: ['codex'] };

export default function Board() {
  return null;
}
