-- Values of a workspace that a person said are no credentials, as keyed hashes of place and value.
CREATE TABLE export_marks (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    mark TEXT NOT NULL,
    PRIMARY KEY (workspace_id, mark)
) STRICT, WITHOUT ROWID;
