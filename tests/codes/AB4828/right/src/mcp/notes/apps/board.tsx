export const config = { resourceUri: 'ui://notes/board', targets: ['claude', 'codex'] };

export default function Board() {
  return null;
}
