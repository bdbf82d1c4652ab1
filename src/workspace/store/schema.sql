CREATE TABLE workspaces (
    id TEXT PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('admin', 'member')),
    label TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE entities (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('spec', 'mcp', 'skill', 'agent', 'trigger', 'rule')),
    name TEXT NOT NULL,
    parent_id TEXT REFERENCES entities (id) DEFERRABLE INITIALLY DEFERRED,
    fields TEXT NOT NULL CHECK (json_valid(fields)),
    archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1))
) STRICT;

CREATE INDEX entities_of_workspace ON entities (workspace_id, seq);
CREATE INDEX entities_by_parent ON entities (parent_id);

-- Ciphertext only; the key is not in this file.
CREATE TABLE secrets (
    owner_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    field TEXT NOT NULL,
    nonce BLOB NOT NULL,
    cipher BLOB NOT NULL,
    mac TEXT NOT NULL,
    PRIMARY KEY (owner_id, field)
) STRICT, WITHOUT ROWID;

CREATE TABLE installations (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    display_name TEXT,
    description TEXT NOT NULL,
    schema_version TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status = 'installed'),
    record TEXT NOT NULL CHECK (json_valid(record)),
    UNIQUE (workspace_id, name)
) STRICT;

CREATE TABLE leases (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    owner TEXT NOT NULL,
    heartbeat INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    request TEXT NOT NULL,
    result TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, key)
) STRICT, WITHOUT ROWID;
