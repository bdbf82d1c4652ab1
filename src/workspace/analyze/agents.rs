//! Agents, and everything that names one.

use super::collect::Collector;
use super::sections::live;
use crate::workspace::document::reference;
use crate::workspace::document::{Agent, Document, FieldType, Kind};
use crate::workspace::issue::{Issue, IssueCode};
use crate::workspace::reuse::{Decision, Planned};
use std::collections::BTreeSet;

pub(super) fn check(document: &Document, planned: &[Planned], issues: &mut Collector) {
    let bundle = &document.bundle;
    let skipped: BTreeSet<&str> = planned
        .iter()
        .filter(|entry| entry.kind == Kind::Mcp && matches!(entry.decision, Decision::Skip(_)))
        .map(|entry| entry.key.as_str())
        .collect();
    for (index, agent) in bundle.agents.iter().enumerate() {
        model(document, index, agent, issues);
        lists(index, agent, issues);
        for (at, key) in agent.mcps.iter().enumerate() {
            let path = format!("/agents/{index}/mcps/{at}");
            if !bundle.mcps.iter().any(|mcp| mcp.key == *key) {
                let message =
                    format!("agent `{}` names the MCP server `{key}`, which does not exist", agent.key);
                issues.add(Kind::Agent, index, Issue::block(IssueCode::UnknownMcp, message).at(path));
            } else if skipped.contains(key.as_str()) {
                let message = format!("agent `{}` comes without `{key}`, which is left out", agent.key);
                issues.add(Kind::Agent, index, Issue::warn(IssueCode::AgentLosesTool, message).at(path));
            }
        }
        for (at, key) in agent.skills.iter().enumerate() {
            if !bundle.skills.iter().any(|skill| skill.key == *key) {
                let message = format!("agent `{}` names the skill `{key}`, which does not exist", agent.key);
                let issue = Issue::block(IssueCode::UnknownSkill, message);
                issues.add(Kind::Agent, index, issue.at(format!("/agents/{index}/skills/{at}")));
            }
        }
    }
    let known = |key: &str| bundle.agents.iter().any(|agent| agent.key == key);
    let channels =
        bundle.channels.iter().enumerate().map(|(at, entry)| (Kind::Channel, at, &entry.key, &entry.agent));
    let automations = bundle
        .automations
        .iter()
        .enumerate()
        .map(|(at, entry)| (Kind::Automation, at, &entry.key, &entry.agent));
    for (kind, index, key, agent) in channels.chain(automations).filter(|(_, _, _, agent)| !known(agent)) {
        let message = format!("{} `{key}` names the agent `{agent}`, which does not exist", kind.word());
        issues.add(kind, index, Issue::block(IssueCode::UnknownAgent, message));
    }
    for (index, policy) in bundle.policies.iter().enumerate() {
        if policy.subject != "workspace" && !known(&policy.subject) {
            let message = format!("policy `{}` is about `{}`, which is no agent", policy.key, policy.subject);
            issues.add(Kind::Policy, index, Issue::block(IssueCode::UnknownSubject, message));
        }
    }
}

fn model(document: &Document, index: usize, agent: &Agent, issues: &mut Collector) {
    let path = format!("/agents/{index}/model");
    let text = agent.model.as_deref().unwrap_or_default();
    if text.trim().is_empty() {
        let message = format!("agent `{}` has no model", agent.key);
        return issues.add(Kind::Agent, index, Issue::block(IssueCode::AgentWithoutModel, message));
    }
    for issue in live(&document.bundle, text, "model") {
        issues.add(Kind::Agent, index, issue.at(&path));
    }
    let secret = reference::fields(text)
        .into_iter()
        .find(|key| document.bundle.field(key).is_some_and(|field| field.field_type == FieldType::Secret));
    if let Some(key) = secret {
        let message = format!("`model` refers to `{key}`, which is secret; the name of a model is not");
        issues.add(Kind::Agent, index, Issue::block(IssueCode::SetupFieldInvalid, message).at(&path));
    }
}

fn lists(index: usize, agent: &Agent, issues: &mut Collector) {
    for (member, list) in [("mcps", &agent.mcps), ("skills", &agent.skills), ("toolsets", &agent.toolsets)] {
        let mut seen = BTreeSet::new();
        for (at, name) in list.iter().enumerate() {
            if !seen.insert(name) {
                let message = format!("`{name}` stands twice in `{member}`; it counts once");
                let issue = Issue::warn(IssueCode::Repeated, message);
                issues.add(Kind::Agent, index, issue.at(format!("/agents/{index}/{member}/{at}")));
            }
        }
    }
}
