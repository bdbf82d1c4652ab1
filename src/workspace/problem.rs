//! How a request fails, in the form that HTTP and `--json` share.

use super::issue::Issue;
use super::store::StoreError;
use serde_json::{Value, json};

/// Which kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemCode {
    /// The document or a value is at fault.
    BundleInvalid,
    /// A step failed.
    InstallFailed,
    /// Another install of that name is running.
    InProgress,
    /// The source cannot be fetched.
    SourceUnavailable,
    /// The source may not be fetched.
    SourceBlocked,
    /// The source is too large.
    SourceTooLarge,
    /// The workspace holds what the format cannot.
    Unrepresentable,
    /// The caller may not do that.
    PermissionDenied,
    /// The caller is not known.
    Unauthenticated,
    /// There is no such thing.
    NotFound,
    /// There is one already, or what was planned is no longer so.
    Conflict,
    /// The route has no such method.
    MethodNotAllowed,
    /// The body is too large.
    PayloadTooLarge,
    /// The body is not the JSON that is expected.
    BadRequest,
    /// The caller asks too often.
    TooManyRequests,
    /// A fault of ours.
    Internal,
}

impl ProblemCode {
    /// The word of the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::BundleInvalid => "bundle_invalid",
            Self::InstallFailed => "bundle_install_failed",
            Self::InProgress => "bundle_install_in_progress",
            Self::SourceUnavailable => "bundle_source_unavailable",
            Self::SourceBlocked => "bundle_source_blocked",
            Self::SourceTooLarge => "bundle_source_too_large",
            Self::Unrepresentable => "export_unrepresentable",
            Self::PermissionDenied => "permission_denied",
            Self::Unauthenticated => "unauthenticated",
            Self::NotFound => "not_found",
            Self::Conflict => "conflict",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::PayloadTooLarge => "payload_too_large",
            Self::BadRequest => "bad_request",
            Self::TooManyRequests => "too_many_requests",
            Self::Internal => "internal",
        }
    }

    /// The HTTP status.
    pub fn status(self) -> u16 {
        match self {
            Self::BundleInvalid | Self::Unrepresentable | Self::BadRequest => 422,
            Self::InstallFailed | Self::SourceUnavailable | Self::SourceBlocked | Self::SourceTooLarge => 400,
            Self::InProgress | Self::Conflict => 409,
            Self::PermissionDenied => 403,
            Self::Unauthenticated => 401,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::PayloadTooLarge => 413,
            Self::TooManyRequests => 429,
            Self::Internal => 500,
        }
    }

    fn title(self) -> &'static str {
        match self.status() {
            400 => "Bad Request",
            401 => "Unauthorized",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            409 => "Conflict",
            413 => "Content Too Large",
            429 => "Too Many Requests",
            422 => "Unprocessable Content",
            _ => "Internal Server Error",
        }
    }
}

/// A failed request.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Which kind.
    pub code: ProblemCode,
    /// One sentence; never a setup value or an address.
    pub detail: String,
    /// What blocks.
    pub issues: Vec<Issue>,
}

impl Problem {
    /// A failure without issues.
    pub fn new(code: ProblemCode, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), issues: Vec::new() }
    }

    /// A document or value at fault.
    pub fn invalid(issues: Vec<Issue>) -> Self {
        let detail = match issues.as_slice() {
            [] => "the bundle cannot be installed".to_owned(),
            [only] => only.message.clone(),
            [first, rest @ ..] => format!("{} (and {} more)", first.message, rest.len()),
        };
        Self { issues, ..Self::new(ProblemCode::BundleInvalid, detail) }
    }

    /// The body.
    pub fn body(&self) -> Value {
        json!({
            "type": "about:blank",
            "title": self.code.title(),
            "status": self.code.status(),
            "code": self.code.word(),
            "detail": self.detail,
            "issues": self.issues,
        })
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let code = match &error {
            StoreError::Failed(_) => ProblemCode::InstallFailed,
            StoreError::NotFound(_) => ProblemCode::NotFound,
            StoreError::Exists(_) => ProblemCode::Conflict,
            StoreError::Busy(_) => ProblemCode::InProgress,
        };
        Self::new(code, error.to_string())
    }
}
