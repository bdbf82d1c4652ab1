CREATE TABLE audit (
    seq INTEGER PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL
) STRICT;

CREATE INDEX audit_of_workspace ON audit (workspace_id, seq);
