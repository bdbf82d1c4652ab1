//! Who the plugin is.

use serde::{Deserialize, Serialize};

/// An author, as hosts show one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Author {
    /// Name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Home page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Descriptive fields that hosts share. A field is absent where neither the manifest nor `package.json` gives
/// it, or where the manifest suppresses it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata {
    /// Author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Author>,
    /// Home page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub homepage: Option<String>,
    /// Search words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keywords: Option<Vec<String>>,
    /// SPDX licence expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// Address of the source repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
}

/// The plugin's identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Host-native name; never taken from the npm package.
    pub name: String,
    /// Version; `package.json` is authoritative.
    pub version: String,
    /// One sentence.
    pub description: Option<String>,
    /// Project-relative path of the logo.
    pub logo: Option<String>,
    /// Shared descriptive fields.
    pub metadata: Metadata,
    /// npm package name, when valid.
    pub package_name: Option<String>,
    /// npm package version, when valid.
    pub package_version: Option<String>,
}
