//! Setup bundles: one portable document that is analyzed, installed into a workspace all or nothing, reconciled,
//! uninstalled, exported without a secret, and served over HTTP.
//!
//! Parsing, analysis, rendering, comparing and screening are pure; `store` is the only place with a database, `fetch`
//! the only one with a network, `serve` the only one that listens.

pub mod analyze;
pub mod bridge;
pub mod catalog;
pub mod display;
pub mod document;
pub mod entity;
mod execute;
pub mod export;
pub mod fetch;
pub mod issue;
pub mod life;
pub mod listing;
pub mod plans;
pub mod plugin;
pub mod problem;
pub mod reconcile;
pub mod removal;
pub mod render;
pub mod reuse;
mod rows;
pub mod secret;
pub mod serve;
pub mod service;
pub mod signature;
pub mod store;
pub mod values;
