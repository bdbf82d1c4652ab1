ALTER TABLE entities ADD COLUMN retained INTEGER NOT NULL DEFAULT 0 CHECK (retained IN (0, 1));

-- What the last uninstall of a bundle removed, for as long as that can be undone.
CREATE TABLE buried (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    bundle TEXT NOT NULL,
    at INTEGER NOT NULL,
    record TEXT NOT NULL CHECK (json_valid(record)),
    detached TEXT NOT NULL CHECK (json_valid(detached)),
    PRIMARY KEY (workspace_id, bundle)
) STRICT, WITHOUT ROWID;

CREATE TABLE buried_entities (
    workspace_id TEXT NOT NULL,
    bundle TEXT NOT NULL,
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    parent_id TEXT,
    fields TEXT NOT NULL,
    archived INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, bundle, seq),
    FOREIGN KEY (workspace_id, bundle) REFERENCES buried (workspace_id, bundle) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE buried_secrets (
    workspace_id TEXT NOT NULL,
    bundle TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    field TEXT NOT NULL,
    nonce BLOB NOT NULL,
    cipher BLOB NOT NULL,
    mac TEXT NOT NULL,
    PRIMARY KEY (workspace_id, bundle, owner_id, field),
    FOREIGN KEY (workspace_id, bundle) REFERENCES buried (workspace_id, bundle) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
