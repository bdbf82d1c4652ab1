//! Setup bundles as a user meets them: through the command line and over HTTP, which must agree.
#![allow(clippy::disallowed_methods, reason = "tests look at files as they are")]

mod direct;
mod rig;

mod cases;
mod catalog;
mod catalogue_of_cases;
mod document;
mod export;
mod failure;
mod http;
mod install;
mod life;
mod properties;
mod reconcile;
mod references;
mod signature;
mod sweep;
mod values;
