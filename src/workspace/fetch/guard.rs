//! Judges an address once, and pins what was judged.

use super::address::{Cidr, is_public};
use super::proxy::EgressProxy;
use crate::workspace::problem::{Problem, ProblemCode};
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use url::{Host, Url};

/// Why nothing was fetched. No text names a resolved address or what a server said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchError {
    /// The address may not be fetched.
    Blocked(&'static str),
    /// The answer was not a success.
    Status(u16),
    /// There was no usable answer.
    Unavailable(&'static str),
    /// The answer was longer than allowed.
    TooLarge(usize),
    /// The caller fetches too often.
    TooMany,
}

impl std::fmt::Display for FetchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Blocked(reason) => write!(f, "the address is refused: {reason}"),
            Self::Status(status) => write!(f, "the server answered with status {status}"),
            Self::Unavailable(reason) => f.write_str(reason),
            Self::TooMany => f.write_str("ten documents a minute may be fetched; wait a little"),
            Self::TooLarge(limit) => write!(f, "the answer has more than {limit} bytes"),
        }
    }
}

impl From<FetchError> for Problem {
    fn from(error: FetchError) -> Self {
        let code = match &error {
            FetchError::Blocked(_) => ProblemCode::SourceBlocked,
            FetchError::TooLarge(_) => ProblemCode::SourceTooLarge,
            FetchError::TooMany => ProblemCode::TooManyRequests,
            FetchError::Status(_) | FetchError::Unavailable(_) => ProblemCode::SourceUnavailable,
        };
        Self::new(code, error.to_string())
    }
}

/// From names to addresses.
pub trait Resolve: Send + Sync {
    /// All addresses of a name.
    fn resolve(&self, name: &str) -> Vec<IpAddr>;
}

/// The machine's own resolver.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: &str) -> Vec<IpAddr> {
        (name, 443)
            .to_socket_addrs()
            .map(|found| found.map(|address| address.ip()).collect())
            .unwrap_or_default()
    }
}

/// What an operator opens. Everything is closed by default.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Whether `http` is fetched beside `https`.
    pub allow_http: bool,
    /// Ranges that are fetched from though they are not public.
    pub private: Vec<Cidr>,
    /// Where everything is fetched through. It is given names, so what they lead to is for the proxy to judge.
    pub proxy: Option<EgressProxy>,
}

/// An address that was judged, with what it resolved to at that moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The normal form of the address.
    pub url: Url,
    /// Where it may be dialled; nowhere when a proxy looks the name up.
    pub addresses: Vec<SocketAddr>,
}

/// Judges addresses.
#[derive(Clone)]
pub struct Guard {
    settings: Settings,
    resolver: Arc<dyn Resolve>,
}

const CLOSED_SUFFIXES: [&str; 6] = [".localhost", ".local", ".internal", ".home.arpa", ".lan", ".intranet"];
const METADATA: [&str; 4] =
    ["metadata.google.internal", "metadata.goog", "metadata.azure.com", "instance-data.ec2.internal"];
/// Ports of services that answer to what a stranger sends them.
const CLOSED_PORTS: [u16; 16] =
    [1433, 1521, 2049, 2375, 2376, 3306, 4369, 5432, 5984, 6379, 6667, 9200, 10250, 11211, 25565, 27017];

impl Guard {
    /// A guard with an operator's settings.
    pub fn new(settings: Settings, resolver: Arc<dyn Resolve>) -> Self {
        Self { settings, resolver }
    }

    /// Judges an address. Names are resolved here and never again.
    pub fn judge(&self, text: &str) -> Result<Target, FetchError> {
        if text.chars().any(char::is_control) {
            return Err(FetchError::Blocked("it holds control characters"));
        }
        let url = Url::parse(text).map_err(|_| FetchError::Blocked("it is not a URL"))?;
        match url.scheme() {
            "https" => {}
            "http" if self.settings.allow_http => {}
            "http" => return Err(FetchError::Blocked("only https is fetched")),
            _ => return Err(FetchError::Blocked("only http and https can be fetched")),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FetchError::Blocked("it holds a user name or password"));
        }
        let port = url.port_or_known_default().unwrap_or(443);
        if !(port == 80 || port == 443 || port >= 1024) || CLOSED_PORTS.contains(&port) {
            return Err(FetchError::Blocked("that port is not fetched from"));
        }
        let addresses = match url.host() {
            Some(Host::Ipv4(address)) => vec![IpAddr::V4(address)],
            Some(Host::Ipv6(address)) => vec![IpAddr::V6(address)],
            Some(Host::Domain(name)) => {
                let name = public_name(name)?;
                if self.settings.proxy.is_some() {
                    return Ok(Target { url, addresses: Vec::new() });
                }
                self.resolver.resolve(&name)
            }
            None => return Err(FetchError::Blocked("it names no host")),
        };
        if addresses.is_empty() {
            return Err(FetchError::Unavailable("the name cannot be resolved"));
        }
        if !addresses.iter().all(|address| self.may_dial(*address)) {
            return Err(FetchError::Blocked("it does not lead to the public internet"));
        }
        let addresses = addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect();
        Ok(Target { url, addresses })
    }

    fn may_dial(&self, address: IpAddr) -> bool {
        is_public(address) || self.settings.private.iter().any(|range| range.contains(address))
    }

    /// What everything is fetched through.
    pub(super) fn proxy(&self) -> Option<&EgressProxy> {
        self.settings.proxy.as_ref()
    }
}

/// The normal form of a name that does not belong to a local network.
fn public_name(name: &str) -> Result<String, FetchError> {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let closed = name == "localhost"
        || !name.contains('.')
        || METADATA.contains(&name.as_str())
        || CLOSED_SUFFIXES.iter().any(|suffix| name.ends_with(suffix));
    if closed { Err(FetchError::Blocked("that name is local")) } else { Ok(name) }
}
