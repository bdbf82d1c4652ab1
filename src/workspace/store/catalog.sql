CREATE TABLE registries (
    name TEXT PRIMARY KEY,
    source TEXT NOT NULL,
    synced_at INTEGER NOT NULL
) STRICT;

CREATE TABLE catalog_items (
    registry TEXT NOT NULL REFERENCES registries (name) ON DELETE CASCADE,
    name TEXT NOT NULL,
    item TEXT NOT NULL CHECK (json_valid(item)),
    PRIMARY KEY (registry, name)
) STRICT, WITHOUT ROWID;
