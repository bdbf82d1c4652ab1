-- The key that a publisher signed with first. Shared by all workspaces, as catalogs are.
CREATE TABLE publishers (
    name TEXT PRIMARY KEY,
    key TEXT NOT NULL,
    seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
