//! What is wrong, or worth knowing, about a setup bundle.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much an issue weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Stops an install before its first write.
    Block,
    /// Stops nothing.
    Warn,
}

/// Every issue there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IssueCode {
    /// The text is not YAML or JSON that can be read.
    Malformed,
    /// The text is larger than the limit.
    TooLarge,
    /// The document is written for another version of the format.
    SchemaVersion,
    /// An object has a member that the format does not know.
    UnknownMember,
    /// A required member is absent.
    MissingMember,
    /// A value has another type than its member.
    WrongType,
    /// A value has the right type and is still not allowed.
    InvalidValue,
    /// More problems of the document than are listed.
    More,
    /// A key occurs twice in its section.
    DuplicateKey,
    /// A key occurs among the channels and among the automations.
    TriggerKeyClash,
    /// A key is a word of the format.
    ReservedKey,
    /// A name is longer than the store takes.
    NameTooLong,
    /// The bundle's name is unusual.
    UnusualName,
    /// A declared field contradicts itself.
    SetupFieldInvalid,
    /// A declared field is used nowhere.
    SetupFieldUnused,
    /// A binding is a literal.
    BindingWithoutReference,
    /// A reference names no declared field.
    UnknownSetupField,
    /// Text begins like a reference and is none.
    MalformedReference,
    /// A reference stands where none is resolved.
    ReferenceNotResolved,
    /// A URL is put together so that a value would choose its host.
    UrlReference,
    /// The `json_spec` of a server cannot be used.
    McpSpecInvalid,
    /// A member of `json_spec` has no effect.
    McpMemberIgnored,
    /// A server cannot run here.
    McpSkipped,
    /// An agent names no MCP server of the document.
    UnknownMcp,
    /// An agent names no skill of the document.
    UnknownSkill,
    /// A channel or automation names no agent of the document.
    UnknownAgent,
    /// A policy is about nobody.
    UnknownSubject,
    /// A list names something twice.
    Repeated,
    /// An agent has no model.
    AgentWithoutModel,
    /// An agent comes without one of its servers.
    AgentLosesTool,
    /// The front matter of a skill cannot be read.
    SkillFrontMatter,
    /// The address of a skill is not one that can be fetched.
    SkillSource,
    /// A member of a skill has no effect.
    SkillMemberIgnored,
    /// `context_secret` on a server that is not reached by URL.
    ContextSecretNotUrl,
    /// `context_secret` refers to a field that is not secret.
    ContextSecretNotSecret,
    /// The signing key is too short or too long.
    ContextSecretLength,
    /// The signing key is weak.
    ContextSecretWeak,
    /// A channel lacks a credential.
    ChannelCredential,
    /// A cron expression or time zone cannot be read.
    AutomationSchedule,
    /// An automation runs more often than once a minute.
    AutomationFrequent,
    /// A policy that would never act.
    PolicyUnenforceable,
    /// Policies need an administrator.
    PolicyNeedsAdmin,
    /// The document asks for something to run at once.
    StartsEnabled,
    /// A required value is absent.
    SetupMissing,
    /// A value does not fit its field.
    SetupInvalid,
    /// Something else in the workspace has this name.
    NameInUse,
    /// A reused entity differs from the document.
    ReusedNotUpdated,
    /// A reused agent still names a server that is gone.
    AgentToolDangling,
    /// Text looks like a credential.
    SecretLikeLiteral,
    /// A bundle of this name came from elsewhere.
    OriginDiffers,
    /// A signature does not belong to its document.
    SignatureInvalid,
    /// A publisher signed with another key than before.
    PublisherKeyChanged,
}

/// One issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Issue {
    /// Whether it blocks.
    pub severity: Severity,
    /// Stable code.
    pub code: IssueCode,
    /// One sentence; never a setup value.
    pub message: String,
    /// Section of the entity it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Key of the entity it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity_key: Option<String>,
    /// JSON pointer into the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Line of the document, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column of the document, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

impl Issue {
    /// An issue that blocks.
    pub fn block(code: IssueCode, message: impl Into<String>) -> Self {
        Self::new(Severity::Block, code, message)
    }

    /// An issue that does not.
    pub fn warn(code: IssueCode, message: impl Into<String>) -> Self {
        Self::new(Severity::Warn, code, message)
    }

    fn new(severity: Severity, code: IssueCode, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { severity, code, message, kind: None, entity_key: None, path: None, line: None, column: None }
    }

    /// Points at a JSON pointer.
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Points at a line and column.
    pub fn place(mut self, line: u32, column: u32) -> Self {
        self.line = Some(line);
        self.column = Some(column);
        self
    }

    /// Names the entity.
    pub fn about(mut self, kind: &str, key: &str) -> Self {
        self.kind = Some(kind.to_owned());
        self.entity_key = Some(key.to_owned());
        self
    }

    /// Whether it stops an install.
    pub fn blocks(&self) -> bool {
        self.severity == Severity::Block
    }
}
