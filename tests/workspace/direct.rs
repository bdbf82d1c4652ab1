//! Installs that go straight to the library, with a store of the test's own.

use crate::rig::{CANARY, NoSkills, Rig};
use agent_bundle::workspace::analyze::Caller;
use agent_bundle::workspace::document::Document;
use agent_bundle::workspace::service::{self, Request};
use agent_bundle::workspace::store::Store;
use agent_bundle::workspace::values::{Supplied, SuppliedValues};
use serde_json::{Value, json};

/// Values of the base document.
pub fn values() -> Value {
    json!({"tok": CANARY})
}

/// Installs through the library with a store of its own.
pub fn install(store: &Store, document: &str) -> Result<Value, agent_bundle::workspace::problem::Problem> {
    let document = Document::parse(document.as_bytes()).unwrap();
    let supplied = SuppliedValues::from([("tok".to_owned(), Supplied::Typed(json!(CANARY)))]);
    let caller = Caller { admin: true, origin: "pasted".to_owned(), ..Caller::default() };
    let request = Request {
        workspace: "default",
        document: &document,
        supplied: &supplied,
        caller: &caller,
        by: "test",
        allow_enabled: false,
        keep_secrets: false,
        request_key: None,
    };
    service::install(store, &request, false, &NoSkills).map(|result| serde_json::to_value(result).unwrap())
}

/// Rows are made by statements of our own where a person would make them by hand.
pub fn by_hand(rig: &Rig, sql: &str) {
    let connection = rusqlite::Connection::open(rig.path("workspaces.db")).unwrap();
    connection.execute_batch(sql).unwrap();
}
