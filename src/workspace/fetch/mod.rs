//! The only way to the network: every address is judged before it is dialled.

mod address;
mod client;
mod github;
mod guard;
mod proxy;
mod rate;

pub use address::{Cidr, is_public};
pub use client::Client;
pub use github::{Github, SkillFetcher};
pub use guard::{FetchError, Guard, Resolve, Settings, SystemResolver, Target};
pub use proxy::EgressProxy;
