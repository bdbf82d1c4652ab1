//! Fetches what the guard let through.

use super::guard::{FetchError, Guard, Target};
use super::proxy::EgressProxy;
use super::rate::Rate;
use std::io::Read;
use std::net::SocketAddr;
use std::time::Duration;
use ureq::Agent;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};

const CONNECT: Duration = Duration::from_secs(3);
const HEADERS: usize = 8 * 1024;
const ACCEPTED: &str = "application/yaml, application/json, text/plain";

/// A guarded client.
#[derive(Clone)]
pub struct Client {
    guard: Guard,
    rate: Rate,
    /// Wall clock for one answer.
    pub total: Duration,
}

/// Answers with what the guard judged, whatever is asked.
#[derive(Debug)]
struct Pinned(Vec<SocketAddr>);

impl Resolver for Pinned {
    fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let mut addresses = self.empty();
        for address in self.0.iter().take(16) {
            addresses.push(*address);
        }
        Ok(addresses)
    }
}

impl Client {
    /// A client behind `guard`.
    pub fn new(guard: Guard) -> Self {
        Self { guard, rate: Rate::default(), total: Duration::from_secs(10) }
    }

    /// The bytes at an address, decoded, at most `limit` of them.
    pub fn get(&self, url: &str, limit: usize) -> Result<Vec<u8>, FetchError> {
        let target = self.guard.judge(url)?;
        self.send(&target, limit)
    }

    /// The same for a caller of the service, who may not fetch all the time.
    pub fn get_for(&self, who: &str, now: i64, url: &str, limit: usize) -> Result<Vec<u8>, FetchError> {
        let target = self.guard.judge(url)?;
        if !self.rate.admit(who, now) {
            return Err(FetchError::TooMany);
        }
        self.send(&target, limit)
    }

    fn send(&self, target: &Target, limit: usize) -> Result<Vec<u8>, FetchError> {
        let proxy = self.guard.proxy();
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(proxy.map(EgressProxy::inner))
            .max_response_header_size(HEADERS)
            .timeout_connect(Some(CONNECT))
            .timeout_global(Some(self.total))
            .user_agent(concat!("agent-bundle/", env!("CARGO_PKG_VERSION")))
            .accept(ACCEPTED)
            .build();
        let connector = DefaultConnector::default();
        let agent = match proxy {
            // Only the name of the proxy itself is looked up here.
            Some(_) => Agent::with_parts(config, connector, DefaultResolver::default()),
            None => Agent::with_parts(config, connector, Pinned(target.addresses.clone())),
        };
        let mut url = target.url.clone();
        url.set_fragment(None);
        let mut answer = agent.get(url.as_str()).call().map_err(|error| unavailable(&error))?;
        let status = answer.status().as_u16();
        if !(200..300).contains(&status) {
            return Err(FetchError::Status(status));
        }
        let kind =
            answer.headers().get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !is_text(kind) {
            return Err(FetchError::Unavailable(
                "the server sent something that is neither YAML, JSON nor plain text",
            ));
        }
        let mut bytes = Vec::new();
        let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
        answer
            .body_mut()
            .as_reader()
            .take(most)
            .read_to_end(&mut bytes)
            .map_err(|_| FetchError::Unavailable("the answer could not be read to its end in time"))?;
        if bytes.len() > limit {
            return Err(FetchError::TooLarge(limit));
        }
        Ok(bytes)
    }
}

fn is_text(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let plain = ["", "text/plain", "text/yaml", "text/x-yaml", "text/markdown", "application/octet-stream"];
    plain.contains(&kind.as_str()) || kind.ends_with("json") || kind.ends_with("yaml")
}

fn unavailable(error: &ureq::Error) -> FetchError {
    match error {
        ureq::Error::Timeout(_) => FetchError::Unavailable("the server did not answer in time"),
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => {
            FetchError::Unavailable("no secure connection could be made")
        }
        ureq::Error::ConnectProxyFailed(_) => {
            FetchError::Unavailable("the egress proxy did not connect to the server")
        }
        _ => FetchError::Unavailable("the server could not be reached"),
    }
}
