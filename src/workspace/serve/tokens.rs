//! Who asks.

use crate::workspace::problem::{Problem, ProblemCode};
use crate::workspace::secret::Secret;
use crate::workspace::store::{Store, random};
use crate::world::Digest;
use axum::http::{HeaderMap, header};

/// What a caller may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Analyze, and install what has no policies.
    Member,
    /// Everything.
    Admin,
}

impl Role {
    /// The word of the store.
    pub fn word(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Admin => "admin",
        }
    }
}

/// A caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// What it may do.
    pub role: Role,
    /// Digest of its token.
    pub token: String,
    /// What its token is for.
    pub label: String,
    /// The workspace that its token opens.
    pub workspace: String,
}

/// Makes a token for a workspace. Only its hash is kept, so it is shown once.
pub fn create_token(
    store: &Store,
    workspace: &str,
    role: Role,
    label: &str,
) -> Result<(String, Secret), Problem> {
    let token = format!("abt_{}", hex::encode(random::<32>()));
    let hash = Digest::of(token.as_bytes()).to_string();
    let id = store.write(|transaction| -> Result<_, Problem> {
        let workspace = transaction.view().workspace(workspace)?;
        let id = transaction.insert_token(&workspace.id, role.word(), label, &hash)?;
        transaction.audit(&workspace.id, "create token", &format!("{} {id}", role.word()))?;
        Ok(id)
    })?;
    Ok((id, Secret::new(token)))
}

/// The caller of a request.
pub(super) fn identify(store: &Store, headers: &HeaderMap) -> Result<Identity, Problem> {
    let refused = || Problem::new(ProblemCode::Unauthenticated, "a bearer token is needed");
    let text =
        headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).ok_or_else(refused)?;
    let (scheme, token) = text.split_once(' ').ok_or_else(refused)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(refused());
    }
    // The look-up is by hash: its time tells nothing about a token.
    let hash = Digest::of(token.trim().as_bytes()).to_string();
    let found = store.read(|view| view.token(&hash)).map_err(Problem::from)?;
    let (role, label, workspace) = found.ok_or_else(refused)?;
    let role = if role == Role::Admin.word() { Role::Admin } else { Role::Member };
    Ok(Identity { role, token: hash, label, workspace })
}
